"""What every test here is handed: an endpoint of each kind, and a name for a table of its own."""

import itertools

import boto3
import endpoints
import pytest

NUMBERS = itertools.count(1)


@pytest.fixture(scope="session", params=["memory", "file", "tab"])
def endpoint(request, tmp_path_factory):
    """Keyplan in memory, on a file, and in a browser's tab; one of them runs at a time."""
    make = {
        "memory": endpoints.memory,
        "file": lambda: endpoints.file(tmp_path_factory.mktemp("clients") / "clients.db"),
        "tab": lambda: endpoints.tab("memory"),
    }[request.param]
    with make() as running:
        yield running
    assert running.exit_code == 0


@pytest.fixture(scope="session")
def client(endpoint):
    return endpoint.client()


@pytest.fixture(scope="session")
def resource(endpoint):
    return boto3.resource(
        "dynamodb",
        endpoint_url=endpoint.url,
        region_name="eu-west-2",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )


@pytest.fixture
def name():
    """A table name that no other test has."""
    return f"Table-{next(NUMBERS)}"


@pytest.fixture
def environment(endpoint, monkeypatch, tmp_path):
    """The variables that point every client at the endpoint, and nothing of the user's own."""
    for variable, value in {
        "AWS_ENDPOINT_URL": endpoint.url,
        "AWS_REGION": "eu-west-2",
        "AWS_DEFAULT_REGION": "eu-west-2",
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(variable, value)
    return endpoint
