"""boto3's client: tables with indexes, all types, pages, conditions, batches, transactions."""

import endpoints
import shop
from botocore.exceptions import ClientError
from pytest import raises

ALL_TYPES = {
    "S": {"S": "a snowman ☃, \U0001f600, \"quoted\\\" and \x01"},
    "N": {"N": "-12345678901234567890.123456789012345678"},
    "B": {"B": bytes(range(256))},
    "BOOL": {"BOOL": False},
    "NULL": {"NULL": True},
    "SS": {"SS": ["a", "b", "é"]},
    "NS": {"NS": ["-0.001", "9.5", "10"]},
    "BS": {"BS": [b"\x00", b"a", b"\xff\xfe"]},
    "L": {"L": [{"S": ""}, {"B": b""}, {"L": []}, {"M": {"deep": {"N": "1"}}}]},
    "M": {"M": {"empty": {"M": {}}, "largest": {"N": "9.9999999999999999999999999999999999999E+125"}}},
}


def code_and_message(error):
    return error.value.response["Error"]["Code"], error.value.response["Error"]["Message"]


def test_a_table_with_indexes_is_described_as_it_was_made(client, name):
    created = client.create_table(**shop.schema(name))["TableDescription"]
    assert created["TableStatus"] == "CREATING"
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 5})
    table = client.describe_table(TableName=name)["Table"]
    asked = shop.schema(name)
    assert table["TableStatus"] == "ACTIVE"
    assert table["KeySchema"] == asked["KeySchema"]
    assert table["AttributeDefinitions"] == asked["AttributeDefinitions"]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    [by_status] = table["GlobalSecondaryIndexes"]
    assert by_status == {
        **asked["GlobalSecondaryIndexes"][0],
        "IndexStatus": "ACTIVE",
        "IndexArn": f"{endpoints.arn(name)}/index/GSI1",
        "IndexSizeBytes": 0,
        "ItemCount": 0,
        "ProvisionedThroughput": {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "WarmThroughput": {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"},
    }
    assert table["LocalSecondaryIndexes"] == [
        {
            **asked["LocalSecondaryIndexes"][0],
            "IndexArn": f"{endpoints.arn(name)}/index/ByTotal",
            "IndexSizeBytes": 0,
            "ItemCount": 0,
        }
    ]


def test_indexes_are_read_with_what_they_project(client, name):
    shop.fill(client, name)
    by_status = client.query(
        TableName=name,
        IndexName="GSI1",
        KeyConditionExpression="GSI1PK = :open AND GSI1SK > :day",
        ExpressionAttributeValues={":open": {"S": "STATUS#OPEN"}, ":day": {"S": "2026-11-04"}},
    )
    order = shop.order(1, 8)
    del order["note"]
    assert by_status["Count"] == 2
    assert sorted(by_status["Items"], key=lambda item: item["PK"]["S"]) == [
        order, {**order, "PK": {"S": "CUSTOMER#2"}},
    ]
    by_total = {
        "TableName": name,
        "IndexName": "ByTotal",
        "KeyConditionExpression": "PK = :customer AND #total BETWEEN :low AND :high",
        "ExpressionAttributeNames": {"#total": "total"},
        "ExpressionAttributeValues": {":customer": {"S": "CUSTOMER#1"}, ":low": {"N": "96"}, ":high": {"N": "98"}},
    }
    keys = [{part: order[part] for part in ("PK", "SK", "total")} for order in (shop.order(1, d) for d in (4, 3, 2))]
    assert client.query(**by_total)["Items"] == keys
    whole = client.query(**by_total, Select="ALL_ATTRIBUTES", ConsistentRead=True)["Items"]
    assert whole == [shop.order(1, 4), shop.order(1, 3), shop.order(1, 2)]
    with raises(ClientError) as refused:
        client.query(
            TableName=name, IndexName="GSI1", ConsistentRead=True, KeyConditionExpression="GSI1PK = :open",
            ExpressionAttributeValues={":open": {"S": "STATUS#OPEN"}},
        )
    assert code_and_message(refused) == (
        "ValidationException", "Consistent reads are not supported on global secondary indexes",
    )


def test_an_index_is_added_to_a_table_in_use_and_taken_from_it(client, name):
    shop.fill(client, name, customers=3)
    client.update_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": "email", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[
            {
                "Create": {
                    "IndexName": "ByEmail",
                    "KeySchema": [{"AttributeName": "email", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            }
        ],
    )

    def indexes():
        table = client.describe_table(TableName=name)["Table"]
        return {index["IndexName"]: index["IndexStatus"] for index in table.get("GlobalSecondaryIndexes", [])}

    # Each request lets the filling go on, so a bound on requests is a bound on the wait.
    assert any(indexes().get("ByEmail") == "ACTIVE" for _ in range(200))
    scanned = client.scan(TableName=name, IndexName="ByEmail")
    assert scanned["Count"] == 3, "only customers have an email"
    found = client.query(
        TableName=name, IndexName="ByEmail", KeyConditionExpression="email = :email",
        ExpressionAttributeValues={":email": {"S": "c2@example.com"}},
    )
    assert found["Items"] == [shop.customer(2)]
    client.update_table(TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByEmail"}}])
    assert any(list(indexes()) == ["GSI1"] for _ in range(200))


def test_every_type_comes_back_as_it_was_put(client, name):
    client.create_table(**shop.schema(name))
    item = {**shop.customer(1), **ALL_TYPES}
    client.put_item(TableName=name, Item=item)
    found = client.get_item(TableName=name, Key=shop.key(item), ConsistentRead=True)["Item"]
    largest = found["M"]["M"].pop("largest")
    assert largest == {"N": "99999999999999999999999999999999999999" + "0" * 88}
    wanted = {**item, "M": {"M": {"empty": {"M": {}}}}}
    for kind in ("SS", "NS", "BS"):
        found[kind][kind] = set(found[kind][kind])
        wanted[kind] = {kind: set(wanted[kind][kind])}
    assert found == wanted


def test_what_an_update_returns(client, name):
    client.create_table(**shop.schema(name))
    item = shop.order(1, 1)
    client.put_item(TableName=name, Item=item)
    updated = client.update_item(
        TableName=name,
        Key=shop.key(item),
        UpdateExpression="SET #total = #total + :more, tags = :tags REMOVE note ADD seen :one",
        ExpressionAttributeNames={"#total": "total"},
        ExpressionAttributeValues={":more": {"N": "0.5"}, ":tags": {"SS": ["gift"]}, ":one": {"N": "1"}},
        ReturnValues="UPDATED_NEW",
        ReturnConsumedCapacity="INDEXES",
    )
    assert updated["Attributes"] == {"total": {"N": "99.5"}, "tags": {"SS": ["gift"]}, "seen": {"N": "1"}}
    capacity = updated["ConsumedCapacity"]
    assert capacity["Table"]["CapacityUnits"] == 1
    assert capacity["GlobalSecondaryIndexes"]["GSI1"]["CapacityUnits"] == 1
    assert capacity["LocalSecondaryIndexes"]["ByTotal"]["CapacityUnits"] == 2, "an index key that moves costs two"
    assert capacity["CapacityUnits"] == 4


def test_pages_by_limit_by_size_and_by_token(client, name):
    items = shop.fill(client, name, customers=1, days=8)
    query = {
        "TableName": name,
        "KeyConditionExpression": "PK = :customer AND begins_with(SK, :orders)",
        "ExpressionAttributeValues": {":customer": {"S": "CUSTOMER#1"}, ":orders": {"S": "ORDER#"}},
    }
    orders = items[1:]
    pages = list(client.get_paginator("query").paginate(**query, PaginationConfig={"PageSize": 3}))
    assert [page["Count"] for page in pages] == [3, 3, 2]
    assert [item for page in pages for item in page["Items"]] == orders
    assert pages[0]["LastEvaluatedKey"] == shop.key(orders[2])

    first = client.get_paginator("scan").paginate(
        TableName=name, PaginationConfig={"MaxItems": 4, "PageSize": 3}
    ).build_full_result()
    assert len(first["Items"]) == 4
    rest = client.get_paginator("scan").paginate(
        TableName=name, PaginationConfig={"StartingToken": first["NextToken"]}
    ).build_full_result()
    assert sorted(item["SK"]["S"] for item in first["Items"] + rest["Items"]) == sorted(
        item["SK"]["S"] for item in items
    )

    for number in range(12):
        large = {"PK": {"S": "LARGE"}, "SK": {"S": f"{number:02}"}, "body": {"S": "x" * 100_000}}
        client.put_item(TableName=name, Item=large)
    large = {
        "TableName": name,
        "KeyConditionExpression": "PK = :large",
        "ExpressionAttributeValues": {":large": {"S": "LARGE"}},
        "ProjectionExpression": "SK",
        "ReturnConsumedCapacity": "TOTAL",
    }
    by_size = list(client.get_paginator("query").paginate(**large))
    assert [page["Count"] for page in by_size] == [11, 1], "the item that crosses 1 MB is the page's last"
    # 11 items of 100,015 bytes are 268.6 steps of 4 KB, half a unit each.
    assert [page["ConsumedCapacity"]["CapacityUnits"] for page in by_size] == [134.5, 12.5]

    segments = [
        client.get_paginator("scan").paginate(TableName=name, TotalSegments=3, Segment=segment).build_full_result()
        for segment in range(3)
    ]
    found = [(item["PK"]["S"], item["SK"]["S"]) for segment in segments for item in segment["Items"]]
    assert len(found) == len(set(found)) == len(items) + 12, "each item is in one segment"


def test_a_failed_condition_hands_over_the_item(client, name):
    client.create_table(**shop.schema(name))
    item = {**shop.customer(1), **ALL_TYPES}
    client.put_item(TableName=name, Item=item)
    stored = client.get_item(TableName=name, Key=shop.key(item))["Item"]
    failing = [
        ("put_item", {"Item": shop.customer(1), "ConditionExpression": "attribute_not_exists(PK)"}),
        ("delete_item", {"Key": shop.key(item), "ConditionExpression": "attribute_not_exists(PK)"}),
        (
            "update_item",
            {
                "Key": shop.key(item),
                "UpdateExpression": "SET seen = :yes",
                "ConditionExpression": "email = :yes OR attribute_type(SS, :yes)",
                "ExpressionAttributeValues": {":yes": {"S": "N"}},
            },
        ),
    ]
    for operation, request in failing:
        for returned, answer in [("NONE", None), ("ALL_OLD", stored)]:
            with raises(client.exceptions.ConditionalCheckFailedException) as failed:
                getattr(client, operation)(
                    TableName=name, **request, ReturnValuesOnConditionCheckFailure=returned
                )
            assert code_and_message(failed) == (
                "ConditionalCheckFailedException", "The conditional request failed",
            )
            assert failed.value.response.get("Item") == answer, (operation, returned)
    absent = shop.key(shop.customer(9))
    with raises(client.exceptions.ConditionalCheckFailedException) as failed:
        client.delete_item(
            TableName=name, Key=absent, ConditionExpression="attribute_exists(PK)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert "Item" not in failed.value.response
    assert client.get_item(TableName=name, Key=shop.key(item))["Item"] == stored, "nothing changed"


def test_what_a_batch_leaves_is_asked_for_again(client, name):
    client.create_table(**shop.schema(name))
    large = [
        {"PK": {"S": "LARGE"}, "SK": {"S": f"{number:03}"}, "body": {"S": "x" * 300_000}} for number in range(60)
    ]
    for start in range(0, len(large), 25):
        left = {name: [{"PutRequest": {"Item": item}} for item in large[start:start + 25]]}
        while left:
            left = client.batch_write_item(RequestItems=left)["UnprocessedItems"]

    keys = [shop.key(item) for item in large] + [shop.key(shop.customer(9))]
    left = {name: {"Keys": keys, "ConsistentRead": True, "ProjectionExpression": "SK, body"}}
    found, rounds = [], 0
    while left:
        assert left[name]["ConsistentRead"] is True and left[name]["ProjectionExpression"] == "SK, body"
        answer = client.batch_get_item(RequestItems=left)
        found += answer["Responses"][name]
        left = answer["UnprocessedKeys"]
        rounds += 1
    assert rounds == 2, "60 items of 300 KB are more than one answer of 16 MB holds, and less than two"
    wanted = [{"SK": item["SK"], "body": item["body"]} for item in large]
    assert sorted(found, key=lambda item: item["SK"]["S"]) == wanted

    with raises(ClientError) as refused:
        client.batch_write_item(
            RequestItems={name: [{"DeleteRequest": {"Key": keys[0]}}, {"DeleteRequest": {"Key": keys[0]}}]}
        )
    assert code_and_message(refused) == (
        "ValidationException", "Provided list of item keys contains duplicates",
    )


def test_a_transaction_says_why_it_was_cancelled(client, name):
    shop.fill(client, name, customers=1, days=2)
    before = client.scan(TableName=name)["Items"]
    order = shop.order(1, 1)
    with raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": name, "Item": shop.customer(2)}},
                {
                    "ConditionCheck": {
                        "TableName": name, "Key": shop.key(shop.customer(1)),
                        "ConditionExpression": "attribute_not_exists(PK)",
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    }
                },
                {
                    "Update": {
                        "TableName": name, "Key": shop.key(order),
                        "UpdateExpression": "SET note = note + :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                    }
                },
                {
                    "Delete": {
                        "TableName": name, "Key": shop.key(shop.order(1, 2)),
                        "ConditionExpression": "attribute_exists(nothing)",
                    }
                },
            ]
        )
    assert code_and_message(cancelled) == (
        "TransactionCanceledException",
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, ValidationError, ConditionalCheckFailed]",
    )
    assert cancelled.value.response["CancellationReasons"] == [
        {"Code": "None"},
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": shop.customer(1),
        },
        {
            "Code": "ValidationError",
            "Message": "An operand in the update expression has an incorrect data type",
        },
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
    ]
    assert client.scan(TableName=name)["Items"] == before, "nothing of it was written"


def test_a_transaction_with_a_token_is_done_once(client, name):
    shop.fill(client, name, customers=1, days=1)
    key = shop.key(shop.order(1, 1))

    def add(amount):
        return client.transact_write_items(
            ClientRequestToken=f"add-to-{name}",
            ReturnConsumedCapacity="TOTAL",
            TransactItems=[
                {
                    "Update": {
                        "TableName": name, "Key": key, "UpdateExpression": "ADD seen :n",
                        "ExpressionAttributeValues": {":n": {"N": amount}},
                    }
                }
            ],
        )["ConsumedCapacity"]

    assert add("5") == [{"TableName": name, "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}]
    assert add("5") == [{"TableName": name, "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]
    with raises(client.exceptions.IdempotentParameterMismatchException):
        add("6")
    read = client.transact_get_items(
        TransactItems=[
            {"Get": {"TableName": name, "Key": key, "ProjectionExpression": "seen"}},
            {"Get": {"TableName": name, "Key": shop.key(shop.customer(9))}},
        ]
    )
    assert read["Responses"] == [{"Item": {"seen": {"N": "5"}}}, {}]
