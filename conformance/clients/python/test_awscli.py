"""The AWS command line: what a shell script does with tables and items."""

import json
import os
import subprocess
import sys
from base64 import b64encode

import endpoints
import pytest
import shop
from awscli.clidriver import create_clidriver

TYPES = {
    "S": {"S": "a snowman ☃ and \"quotes\""},
    "N": {"N": "-12345678901234567890.123456789012345678"},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "SS": {"SS": ["a", "b"]},
    "NS": {"NS": ["-0.001", "9.5"]},
    "L": {"L": [{"S": ""}, {"L": []}, {"M": {"deep": {"N": "1"}}}]},
    "M": {"M": {"empty": {"M": {}}}},
}


@pytest.fixture
def aws(environment, capsys):
    """`aws dynamodb …` in this process, which spares each call an interpreter's start."""

    def call(operation, *arguments, fails=None):
        words = [word if isinstance(word, str) else json.dumps(word) for word in arguments]
        code = create_clidriver().main(["dynamodb", operation, *words])
        out, err = capsys.readouterr()
        if fails is not None:
            assert (code, out) == (255, "")
            return err.strip()
        assert (code, err) == (0, "")
        try:
            return json.loads(out) if out else None
        except json.JSONDecodeError:
            return out.strip()

    return call


@pytest.fixture
def table(aws, name):
    """The shop's table, made as one would by hand."""
    schema = shop.schema(name)
    aws(
        "create-table", "--table-name", name, "--billing-mode", "PAY_PER_REQUEST",
        "--attribute-definitions", *[
            f"AttributeName={one['AttributeName']},AttributeType={one['AttributeType']}"
            for one in schema["AttributeDefinitions"]
        ],
        "--key-schema", "AttributeName=PK,KeyType=HASH", "AttributeName=SK,KeyType=RANGE",
        "--global-secondary-indexes", schema["GlobalSecondaryIndexes"],
        "--local-secondary-indexes",
        "IndexName=ByTotal,KeySchema=[{AttributeName=PK,KeyType=HASH},{AttributeName=total,KeyType=RANGE}],"
        "Projection={ProjectionType=KEYS_ONLY}",
    )
    assert aws("wait", "table-exists", "--table-name", name) is None
    return name


def fill(aws, table, days):
    items = [shop.customer(1)] + [shop.order(1, day) for day in range(1, days + 1)]
    puts = [{"PutRequest": {"Item": item}} for item in items]
    left = {table: puts}
    while left:
        left = aws("batch-write-item", "--request-items", left)["UnprocessedItems"]
    return items


def test_the_program_itself_runs(environment, table):
    program = [sys.executable, "-m", "awscli", "dynamodb", "describe-table", "--table-name", table]
    described = subprocess.run(
        [*program, "--query", "Table.[TableStatus, TableArn, length(AttributeDefinitions)]", "--output", "text"],
        capture_output=True, text=True, env=os.environ,
    )
    arn = endpoints.arn(table)
    assert (described.stderr, described.stdout) == ("", f"ACTIVE\t{arn}\t5\n")
    plain = subprocess.run(
        [*program, "--endpoint-url", environment.url.replace("127.0.0.1", "localhost"), "--no-sign-request"],
        capture_output=True, text=True, env=os.environ,
    )
    assert plain.returncode == 255
    assert "(MissingAuthenticationTokenException)" in plain.stderr
    assert "Request is missing Authentication Token" in plain.stderr


def test_every_type_comes_back_as_it_was_put(aws, table):
    # This command takes a binary value's text as its bytes, and shows them in base64.
    binary = {"B": {"B": "raw \x01"}, "BS": {"BS": ["a", "b"]}}
    item = {**shop.customer(1), **TYPES}
    assert aws("put-item", "--table-name", table, "--item", {**item, **binary}) is None
    found = aws("get-item", "--table-name", table, "--key", shop.key(item), "--consistent-read")["Item"]
    for kind in ("SS", "NS", "BS"):
        found[kind][kind].sort()

    def base64(text):
        return b64encode(text.encode()).decode()

    assert found == {**item, "B": {"B": base64("raw \x01")}, "BS": {"BS": [base64("a"), base64("b")]}}


def test_paging_is_the_commands_own(aws, table):
    items = fill(aws, table, 9)
    query = [
        "query", "--table-name", table, "--key-condition-expression", "PK = :pk AND begins_with(SK, :orders)",
        "--expression-attribute-values", {":pk": {"S": "CUSTOMER#1"}, ":orders": {"S": "ORDER#"}},
    ]
    whole = aws(*query, "--page-size", "2")
    assert (whole["Count"], whole["ScannedCount"]) == (9, 9)
    assert whole["Items"] == items[1:]

    first = aws(*query, "--max-items", "4")
    assert first["Items"] == items[1:5]
    rest = aws(*query, "--starting-token", first["NextToken"])
    assert rest["Items"] == items[5:] and "NextToken" not in rest

    dearest = aws(
        *query, "--index-name", "ByTotal", "--key-condition-expression", "PK = :pk AND #t > :orders",
        "--expression-attribute-names", {"#t": "total"},
        "--expression-attribute-values", {":pk": {"S": "CUSTOMER#1"}, ":orders": {"N": "95"}},
        "--no-scan-index-forward", "--query", "Items[].[total.N, SK.S]", "--output", "text",
    )
    assert [line.split("\t") for line in dearest.splitlines()] == [
        ["99", "ORDER#2026-11-01"], ["98", "ORDER#2026-11-02"], ["97", "ORDER#2026-11-03"], ["96", "ORDER#2026-11-04"],
    ]
    open_orders = aws(
        "query", "--table-name", table, "--index-name", "GSI1", "--key-condition-expression", "GSI1PK = :open",
        "--expression-attribute-values", {":open": {"S": "STATUS#OPEN"}}, "--return-consumed-capacity", "INDEXES",
    )
    assert open_orders["Count"] == 2
    assert open_orders["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.0},
        "GlobalSecondaryIndexes": {"GSI1": {"CapacityUnits": 0.5}},
    }
    one_page = aws("scan", "--table-name", table, "--no-paginate", "--limit", "3", "--select", "COUNT")
    assert (one_page["Count"], set(one_page["LastEvaluatedKey"])) == (3, {"PK", "SK"})
    assert table in aws("list-tables", "--page-size", "1", "--query", "TableNames")


def test_a_failed_condition_is_said_in_the_services_words(aws, table):
    item = shop.customer(1)
    assert aws("put-item", "--table-name", table, "--item", item) is None
    put = [
        "put-item", "--table-name", table, "--item", item,
        "--condition-expression", "attribute_not_exists(PK)",
        "--return-values-on-condition-check-failure", "ALL_OLD",
    ]
    # The answer has the item as well, which this command doesn't show.
    assert aws(*put, fails=True) == (
        "An error occurred (ConditionalCheckFailedException) when calling the PutItem operation: "
        "The conditional request failed"
    )
    updated = aws(
        "update-item", "--table-name", table, "--key", shop.key(item), "--update-expression", "ADD visits :one",
        "--expression-attribute-values", {":one": {"N": "1"}}, "--condition-expression", "attribute_exists(PK)",
        "--return-values", "UPDATED_NEW",
    )
    assert updated == {"Attributes": {"visits": {"N": "1"}}}
    old = aws("delete-item", "--table-name", table, "--key", shop.key(item), "--return-values", "ALL_OLD")
    assert old == {"Attributes": {**item, "visits": {"N": "1"}}}
    assert aws("get-item", "--table-name", table, "--key", shop.key(item)) is None


def test_a_batch_is_read_until_nothing_is_left(aws, table):
    items = fill(aws, table, 3)
    left, found = {table: {"Keys": [shop.key(item) for item in items], "ProjectionExpression": "SK"}}, []
    while left:
        answer = aws("batch-get-item", "--request-items", left)
        found += answer["Responses"][table]
        left = answer["UnprocessedKeys"]
    assert sorted(item["SK"]["S"] for item in found) == sorted(item["SK"]["S"] for item in items)


def test_a_transaction_says_why_it_was_cancelled(aws, table, tmp_path):
    fill(aws, table, 1)
    actions = [
        {"Put": {"TableName": table, "Item": shop.customer(2)}},
        {
            "Delete": {
                "TableName": table, "Key": shop.key(shop.customer(1)),
                "ConditionExpression": "email = :other",
                "ExpressionAttributeValues": {":other": {"S": "x"}},
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            }
        },
    ]
    file = tmp_path / "actions.json"
    file.write_text(json.dumps(actions))
    assert aws("transact-write-items", "--transact-items", f"file://{file}", fails=True) == (
        "An error occurred (TransactionCanceledException) when calling the TransactWriteItems operation: "
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"
    )
    actions[1]["Delete"]["ExpressionAttributeValues"] = {":other": {"S": "c1@example.com"}}
    assert aws("transact-write-items", "--transact-items", actions) is None
    both = [{"Get": {"TableName": table, "Key": shop.key(shop.customer(number))}} for number in (1, 2)]
    read = aws("transact-get-items", "--transact-items", both)
    assert read == {"Responses": [{}, {"Item": shop.customer(2)}]}


def test_a_table_goes(aws, table):
    deleted = aws("delete-table", "--table-name", table, "--query", "TableDescription.TableStatus")
    assert deleted == "DELETING"
    assert aws("wait", "table-not-exists", "--table-name", table) is None
    said = aws("describe-table", "--table-name", table, fails=True)
    assert said.endswith(f"Requested resource not found: Table: {table} not found")
