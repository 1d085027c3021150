"""A shop in one table, as the tests keep it: customers and their orders, and an index by an order's status.

| entity   | PK              | SK                 | GSI1PK          | GSI1SK             |
|----------|-----------------|--------------------|-----------------|--------------------|
| customer | CUSTOMER#<id>   | PROFILE            |                 |                    |
| order    | CUSTOMER#<id>   | ORDER#<placed>     | STATUS#<status> | <placed>           |

A local index orders what is under one partition key by total.
"""


def schema(name):
    def key(*names):
        return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ["HASH", "RANGE"])]

    def defined(attribute, kind="S"):
        return {"AttributeName": attribute, "AttributeType": kind}

    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            defined("GSI1PK"), defined("GSI1SK"), defined("PK"), defined("SK"), defined("total", "N"),
        ],
        "KeySchema": key("PK", "SK"),
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "GSI1",
                "KeySchema": key("GSI1PK", "GSI1SK"),
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]},
            }
        ],
        "LocalSecondaryIndexes": [
            {"IndexName": "ByTotal", "KeySchema": key("PK", "total"), "Projection": {"ProjectionType": "KEYS_ONLY"}}
        ],
    }


def customer(number):
    return {"PK": {"S": f"CUSTOMER#{number}"}, "SK": {"S": "PROFILE"}, "email": {"S": f"c{number}@example.com"}}


def order(number, day):
    """The order of a day; every fourth day's is open, the others were shipped."""
    placed = f"2026-11-{day:02}"
    return {
        "PK": {"S": f"CUSTOMER#{number}"},
        "SK": {"S": f"ORDER#{placed}"},
        "GSI1PK": {"S": "STATUS#OPEN" if day % 4 == 0 else "STATUS#SHIPPED"},
        "GSI1SK": {"S": placed},
        "total": {"N": str(100 - day)},
        "note": {"S": f"day {day}"},
    }


def key(item):
    return {"PK": item["PK"], "SK": item["SK"]}


def fill(client, name, customers=2, days=8):
    """Makes the table and puts everything in it, in one batch of at most 25 after another."""
    client.create_table(**schema(name))
    items = [customer(number) for number in range(1, customers + 1)]
    items += [order(number, day) for number in range(1, customers + 1) for day in range(1, days + 1)]
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[start:start + 25]]
        assert client.batch_write_item(RequestItems={name: puts})["UnprocessedItems"] == {}
    return items
