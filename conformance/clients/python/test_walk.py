"""One walk with boto3 (a table, writes, pages of a query, errors) gives the same answers everywhere.

The walk runs on the native endpoint in memory and on a file, and on the engine of a browser tab in
memory and on OPFS. All answers must be equal but for request ids, dates, table ids and times.
"""

import contextlib
from urllib.parse import urlsplit

import botocore.exceptions
import endpoints
import pytest

TABLE = "Orders"
SCHEMA = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "customer", "AttributeType": "S"},
        {"AttributeName": "placed", "AttributeType": "N"},
    ],
    "KeySchema": [
        {"AttributeName": "customer", "KeyType": "HASH"},
        {"AttributeName": "placed", "KeyType": "RANGE"},
    ],
}
ALL_TYPES = {
    "text": {"S": "a snowman ☃ and a \U0001f600, \"quoted\\\""},
    "number": {"N": "-12345678901234567890.123456789012345678"},
    "bytes": {"B": b"\x00\xff\x10"},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "texts": {"SS": ["b", "a", "é"]},
    "numbers": {"NS": ["10", "9.50", "-1E-3"]},
    "blobs": {"BS": [b"b", b"a"]},
    "list": {"L": [{"S": "x"}, {"L": []}, {"M": {"deep": {"N": "1"}}}]},
    "map": {"M": {"empty": {"M": {}}, "text": {"S": ""}}},
}
CHANGING = {"RequestId", "HTTPHeaders", "CreationDateTime", "LastUpdateToPayPerRequestDateTime", "TableId"}


def stable(answer):
    """An answer without what differs from run to run."""
    if isinstance(answer, dict):
        return {key: stable(value) for key, value in answer.items() if key not in CHANGING}
    if isinstance(answer, list):
        return [stable(value) for value in answer]
    return answer


class Walk:
    """Sends requests and keeps their answers, errors included."""

    def __init__(self, client):
        self.client = client
        self.answers = []

    def send(self, operation, **request):
        try:
            answer = getattr(self.client, operation)(**request)
        except botocore.exceptions.ClientError as error:
            answer = error.response
        self.answers.append((operation, stable(answer)))
        return answer


def item(customer, placed, **others):
    return {"customer": {"S": customer}, "placed": {"N": str(placed)}, **others}


def key(customer, placed):
    return item(customer, placed)


def pages(walk, operation, **request):
    """All items of a paged read, with every page kept."""
    found = []
    while True:
        page = walk.send(operation, **request)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def walk_through(client):
    walk = Walk(client)
    walk.send("list_tables")
    created = walk.send("create_table", **SCHEMA)
    assert created["TableDescription"]["TableArn"] == endpoints.arn(TABLE)
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
    walk.send("create_table", **SCHEMA)
    walk.send("describe_table", TableName=TABLE)
    walk.send("list_tables", Limit=1)

    for placed in range(23):
        walk.send("put_item", TableName=TABLE, Item=item("ines", placed, note={"S": "x" * placed}))
    walk.send("put_item", TableName=TABLE, Item=item("omar", -1.5, **ALL_TYPES), ReturnConsumedCapacity="INDEXES")
    walk.send("put_item", TableName=TABLE, Item=item("omar", "1E+3"), ReturnValues="ALL_OLD")
    walk.send("put_item", TableName=TABLE, Item=item("omar", 1000, n={"N": "1"}), ReturnValues="ALL_OLD")

    read = walk.send(
        "get_item", TableName=TABLE, Key=key("omar", "-1.50"), ConsistentRead=True, ReturnConsumedCapacity="TOTAL"
    )
    assert read["Item"]["bytes"]["B"] == b"\x00\xff\x10"
    assert read["Item"]["numbers"]["NS"] == ["-0.001", "9.5", "10"]
    walk.send("get_item", TableName=TABLE, Key=key("omar", 7), ReturnConsumedCapacity="TOTAL")
    walk.send(
        "get_item", TableName=TABLE, Key=key("omar", -1.5), ProjectionExpression="#l[2].deep, #m.#t",
        ExpressionAttributeNames={"#l": "list", "#m": "map", "#t": "text"},
    )

    query = {
        "TableName": TABLE,
        "KeyConditionExpression": "customer = :c AND placed BETWEEN :low AND :high",
        "ExpressionAttributeValues": {":c": {"S": "ines"}, ":low": {"N": "3"}, ":high": {"N": "17"}},
        "ReturnConsumedCapacity": "TOTAL",
    }
    forward = pages(walk, "query", **query, Limit=4)
    assert [found["placed"]["N"] for found in forward] == [str(placed) for placed in range(3, 18)]
    backward = pages(walk, "query", **query, Limit=5, ScanIndexForward=False)
    assert backward == forward[::-1]
    filtered = {**query, "FilterExpression": "size(note) > :size"}
    filtered["ExpressionAttributeValues"] = {**query["ExpressionAttributeValues"], ":size": {"N": "10"}}
    assert len(pages(walk, "query", **filtered, Limit=6)) == 7
    walk.send("query", **query, Select="COUNT")
    assert len(pages(walk, "scan", TableName=TABLE, Limit=9)) == 25

    walk.send(
        "put_item", TableName=TABLE, Item=item("ines", 1), ConditionExpression="attribute_not_exists(customer)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    walk.send(
        "delete_item", TableName=TABLE, Key=key("ines", 1), ConditionExpression="note = :n",
        ExpressionAttributeValues={":n": {"S": "x"}}, ReturnValues="ALL_OLD", ReturnConsumedCapacity="TOTAL",
    )
    walk.send("delete_item", TableName=TABLE, Key=key("ines", 1), ReturnValues="ALL_OLD")
    walk.send("get_item", TableName="Nowhere", Key=key("ines", 1))
    walk.send("get_item", TableName=TABLE, Key={"customer": {"S": "ines"}})
    walk.send("put_item", TableName=TABLE, Item={"customer": {"N": "1"}, "placed": {"N": "1"}})
    walk.send("query", **{**query, "KeyConditionExpression": "customer = :c AND placed >"})
    walk.send("describe_table", TableName=TABLE)
    walk.send("delete_table", TableName=TABLE)
    client.get_waiter("table_not_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1})
    walk.send("describe_table", TableName=TABLE)
    return walk.answers


@pytest.fixture(scope="module")
def expected():
    """The walk's answers on the native endpoint in memory."""
    with endpoints.memory() as endpoint:
        answers = walk_through(endpoint.client())
    assert endpoint.exit_code == 0
    return answers


def same(answers, expected):
    assert len(answers) == len(expected)
    for number, (answer, wanted) in enumerate(zip(answers, expected)):
        assert answer == wanted, f"answer {number}"


def test_the_walk_meets_the_errors_it_should(expected):
    errors = [answer["Error"]["Code"] for _, answer in expected if "Error" in answer]
    assert errors == [
        "ResourceInUseException",
        "ConditionalCheckFailedException",
        "ResourceNotFoundException",
        "ValidationException",
        "ValidationException",
        "ValidationException",
        "ResourceNotFoundException",
    ]


def test_a_file_answers_as_memory_does(expected, tmp_path):
    path = tmp_path / "walk.db"
    with endpoints.file(path) as endpoint:
        same(walk_through(endpoint.client()), expected)
    assert endpoint.exit_code == 0
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name], "a clean stop leaves exactly one file"


def test_a_file_keeps_its_data(tmp_path):
    path = tmp_path / "kept.db"
    with endpoints.file(path) as endpoint:
        client = endpoint.client()
        client.create_table(**SCHEMA)
        client.put_item(TableName=TABLE, Item=item("omar", 1, **ALL_TYPES))
        before = client.get_item(TableName=TABLE, Key=key("omar", 1))["Item"]
    with endpoints.file(path) as endpoint:
        assert endpoint.client().get_item(TableName=TABLE, Key=key("omar", 1))["Item"] == before


def test_a_client_outlives_a_restart(tmp_path):
    path = tmp_path / "restarted.db"
    with endpoints.file(path) as endpoint:
        client = endpoint.client(attempts=3)
        client.create_table(**SCHEMA)
        client.put_item(TableName=TABLE, Item=item("omar", 1))
    # The client still has its connection, on which nobody answers.
    with endpoints.file(path, port=urlsplit(endpoint.url).port):
        assert client.get_item(TableName=TABLE, Key=key("omar", 1))["Item"] == item("omar", 1)


@pytest.mark.parametrize("store", ["memory", "opfs"])
def test_a_tab_answers_as_the_native_endpoint_does(expected, store):
    with endpoints.tab(store) as endpoint:
        same(walk_through(endpoint.client()), expected)


def test_a_clean_stop_lets_go_of_the_port():
    with contextlib.ExitStack() as stack:
        endpoint = stack.enter_context(endpoints.memory())
        endpoint.client().list_tables()
    assert endpoint.exit_code == 0
