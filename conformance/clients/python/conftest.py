"""What every test here is handed: an endpoint of each kind, and a name for a table of its own."""

import itertools

import boto3
import endpoints
import operations
import pytest

NUMBERS = itertools.count(1)


def pytest_configure(config):
    config.addinivalue_line("markers", "takes(*names): the operations whose success path the test takes")
    config.addinivalue_line("markers", "refuses(**errors): the operations that are refused, and how")


@pytest.fixture(scope="session", params=["memory", "file", "tab"])
def endpoint(request, tmp_path_factory):
    """Keyplan in memory, on a file, and in a browser's tab; one of them runs at a time."""
    make = {
        "memory": endpoints.memory,
        "file": lambda: endpoints.file(
            tmp_path_factory.mktemp("clients") / "clients.db", "--buckets", tmp_path_factory.mktemp("buckets")
        ),
        "tab": lambda: endpoints.tab("memory"),
    }[request.param]
    with make() as running:
        yield running
    assert running.exit_code == 0


@pytest.fixture(scope="session")
def client(endpoint):
    return endpoint.client()


@pytest.fixture(scope="session")
def streams(endpoint):
    return boto3.client(
        "dynamodbstreams", endpoint_url=endpoint.url, region_name="eu-west-2",
        aws_access_key_id="any", aws_secret_access_key="any",
    )


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


@pytest.fixture(autouse=True)
def promises(request):
    """Holds a test to the operations that its marks promise."""
    taken = {name for mark in request.node.iter_markers("takes") for name in mark.args}
    refused = {name: error for mark in request.node.iter_markers("refuses") for name, error in mark.kwargs.items()}
    if not taken and not refused:
        yield
        return
    outcomes = operations.Outcomes()
    clients = [request.getfixturevalue(name) for name in ("client", "streams")]
    for client in clients:
        client.meta.events.register("after-call", outcomes.note, unique_id="promises")
    yield
    for client in clients:
        client.meta.events.unregister("after-call", unique_id="promises")
    missed = sorted(name for name in taken if None not in outcomes.seen.get(name, []))
    assert not missed, f"never answered with success: {missed}"
    for name, error in refused.items():
        assert outcomes.seen.get(name) == [error], name


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
