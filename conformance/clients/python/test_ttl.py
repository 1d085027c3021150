"""Time to live, as boto3 and the AWS command line set it: items go when their time is past."""

import json
import time

import pytest
import shop
from awscli.clidriver import create_clidriver
from test_streams import drained, iterators, with_stream

WAIT_SECONDS_MAX = 30
YEAR_SECONDS = 365 * 24 * 3600


def until(true, what):
    end = time.monotonic() + WAIT_SECONDS_MAX
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def test_time_to_live_is_set_once_and_described(client, name):
    client.create_table(**shop.schema(name))
    describe = lambda: client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]  # noqa: E731
    assert describe() == {"TimeToLiveStatus": "DISABLED"}
    wanted = {"AttributeName": "expires", "Enabled": True}
    answer = client.update_time_to_live(TableName=name, TimeToLiveSpecification=wanted)
    assert answer["TimeToLiveSpecification"] == wanted
    until(lambda: describe() == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}, "it is never enabled")
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.update_time_to_live(TableName=name, TimeToLiveSpecification=wanted)
    assert refused.value.response["Error"] == {
        "Code": "ValidationException", "Message": "TimeToLive is already enabled",
    }


def test_an_item_goes_when_its_time_is_past(client, streams, environment, name, capsys):  # noqa: F811
    by_command = f"{name}-by-command"
    client.create_table(**shop.schema(by_command))
    arn = with_stream(client, name)
    client.update_time_to_live(
        TableName=name, TimeToLiveSpecification={"AttributeName": "expires", "Enabled": True}
    )

    def aws(operation, *words):
        assert create_clidriver().main(["dynamodb", operation, "--table-name", by_command, *words]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return json.loads(out) if out else None

    assert aws("update-time-to-live", "--time-to-live-specification", "Enabled=true,AttributeName=expires") == {
        "TimeToLiveSpecification": {"AttributeName": "expires", "Enabled": True}
    }
    now = int(time.time())
    past = {**shop.order(1, 1), "expires": {"N": str(now - 60)}}
    kept = [
        {**shop.order(1, 2), "expires": {"N": str(now + YEAR_SECONDS)}},
        {**shop.order(1, 3), "expires": {"N": str(now - 6 * YEAR_SECONDS)}},
        {**shop.order(1, 4), "expires": {"S": str(now - 60)}},
        shop.order(1, 5),
    ]
    aws("put-item", "--item", json.dumps(past))
    for item in [*kept, past]:
        client.put_item(TableName=name, Item=item)

    gone = lambda table: "Item" not in client.get_item(TableName=table, Key=shop.key(past))  # noqa: E731
    until(lambda: gone(name) and gone(by_command), f"an item is there {WAIT_SECONDS_MAX} s after its time")
    assert aws("scan")["Count"] == 0
    assert client.scan(TableName=name)["Items"] == kept
    assert client.scan(TableName=name, IndexName="GSI1")["Count"] == 4
    assert client.scan(TableName=name, IndexName="ByTotal")["Count"] == 4

    records, _ = drained(streams, iterators(streams, arn, "TRIM_HORIZON"))
    assert [record["eventName"] for record in records] == ["INSERT"] * 5 + ["REMOVE"]
    removal = records[-1]
    assert removal["userIdentity"] == {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
    assert removal["dynamodb"]["Keys"] == shop.key(past)
    assert removal["dynamodb"]["OldImage"] == past
    assert "NewImage" not in removal["dynamodb"]
    assert all("userIdentity" not in record for record in records[:-1])
