"""Streams, as boto3 and the AWS command line consume them."""

import json
import time

import endpoints
import pytest
import shop
from awscli.clidriver import create_clidriver
from botocore.exceptions import ClientError


def with_stream(client, name, view="NEW_AND_OLD_IMAGES"):
    """Makes the shop's table with a stream; returns the stream's ARN."""
    stream = {"StreamEnabled": True, "StreamViewType": view}
    client.create_table(**shop.schema(name), StreamSpecification=stream)
    table = client.describe_table(TableName=name)["Table"]
    assert table["StreamSpecification"] == stream
    assert table["LatestStreamArn"] == f"{endpoints.arn(name)}/stream/{table['LatestStreamLabel']}"
    return table["LatestStreamArn"]


def shards(streams, arn):
    """The ids of all shards, a page of one at a time."""
    found, start = [], {}
    while True:
        page = streams.describe_stream(StreamArn=arn, Limit=1, **start)["StreamDescription"]
        found += [shard["ShardId"] for shard in page["Shards"]]
        if "LastEvaluatedShardId" not in page:
            return found
        start = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}


def iterators(streams, arn, kind):
    return [
        streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType=kind)["ShardIterator"]
        for shard in shards(streams, arn)
    ]


def drained(streams, iterators, limit=1000):
    """What each iterator's shard has left, in order of sequence, and iterators to go on with."""
    records, following = [], []
    for iterator in iterators:
        while iterator:
            page = streams.get_records(ShardIterator=iterator, Limit=limit)
            assert len(page["Records"]) <= limit
            records += page["Records"]
            iterator = page.get("NextShardIterator")
            if not page["Records"]:
                break
        following += [iterator] if iterator else []
    return sorted(records, key=lambda record: int(record["dynamodb"]["SequenceNumber"])), following


def told(record):
    """The event, the sort key, and which images there are."""
    change = record["dynamodb"]
    return record["eventName"], change["Keys"]["SK"]["S"], "OldImage" in change, "NewImage" in change


def test_trim_horizon_tells_everything_from_the_first_write(client, streams, name):
    arn = with_stream(client, name)
    order, key = shop.order(1, 1), shop.key(shop.order(1, 1))
    started = time.time()
    client.put_item(TableName=name, Item=order)
    client.put_item(TableName=name, Item=order)
    client.update_item(
        TableName=name, Key=key, UpdateExpression="SET note = :n", ExpressionAttributeValues={":n": {"S": "new"}}
    )
    client.delete_item(TableName=name, Key=key)
    client.delete_item(TableName=name, Key=key)

    records, _ = drained(streams, iterators(streams, arn, "TRIM_HORIZON"), limit=2)
    assert [told(record) for record in records] == [
        ("INSERT", key["SK"]["S"], False, True),
        ("MODIFY", key["SK"]["S"], True, True),
        ("REMOVE", key["SK"]["S"], True, False),
    ], "what changes nothing is not told"
    changed = {**order, "note": {"S": "new"}}
    assert [record["dynamodb"].get("OldImage") for record in records] == [None, order, changed]
    assert [record["dynamodb"].get("NewImage") for record in records] == [order, changed, None]

    def size(item):
        """Names and values in bytes; a total of two digits takes two."""
        return sum(len(attribute) + (2 if "N" in value else len(value["S"])) for attribute, value in item.items())

    assert [record["dynamodb"]["SizeBytes"] for record in records] == [
        size(key) + size(order), size(key) + size(order) + size(changed), size(key) + size(changed),
    ]
    for record in records:
        assert (record["eventSource"], record["eventVersion"], record["awsRegion"]) == (
            "aws:dynamodb", "1.1", "eu-west-2",
        )
        assert len(record["eventID"]) == 32 and "userIdentity" not in record
        assert record["dynamodb"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
        assert 21 <= len(record["dynamodb"]["SequenceNumber"]) <= 40
        assert abs(record["dynamodb"]["ApproximateCreationDateTime"].timestamp() - started) < 60
    assert len({record["eventID"] for record in records}) == 3


def test_latest_tells_what_follows(client, streams, name):
    arn = with_stream(client, name)
    client.put_item(TableName=name, Item=shop.customer(1))
    latest = iterators(streams, arn, "LATEST")
    assert drained(streams, latest)[0] == []
    client.put_item(TableName=name, Item=shop.customer(2))
    records, latest = drained(streams, latest)
    assert [record["dynamodb"]["NewImage"] for record in records] == [shop.customer(2)]
    client.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": name, "Item": shop.order(2, 1)}},
            {"Delete": {"TableName": name, "Key": shop.key(shop.customer(2))}},
        ]
    )
    puts = [{"PutRequest": {"Item": shop.order(3, day)}} for day in range(1, 9)]
    client.batch_write_item(RequestItems={name: puts})
    records, latest = drained(streams, latest)
    assert sorted(record["eventName"] for record in records) == ["INSERT"] * 9 + ["REMOVE"]
    assert drained(streams, latest)[0] == []


def test_a_consumer_goes_on_where_it_was(client, streams, name):
    arn = with_stream(client, name, view="NEW_IMAGE")
    for day in range(1, 6):
        client.put_item(TableName=name, Item=shop.order(1, day))
    # The orders of one customer are in one shard.
    found = {}
    for shard in shards(streams, arn):
        start = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        records, _ = drained(streams, [start["ShardIterator"]])
        if records:
            found[shard] = records
    [(shard, records)] = found.items()
    third = records[2]["dynamodb"]["SequenceNumber"]
    for kind, rest in [("AT_SEQUENCE_NUMBER", records[2:]), ("AFTER_SEQUENCE_NUMBER", records[3:])]:
        start = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard, ShardIteratorType=kind, SequenceNumber=third
        )
        assert drained(streams, [start["ShardIterator"]])[0] == rest, kind


@pytest.mark.parametrize(
    ("view", "images"),
    [
        ("KEYS_ONLY", [(False, False)] * 3),
        ("NEW_IMAGE", [(False, True), (False, True), (False, False)]),
        ("OLD_IMAGE", [(False, False), (True, False), (True, False)]),
    ],
)
def test_a_view_has_its_images(client, streams, name, view, images):
    arn = with_stream(client, name, view)
    client.put_item(TableName=name, Item=shop.customer(1))
    client.put_item(TableName=name, Item={**shop.customer(1), "visits": {"N": "1"}})
    client.delete_item(TableName=name, Key=shop.key(shop.customer(1)))
    records, _ = drained(streams, iterators(streams, arn, "TRIM_HORIZON"))
    assert [told(record)[2:] for record in records] == images
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]


def test_a_stream_that_was_turned_off_can_still_be_read(client, streams, name):
    arn = with_stream(client, name)
    client.put_item(TableName=name, Item=shop.customer(1))
    client.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
    assert "StreamSpecification" not in client.describe_table(TableName=name)["Table"]
    client.put_item(TableName=name, Item=shop.customer(2))
    described = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    assert (described["StreamStatus"], described["TableName"]) == ("DISABLED", name)
    assert described["KeySchema"] == shop.schema(name)["KeySchema"]
    assert all("EndingSequenceNumber" in shard["SequenceNumberRange"] for shard in described["Shards"])
    records, following = drained(streams, iterators(streams, arn, "TRIM_HORIZON"), limit=1)
    assert [record["dynamodb"]["NewImage"] for record in records] == [shop.customer(1)]
    assert following == [], "a closed shard has an end"

    client.update_table(
        TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    )
    listed = streams.list_streams(TableName=name)["Streams"]
    assert {stream["StreamArn"] for stream in listed} > {arn} and len(listed) == 2
    with pytest.raises(ClientError) as refused:
        client.update_table(
            TableName=name, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        )
    assert refused.value.response["Error"]["Code"] == "ValidationException"
    with pytest.raises(streams.exceptions.ResourceNotFoundException):
        streams.describe_stream(StreamArn=f"{arn}9")


def test_the_command_line_reads_a_stream(client, environment, name, capsys):
    arn = with_stream(client, name)
    client.put_item(TableName=name, Item=shop.customer(1))

    def aws(operation, *words):
        code = create_clidriver().main(["dynamodbstreams", operation, *words])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return json.loads(out)

    assert aws("list-streams", "--table-name", name, "--query", "Streams[].StreamArn") == [arn]
    found = []
    ids = aws("describe-stream", "--stream-arn", arn, "--query", "StreamDescription.Shards[].ShardId")
    for kind in ("TRIM_HORIZON", "LATEST"):
        for shard in ids:
            start = aws(
                "get-shard-iterator", "--stream-arn", arn, "--shard-id", shard, "--shard-iterator-type", kind,
                "--query", "ShardIterator",
            )
            found += aws("get-records", "--shard-iterator", start)["Records"]
    [record] = found
    assert record["eventName"] == "INSERT"
    assert record["dynamodb"]["NewImage"] == shop.customer(1)
