"""The snippets of docs/clients.md: each runs on a new endpoint and prints what its last line says."""

import os
import re
import subprocess
import sys

import endpoints
import pytest

ADDRESS = "http://127.0.0.1:8000"
GUIDE = endpoints.ROOT / "docs/clients.md"
# Beside the packages, so that imports find them; Git ignores the folder.
JAVASCRIPT = endpoints.ROOT / "conformance/clients/javascript/node_modules/.guide"
SNIPPETS = re.findall(r"^```(sh|python|js)\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def command(language, text, folder):
    if language == "sh":
        return ["sh", "-eu", "-c", text]
    if language == "python":
        return [sys.executable, "-c", text]
    JAVASCRIPT.mkdir(exist_ok=True)
    file = JAVASCRIPT / f"{folder.name}.mjs"
    file.write_text(text, encoding="utf-8")
    return ["node", str(file)]


def test_the_guide_has_a_snippet_for_each_client():
    texts = "\n".join(text for _, text in SNIPPETS)
    for client in ["aws dynamodb", "boto3", "pynamodb", "lib-dynamodb", "electrodb", "dynamodb-toolbox", "onetable"]:
        assert client in texts, client


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_a_snippet_prints_what_it_says(number, tmp_path):
    language, text = SNIPPETS[number]
    said = re.search(r"(?:#|//) (.*)\n$", text).group(1)
    home = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    home["HOME"] = str(tmp_path)
    home["PATH"] = os.pathsep.join([str(tmp_path), home["PATH"]])
    # The environment's own programs name the folder that it was made in.
    for name, words in {"aws": "-m awscli", "python3": ""}.items():
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        program.chmod(0o755)
    with endpoints.memory() as endpoint:
        assert ADDRESS in text
        ran = subprocess.run(
            command(language, text.replace(ADDRESS, endpoint.url), tmp_path),
            capture_output=True, text=True, env=home, timeout=60,
        )
    assert (ran.stdout, ran.returncode) == (f"{said}\n", 0), ran.stderr
