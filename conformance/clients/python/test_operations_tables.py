"""What is done with tables and their streams: each operation succeeds, with a table's name and with its ARN."""

import endpoints
import operations
import pytest

KEYS = {
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}
ON_DEMAND = {**KEYS, "BillingMode": "PAY_PER_REQUEST"}


@pytest.fixture(params=["name", "arn"])
def table(request, name):
    """What a table that isn't made yet will be called by."""
    return name if request.param == "name" else endpoints.arn(name)


def index(name, **others):
    return {
        "IndexName": name, "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"}, **others,
    }


@operations.takes("CreateTable", "DescribeTable", "ListTables", "UpdateTable", "DeleteTable")
def test_a_table_of_provisioned_units(client, table, name):
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    made = client.create_table(
        TableName=table, ProvisionedThroughput=units, Tags=[{"Key": "team", "Value": "shop"}],
        SSESpecification={"Enabled": True, "SSEType": "KMS"}, **KEYS,
    )["TableDescription"]
    assert made["TableName"] == name and made["TableArn"] == endpoints.arn(name)
    client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1})
    assert name in [found for page in client.get_paginator("list_tables").paginate() for found in page["TableNames"]]

    client.put_item(TableName=table, Item={"id": {"S": "a"}, "kind": {"S": "x"}})
    client.update_table(TableName=table, ProvisionedThroughput={**units, "ReadCapacityUnits": 8})
    both = [*KEYS["AttributeDefinitions"], {"AttributeName": "kind", "AttributeType": "S"}]
    client.update_table(
        TableName=table, AttributeDefinitions=both,
        GlobalSecondaryIndexUpdates=[{"Create": index("kind", ProvisionedThroughput=units)}],
    )
    described = operations.active(client, table)
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 8
    assert described["GlobalSecondaryIndexes"][0]["ItemCount"] == 1
    update = {"Update": {"IndexName": "kind", "ProvisionedThroughput": {**units, "WriteCapacityUnits": 9}}}
    client.update_table(TableName=table, GlobalSecondaryIndexUpdates=[update])
    [described] = operations.active(client, table)["GlobalSecondaryIndexes"]
    assert described["ProvisionedThroughput"]["WriteCapacityUnits"] == 9
    client.update_table(TableName=table, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "kind"}}])
    operations.until(
        lambda: client.describe_table(TableName=table)["Table"],
        lambda described: "GlobalSecondaryIndexes" not in described,
    )

    client.update_table(TableName=table, BillingMode="PAY_PER_REQUEST")
    assert operations.active(client, table)["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert client.delete_table(TableName=table)["TableDescription"]["TableStatus"] == "DELETING"
    client.get_waiter("table_not_exists").wait(TableName=table, WaiterConfig={"Delay": 1})


@operations.takes("CreateTable", "DescribeTable", "UpdateTable", "DeleteTable")
def test_protection_class_and_throughput(client, table):
    client.create_table(
        TableName=table, DeletionProtectionEnabled=True, TableClass="STANDARD_INFREQUENT_ACCESS",
        OnDemandThroughput={"MaxReadRequestUnits": 50, "MaxWriteRequestUnits": 40},
        WarmThroughput={"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000}, **ON_DEMAND,
    )
    described = operations.active(client, table)
    assert described["DeletionProtectionEnabled"] is True
    assert described["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert described["OnDemandThroughput"] == {"MaxReadRequestUnits": 50, "MaxWriteRequestUnits": 40}
    warm = {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000, "Status": "ACTIVE"}
    assert described["WarmThroughput"] == warm
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.delete_table(TableName=table)
    assert refused.value.response["Error"]["Code"] == "ValidationException"

    client.update_table(TableName=table, TableClass="STANDARD")
    assert operations.active(client, table)["TableClassSummary"]["TableClass"] == "STANDARD"
    client.update_table(TableName=table, OnDemandThroughput={"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 60})
    assert operations.active(client, table)["OnDemandThroughput"]["MaxWriteRequestUnits"] == 60
    client.update_table(TableName=table, WarmThroughput={"ReadUnitsPerSecond": 14000, "WriteUnitsPerSecond": 6000})
    assert operations.active(client, table)["WarmThroughput"]["ReadUnitsPerSecond"] == 14000
    client.update_table(TableName=table, DeletionProtectionEnabled=False)
    operations.active(client, table)
    client.delete_table(TableName=table)


@operations.takes("ListStreams", "DescribeStream", "GetShardIterator", "GetRecords", "UpdateTable")
def test_a_stream(client, streams, table, name):
    client.create_table(TableName=table, **ON_DEMAND)
    view = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    client.update_table(TableName=table, StreamSpecification=view)
    arn = operations.active(client, table)["LatestStreamArn"]
    client.put_item(TableName=table, Item={"id": {"S": "a"}, "n": {"N": "1"}})
    client.put_item(TableName=table, Item={"id": {"S": "a"}, "n": {"N": "1"}})
    client.put_item(TableName=table, Item={"id": {"S": "a"}, "n": {"N": "2"}})
    client.delete_item(TableName=table, Key={"id": {"S": "a"}})

    assert [stream["StreamArn"] for stream in streams.list_streams(TableName=name)["Streams"]] == [arn]
    described = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    assert described["StreamStatus"] == "ENABLED"
    [shard] = described["Shards"]
    children = {"Type": "CHILD_SHARDS", "ShardId": shard["ShardId"]}
    assert streams.describe_stream(StreamArn=arn, ShardFilter=children)["StreamDescription"]["Shards"] == []

    def records(kind, **where):
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind, **where
        )["ShardIterator"]
        return streams.get_records(ShardIterator=iterator)["Records"]

    everything = records("TRIM_HORIZON")
    assert [record["eventName"] for record in everything] == ["INSERT", "MODIFY", "REMOVE"]
    middle = everything[1]["dynamodb"]
    assert (middle["OldImage"]["n"], middle["NewImage"]["n"]) == ({"N": "1"}, {"N": "2"})
    number = middle["SequenceNumber"]
    assert records("AT_SEQUENCE_NUMBER", SequenceNumber=number) == everything[1:]
    assert records("AFTER_SEQUENCE_NUMBER", SequenceNumber=number) == everything[2:]
    assert records("AT_TIMESTAMP", Timestamp=everything[0]["dynamodb"]["ApproximateCreationDateTime"]) == everything
    assert records("LATEST") == []
    client.update_table(TableName=table, StreamSpecification={"StreamEnabled": False})
    assert streams.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"] == "DISABLED"
    client.delete_table(TableName=table)
