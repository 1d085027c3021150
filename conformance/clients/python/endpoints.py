"""The endpoints that the tests talk to: each in a process of its own, on a free port."""

import json
import os
import re
import signal
import subprocess
import urllib.request
from pathlib import Path

import boto3
from botocore.config import Config

ROOT = Path(__file__).resolve().parents[3]
START_LINE = re.compile(r"Keyplan endpoint: (https?://\S+)")
CONTROL_LINE = re.compile(r"Keyplan control: (http://\S+)")

ACCOUNT = "123456789012"


def arn(table, region="eu-west-2"):
    return f"arn:aws:dynamodb:{region}:{ACCOUNT}:table/{table}"


class Endpoint:
    """A running endpoint, stopped at the end of the `with` block."""

    def __init__(self, name, command):
        self.name = name
        self.command = [str(part) for part in command]

    @property
    def buckets(self):
        """The folder of its buckets; None where they are in its memory."""
        return Path(self.command[self.command.index("--buckets") + 1]) if "--buckets" in self.command else None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        found = START_LINE.match(line)
        if not found:
            self.process.kill()
            raise AssertionError(f"{self.name} printed {line!r}, {self.process.stderr.read()!r}")
        self.url = found.group(1)
        if any(part.startswith("--control") for part in self.command):
            line = self.process.stdout.readline()
            self.control = CONTROL_LINE.match(line).group(1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.exit_code = self.process.wait(timeout=30)

    def ask(self, path, body=None):
        """Asks the control address, or with a body tells it."""
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.control + path, data=data), timeout=30) as answer:
            return json.load(answer)

    def client(self, attempts=1, service="dynamodb"):
        """A client as a user would make one, but with retries off, so that each answer counts."""
        return boto3.client(
            service,
            endpoint_url=self.url,
            region_name="eu-west-2",
            aws_access_key_id="any",
            aws_secret_access_key="any",
            config=Config(retries={"total_max_attempts": attempts, "mode": "standard"}),
        )


def keyplan_binary():
    """The command under test: a release build if there is one, else a debug build."""
    named = os.environ.get("KEYPLAN_BINARY")
    if named:
        return Path(named)
    builds = [ROOT / "target" / profile / "keyplan" for profile in ("release", "debug")]
    found = [build for build in builds if build.is_file()]
    if not found:
        raise AssertionError("no keyplan binary; run `cargo build -p keyplan-cli`, or name it in KEYPLAN_BINARY")
    return max(found, key=lambda build: build.stat().st_mtime)


def memory(*options):
    return Endpoint("memory", [keyplan_binary(), "serve", "--port", "0", *options])


def file(path, *options, port=0):
    return Endpoint("file", [keyplan_binary(), "serve", "--port", port, "--db", path, *options])


def tab(store, *options):
    named = os.environ.get("KEYPLAN_TAB_ENDPOINT")
    command = [named] if named else ["cargo", "xtask", "tab-endpoint"]
    return Endpoint(f"tab, {store}", [*command, "--port", "0", "--store", store, *options])
