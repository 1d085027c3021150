"""What is done with items: each operation succeeds, with a table's name and with its ARN."""

import endpoints
import operations
import pytest
import shop
from botocore.exceptions import ClientError


def named(name, by):
    return name if by == "name" else endpoints.arn(name)


@pytest.fixture(params=["name", "arn"])
def table(request, client, name):
    """The shop with two customers and eight orders of each, by its name or by its ARN."""
    shop.fill(client, name)
    yield named(name, request.param)
    client.delete_table(TableName=name)


def token(table):
    """A token that no other test's request has."""
    return f"once-{table.rsplit('/')[-1]}"


def counted(answer):
    return answer["ConsumedCapacity"]["CapacityUnits"]


@operations.takes("PutItem", "GetItem", "UpdateItem", "DeleteItem")
def test_one_item(client, table):
    new = {**shop.order(3, 4), "tags": {"SS": ["b", "a"]}, "seen": {"N": "1"}, "lines": {"L": [{"S": "x"}]}}
    put = client.put_item(
        TableName=table, Item=new, ConditionExpression="attribute_not_exists(PK)", ReturnValues="ALL_OLD",
        ReturnConsumedCapacity="INDEXES", ReturnItemCollectionMetrics="SIZE",
    )
    assert "Attributes" not in put
    assert set(put["ConsumedCapacity"]["GlobalSecondaryIndexes"]) == {"GSI1"}
    assert put["ItemCollectionMetrics"]["ItemCollectionKey"] == {"PK": new["PK"]}

    changed = client.update_item(
        TableName=table, Key=shop.key(new),
        UpdateExpression="SET seen = seen + :one, #l[1] = :y ADD tags :c REMOVE note",
        ConditionExpression="seen = :one AND contains(tags, :a)", ExpressionAttributeNames={"#l": "lines"},
        ExpressionAttributeValues={
            ":one": {"N": "1"}, ":y": {"S": "y"}, ":c": {"SS": ["c"]}, ":a": {"S": "a"},
        },
        ReturnValues="UPDATED_NEW",
    )["Attributes"]
    assert changed["seen"] == {"N": "2"} and sorted(changed["tags"]["SS"]) == ["a", "b", "c"]

    read = client.get_item(
        TableName=table, Key=shop.key(new), ConsistentRead=True, ProjectionExpression="#l[1], seen, note",
        ExpressionAttributeNames={"#l": "lines"}, ReturnConsumedCapacity="TOTAL",
    )
    assert read["Item"] == {"lines": {"L": [{"S": "y"}]}, "seen": {"N": "2"}}
    assert counted(read) == 1.0

    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as refused:
        client.delete_item(
            TableName=table, Key=shop.key(new), ConditionExpression="seen > :n",
            ExpressionAttributeValues={":n": {"N": "2"}}, ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert refused.value.response["Item"]["seen"] == {"N": "2"}
    gone = client.delete_item(TableName=table, Key=shop.key(new), ReturnValues="ALL_OLD")
    assert gone["Attributes"]["seen"] == {"N": "2"}
    assert "Item" not in client.get_item(TableName=table, Key=shop.key(new))


@operations.takes("Query", "Scan")
def test_pages_of_reads(client, table):
    query = client.get_paginator("query").paginate(
        TableName=table, KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)", FilterExpression="#t < :t",
        ExpressionAttributeNames={"#t": "total"}, ScanIndexForward=False, PaginationConfig={"PageSize": 3},
        ExpressionAttributeValues={":pk": {"S": "CUSTOMER#1"}, ":sk": {"S": "ORDER#"}, ":t": {"N": "97"}},
    )
    found = [item["SK"]["S"] for page in query for item in page["Items"]]
    assert found == [f"ORDER#2026-11-{day:02}" for day in range(8, 3, -1)]

    local = client.query(
        TableName=table, IndexName="ByTotal", KeyConditionExpression="PK = :pk AND #t BETWEEN :low AND :high",
        ExpressionAttributeNames={"#t": "total"}, Select="ALL_ATTRIBUTES", ConsistentRead=True,
        ExpressionAttributeValues={":pk": {"S": "CUSTOMER#2"}, ":low": {"N": "95"}, ":high": {"N": "97"}},
    )
    assert [item["note"]["S"] for item in local["Items"]] == ["day 5", "day 4", "day 3"]
    opened = client.query(
        TableName=table, IndexName="GSI1", KeyConditionExpression="GSI1PK = :s", Select="COUNT",
        ExpressionAttributeValues={":s": {"S": "STATUS#OPEN"}}, ReturnConsumedCapacity="INDEXES",
    )
    assert opened["Count"] == 4 and set(opened["ConsumedCapacity"]["GlobalSecondaryIndexes"]) == {"GSI1"}

    parts = [
        client.scan(TableName=table, Segment=segment, TotalSegments=3)["Items"] for segment in range(3)
    ]
    assert len([item for part in parts for item in part]) == 18
    pages = client.get_paginator("scan").paginate(
        TableName=table, IndexName="GSI1", PaginationConfig={"PageSize": 5}
    )
    assert [page["Count"] for page in pages][:3] == [5, 5, 5]


@operations.takes("BatchWriteItem", "BatchGetItem")
def test_batches(client, table):
    new = [shop.order(3, day) for day in range(1, 4)]
    requests = [{"PutRequest": {"Item": item}} for item in new]
    requests.append({"DeleteRequest": {"Key": shop.key(shop.customer(1))}})
    written = client.batch_write_item(
        RequestItems={table: requests}, ReturnConsumedCapacity="TOTAL", ReturnItemCollectionMetrics="SIZE"
    )
    assert written["UnprocessedItems"] == {}
    assert len(written["ConsumedCapacity"]) == 1

    keys = [shop.key(item) for item in [*new, shop.customer(1)]]
    read = client.batch_get_item(
        RequestItems={table: {"Keys": keys, "ConsistentRead": True, "ProjectionExpression": "note"}}
    )
    assert read["UnprocessedKeys"] == {}
    [items] = read["Responses"].values()
    assert sorted(item["note"]["S"] for item in items) == ["day 1", "day 2", "day 3"]


@operations.takes("TransactWriteItems", "TransactGetItems")
def test_transactions(client, table):
    first, second, third = (shop.order(3, day) for day in (1, 2, 3))
    profile = shop.key(shop.customer(1))
    write = {
        "ClientRequestToken": token(table),
        "ReturnConsumedCapacity": "TOTAL",
        "TransactItems": [
            {"Put": {"TableName": table, "Item": first, "ConditionExpression": "attribute_not_exists(PK)"}},
            {
                "Update": {
                    "TableName": table, "Key": shop.key(second), "UpdateExpression": "ADD visits :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            },
            {"Delete": {"TableName": table, "Key": shop.key(shop.customer(2))}},
            {
                "ConditionCheck": {
                    "TableName": table, "Key": profile, "ConditionExpression": "attribute_exists(email)",
                }
            },
        ],
    }
    assert len(client.transact_write_items(**write)["ConsumedCapacity"]) == 1
    client.transact_write_items(**write)
    gets = [{"Get": {"TableName": table, "Key": shop.key(item)}} for item in (first, second, third)]
    found = client.transact_get_items(TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    assert [response.get("Item") for response in found["Responses"]] == [
        first, {**shop.key(second), "visits": {"N": "1"}}, None,
    ], "the second request with the token writes nothing"

    put = {"Put": {"TableName": table, "Item": first, "ConditionExpression": "attribute_not_exists(PK)"}}
    with pytest.raises(client.exceptions.TransactionCanceledException) as refused:
        client.transact_write_items(TransactItems=[put, {"Delete": {"TableName": table, "Key": profile}}])
    reasons = [reason["Code"] for reason in refused.value.response["CancellationReasons"]]
    assert reasons == ["ConditionalCheckFailed", "None"]


@operations.takes("ExecuteStatement")
def test_statements(client, table):
    def run(statement, *parameters, **others):
        sent = {"Parameters": list(parameters)} if parameters else {}
        return client.execute_statement(Statement=statement, **sent, **others)

    pk, sk = {"S": "CUSTOMER#3"}, {"S": "ORDER#2026-11-01"}
    insert = f"INSERT INTO \"{table}\" VALUE {{'PK': ?, 'SK': ?, 'total': 7, 'tags': <<'a'>>, 'lines': ['x']}}"
    assert run(insert, pk, sk)["Items"] == []
    with pytest.raises(client.exceptions.DuplicateItemException):
        run(insert, pk, sk)

    updated = run(
        f'UPDATE "{table}" SET total = total + 1 SET note = ? WHERE PK = ? AND SK = ? RETURNING MODIFIED NEW *',
        {"S": "late"}, pk, sk,
    )
    assert updated["Items"] == [{"total": {"N": "8"}, "note": {"S": "late"}}]
    read = run(
        f'SELECT note, total FROM "{table}" WHERE PK = ? AND SK = ?', pk, sk, ConsistentRead=True,
        ReturnConsumedCapacity="TOTAL",
    )
    assert read["Items"] == [{"note": {"S": "late"}, "total": {"N": "8"}}]
    assert counted(read) == 1.0
    gone = run(f'DELETE FROM "{table}" WHERE PK = ? AND SK = ? RETURNING ALL OLD *', pk, sk)
    assert gone["Items"][0]["tags"] == {"SS": ["a"]}

    found, more = [], {}
    while True:
        page = run(f"SELECT SK FROM \"{table}\" WHERE PK = 'CUSTOMER#1' ORDER BY SK DESC", Limit=4, **more)
        assert len(page["Items"]) <= 4
        found += [item["SK"]["S"] for item in page["Items"]]
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert found == ["PROFILE", *(f"ORDER#2026-11-{day:02}" for day in range(8, 0, -1))]

    opened = run(
        f"SELECT * FROM \"{table}\".\"GSI1\" WHERE GSI1PK = 'STATUS#OPEN' AND total < 95",
        ReturnConsumedCapacity="INDEXES",
    )
    assert [item["total"]["N"] for item in opened["Items"]] == ["92", "92"]
    assert set(opened["ConsumedCapacity"]["GlobalSecondaryIndexes"]) == {"GSI1"}


@operations.takes("BatchExecuteStatement")
def test_batches_of_statements(client, table):
    read = f'SELECT email FROM "{table}" WHERE PK = ? AND SK = ?'
    profiles = [[{"S": f"CUSTOMER#{number}"}, {"S": "PROFILE"}] for number in (1, 2, 3)]
    answer = client.batch_execute_statement(
        Statements=[{"Statement": read, "Parameters": profile} for profile in profiles],
        ReturnConsumedCapacity="TOTAL",
    )
    assert [response.get("Item") for response in answer["Responses"]] == [
        {"email": {"S": "c1@example.com"}}, {"email": {"S": "c2@example.com"}}, None,
    ]
    insert = f"INSERT INTO \"{table}\" VALUE {{'PK': ?, 'SK': ?}}"
    written = client.batch_execute_statement(
        Statements=[{"Statement": insert, "Parameters": profile} for profile in profiles[1:]]
    )
    assert [response.get("Error", {}).get("Code") for response in written["Responses"]] == ["DuplicateItem", None]


@operations.takes("ExecuteTransaction")
def test_transactions_of_statements(client, table):
    def statement(text, *parameters):
        return {"Statement": text, "Parameters": list(parameters)}

    profile = [{"S": "CUSTOMER#1"}, {"S": "PROFILE"}]
    write = {
        "ClientRequestToken": token(table),
        "TransactStatements": [
            statement(
                f'EXISTS(SELECT * FROM "{table}" WHERE PK = ? AND SK = ? AND email = ?)',
                *profile, {"S": "c1@example.com"},
            ),
            statement(f"INSERT INTO \"{table}\" VALUE {{'PK': ?, 'SK': 'CART'}}", profile[0]),
            statement(f'UPDATE "{table}" SET visits = 1 WHERE PK = ? AND SK = ?', {"S": "CUSTOMER#2"}, profile[1]),
        ],
    }
    client.execute_transaction(**write)
    client.execute_transaction(**write)
    read = f'SELECT * FROM "{table}" WHERE PK = ? AND SK = ?'
    found = client.execute_transaction(
        TransactStatements=[
            statement(read, profile[0], {"S": "CART"}), statement(read, {"S": "CUSTOMER#2"}, profile[1]),
        ],
        ReturnConsumedCapacity="TOTAL",
    )
    assert [response["Item"].get("visits") for response in found["Responses"]] == [None, {"N": "1"}]
    assert len(found["ConsumedCapacity"]) == 1

    del write["ClientRequestToken"]
    with pytest.raises(client.exceptions.TransactionCanceledException) as refused:
        client.execute_transaction(**write)
    reasons = [reason["Code"] for reason in refused.value.response["CancellationReasons"]]
    assert reasons == ["None", "DuplicateItem", "None"]


@operations.takes("PutItem", "UpdateItem", "DeleteItem", "GetItem", "BatchGetItem", "Query", "Scan")
def test_legacy_parameters(client, table):
    new = shop.order(3, 4)
    absent = {"PK": {"Exists": False}, "SK": {"ComparisonOperator": "NULL"}}
    client.put_item(TableName=table, Item=new, Expected=absent, ConditionalOperator="AND")
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(TableName=table, Item=new, Expected={"PK": {"Exists": False}})
    changed = client.update_item(
        TableName=table, Key=shop.key(new), ReturnValues="ALL_NEW",
        AttributeUpdates={
            "total": {"Action": "ADD", "Value": {"N": "1"}}, "note": {"Action": "DELETE"},
            "seen": {"Action": "PUT", "Value": {"BOOL": True}},
        },
        Expected={"total": {"Value": {"N": "96"}}},
    )["Attributes"]
    assert (changed["total"], changed.get("note"), changed["seen"]) == ({"N": "97"}, None, {"BOOL": True})
    assert client.get_item(TableName=table, Key=shop.key(new), AttributesToGet=["total"])["Item"] == {
        "total": {"N": "97"}
    }
    batch = client.batch_get_item(
        RequestItems={table: {"Keys": [shop.key(new)], "AttributesToGet": ["seen"]}}
    )
    assert list(batch["Responses"].values()) == [[{"seen": {"BOOL": True}}]]

    def equals(text):
        return {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": text}]}

    found = client.query(
        TableName=table,
        KeyConditions={
            "PK": equals("CUSTOMER#1"),
            "SK": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "ORDER#"}]},
        },
        QueryFilter={
            "total": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "95"}]}, "note": equals("day 8"),
        },
        ConditionalOperator="OR", AttributesToGet=["note"],
    )
    assert [item["note"]["S"] for item in found["Items"]] == ["day 1", "day 2", "day 3", "day 4", "day 8"]
    scanned = client.scan(
        TableName=table,
        ScanFilter={"total": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "99"}, {"N": "92"}]}},
    )
    assert (scanned["Count"], scanned["ScannedCount"]) == (4, 19)
    gone = client.delete_item(
        TableName=table, Key=shop.key(new), ReturnValues="ALL_OLD",
        Expected={"seen": {"ComparisonOperator": "NOT_NULL"}, "none": {"ComparisonOperator": "NOT_NULL"}},
        ConditionalOperator="OR",
    )
    assert gone["Attributes"]["total"] == {"N": "97"}


def vector(*numbers):
    return [{"N": str(number)} for number in numbers]


def vector_index(name, function, **others):
    return {
        "IndexName": name, "VectorAttribute": {"AttributeName": "place"}, "Dimensions": 2,
        "DistanceFunction": function, "Projection": {"ProjectionType": "ALL"}, **others,
    }


@pytest.mark.parametrize("by", ["name", "arn"])
@operations.takes("SearchVectors", "CreateTable", "UpdateTable")
def test_vectors(client, name, by):
    parted = [
        {"AttributeName": "town", "SearchSchemaElementType": "HASH"},
        {"AttributeName": "kind", "SearchSchemaElementType": "INLINE_FILTER"},
    ]
    defined = [{"AttributeName": attribute, "AttributeType": "S"} for attribute in ("id", "town", "kind")]
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", AttributeDefinitions=defined,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        VectorIndexes=[vector_index("flat", "EUCLIDEAN"), vector_index("parted", "COSINE", SearchSchema=parted)],
    )
    table = named(name, by)
    places = {"a": ("york", "cafe", (1, 0)), "b": ("york", "park", (3, 4)), "c": ("bath", "cafe", (0, 2))}
    for identity, (town, kind, place) in places.items():
        item = {"id": {"S": identity}, "town": {"S": town}, "kind": {"S": kind}, "place": {"L": vector(*place)}}
        client.put_item(TableName=table, Item=item)
    client.update_table(
        TableName=table, AttributeDefinitions=defined,
        VectorIndexUpdates=[{"Create": vector_index("later", "DOT_PRODUCT")}],
    )
    described = operations.active(client, table)["VectorIndexes"]
    assert {index["IndexName"]: index["ItemCount"] for index in described} == {"flat": 3, "parted": 3, "later": 3}

    def search(index, to, **others):
        found = client.search_vectors(
            TableName=table, IndexName=index, SearchVector=vector(*to), TopK=2, ReturnConsumedCapacity="TOTAL",
            **others,
        )
        assert found["ConsumedCapacity"]["VectorSearchRequestBytes"] >= 1024
        return [(result["Item"]["id"]["S"], result["Score"]) for result in found["SearchResults"]]

    assert search("flat", (0, 0)) == [("a", 1.0), ("c", 2.0)]
    assert search("later", (1, 1), ProjectionExpression="id") == [("b", 7.0), ("c", 2.0)]
    inside = {"SearchConditionExpression": "town = :t", "ExpressionAttributeValues": {":t": {"S": "york"}}}
    assert [found for found, _ in search("parted", (1, 0), **inside)] == ["a", "b"]
    inside = {
        "SearchConditionExpression": "#t = :t AND kind = :k", "ExpressionAttributeNames": {"#t": "town"},
        "ExpressionAttributeValues": {":t": {"S": "york"}, ":k": {"S": "park"}},
    }
    assert [found for found, _ in search("parted", (1, 0), **inside)] == ["b"]

    client.update_table(TableName=table, VectorIndexUpdates=[{"Delete": {"IndexName": "flat"}}])
    with pytest.raises(ClientError):
        search("flat", (0, 0))
    client.delete_table(TableName=table)
