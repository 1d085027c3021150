"""The service's weather as programs meet it: what boto3 retries by itself, and what they have to retry.

One endpoint of each kind, with a control address; each test sets the weather that it needs. Where something takes
time, the clock runs fast, so that nobody waits.
"""

import threading
import time
import uuid

import boto3
import endpoints
import pytest
from botocore.exceptions import ClientError

RETRYING = 8
SECOND = 1_000
HOUR = 3_600 * SECOND


@pytest.fixture(scope="module", params=["memory", "file", "tab"])
def outside(request, tmp_path_factory):
    make = {
        "memory": lambda: endpoints.memory("--control=0"),
        "file": lambda: endpoints.file(tmp_path_factory.mktemp("weather") / "weather.db", "--control=0"),
        "tab": lambda: endpoints.tab("memory", "--control=0"),
    }[request.param]
    with make() as running:
        yield running
    assert running.exit_code == 0


@pytest.fixture
def weather(outside):
    """Sets the weather; when the test is over the day is fine again and the clock as fast as the machine's."""
    yield lambda **settings: outside.ask("/weather", settings)
    outside.ask("/weather", {})
    outside.ask("/clock", {"rate": 1})


@pytest.fixture
def clock(outside, weather):
    return lambda **move: outside.ask("/clock", move)


@pytest.fixture
def happened(outside):
    return lambda what: outside.ask("/weather")["happened"][what]


def table(client, name, **more):
    more = more or {"BillingMode": "PAY_PER_REQUEST"}
    client.create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        **more,
    )
    return name


def provisioned(read, write):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


def item(key, **attributes):
    return {"id": {"S": key}, **attributes}


def retries(answer):
    return answer["ResponseMetadata"]["RetryAttempts"]


def code(error):
    return error.value.response["Error"]["Code"]


def until(true, what, seconds=30):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def test_throttled_writes_are_retried_until_there_are_units(outside, weather, clock, name):
    client = outside.client(RETRYING)
    table(client, name, **provisioned(100, 2))
    # Ten seconds pass in one, so that units come back while the SDK waits.
    clock(rate=10)
    weather(throttling=True)
    waited = 0
    for number in range(20):
        answer = client.put_item(TableName=name, Item=item(str(number)))
        waited += retries(answer)
    assert waited > 0, "twenty writes took more than the units of a second"
    assert client.scan(TableName=name, ConsistentRead=True)["Count"] == 20


def test_a_program_without_retries_is_told_what_was_exhausted(outside, weather, clock, name):
    client = outside.client()
    table(client, name, **provisioned(5, 1))
    clock(rate=0)
    weather(throttling=True)
    client.put_item(TableName=name, Item=item("a"))
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as refused:
        client.put_item(TableName=name, Item=item("b"))
    answer = refused.value.response
    assert answer["ThrottlingReasons"] == [
        {"reason": "TableWriteProvisionedThroughputExceeded", "resource": endpoints.arn(name)}
    ]
    assert answer["Error"]["Message"].startswith("The level of configured provisioned throughput for the table")


def test_retries_fail_by_a_clock_that_stands_and_succeed_when_it_goes_on(outside, weather, clock, name):
    client = outside.client(3)
    table(client, name, **provisioned(5, 1))
    clock(rate=0)
    weather(throttling=True)
    client.put_item(TableName=name, Item=item("a"))
    with pytest.raises(ClientError) as refused:
        client.put_item(TableName=name, Item=item("b"))
    assert code(refused) == "ProvisionedThroughputExceededException"
    assert retries(refused.value.response) == 2
    clock(advance=2 * SECOND)
    assert retries(client.put_item(TableName=name, Item=item("b"))) == 0
    clock(rate=100)
    assert retries(outside.client(RETRYING).put_item(TableName=name, Item=item("c"))) <= 2


def test_the_clock_takes_expiry_streams_and_tokens_along(outside, weather, clock, name):
    client = outside.client(RETRYING)
    streams = outside.client(RETRYING, "dynamodbstreams")
    stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
    table(client, name, BillingMode="PAY_PER_REQUEST", **stream)
    client.update_time_to_live(
        TableName=name, TimeToLiveSpecification={"AttributeName": "until", "Enabled": True}
    )
    # One answer in four is lost, and the SDK asks again: nothing here is done twice for it.
    weather(seed=3, errors=[{"error": "InternalServerError", "rate": 0.25}])
    now = clock(rate=0)["now"]
    client.put_item(TableName=name, Item=item("a", until={"N": str(now // SECOND + 3_600)}))
    token = str(uuid.uuid4())
    add = {
        "Update": {
            "TableName": name,
            "Key": item("count"),
            "UpdateExpression": "ADD hits :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
    }

    def hits():
        client.transact_write_items(TransactItems=[add], ClientRequestToken=token)
        return client.get_item(TableName=name, Key=item("count"), ConsistentRead=True)["Item"]["hits"]["N"]

    assert (hits(), hits()) == ("1", "1"), "a token is good for ten minutes"
    clock(advance=601 * SECOND)
    assert hits() == "2", "and then it is another request"
    clock(advance=HOUR)
    assert "Item" not in client.get_item(TableName=name, Key=item("a")), "it has expired"
    arn = client.describe_table(TableName=name)["Table"]["LatestStreamArn"]

    def records():
        shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        found = []
        for shard in shards:
            iterator = streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
            found += streams.get_records(ShardIterator=iterator)["Records"]
        return [record["eventName"] for record in found]

    assert records() == ["INSERT", "INSERT", "MODIFY", "REMOVE"]
    clock(advance=26 * HOUR)
    assert records() == [], "a day later they are trimmed"


def test_reads_are_behind_and_strong_ones_are_not(outside, weather, clock, happened, name):
    client = outside.client(RETRYING)
    table(client, name)
    # The SDK's retries go on beside the program's own: every third answer is an error.
    weather(seed=9, lag={"table": 2 * HOUR}, errors=[{"error": "ServiceUnavailable", "rate": 0.3}])
    clock(rate=0)
    client.put_item(TableName=name, Item=item("a"))

    def seen(**how):
        return "Item" in client.get_item(TableName=name, Key=item("a"), **how)

    assert seen(ConsistentRead=True)
    assert not any(seen() for _ in range(5))
    clock(rate=24 * 3_600)
    until(seen, "the write is never seen")
    assert happened("lagging") >= 5
    assert happened("errors") > 0


def test_a_batch_writer_sends_what_is_left_until_nothing_is(outside, weather, happened, name):
    client = outside.client(RETRYING)
    table(client, name)
    weather(seed=5, partialBatches=0.4)
    resource = boto3.resource(
        "dynamodb",
        endpoint_url=outside.url,
        region_name="eu-west-2",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )
    with resource.Table(name).batch_writer() as batch:
        for number in range(100):
            batch.put_item(Item={"id": f"k{number}"})
    assert happened("unprocessed") > 10
    wanted = {name: {"Keys": [item(f"k{number}") for number in range(100)]}}
    found, asked = [], 0
    while wanted:
        answer = client.batch_get_item(RequestItems=wanted)
        found += answer["Responses"].get(name, [])
        wanted = answer["UnprocessedKeys"]
        asked += 1
    assert len(found) == 100
    assert asked > 2


def test_a_throttled_batch_is_partial_and_retried_when_all_of_it_is(outside, weather, clock, name):
    client = outside.client(RETRYING)
    table(client, name, **provisioned(5, 5))
    clock(rate=20)
    weather(throttling=True)
    left = {name: [{"PutRequest": {"Item": item(f"k{number}")}} for number in range(25)]}
    sent = 0
    while left:
        left = client.batch_write_item(RequestItems=left)["UnprocessedItems"]
        sent += 1
    assert sent > 1
    weather()
    assert client.scan(TableName=name, ConsistentRead=True)["Count"] == 25


def test_writers_conflict_with_a_transaction_that_is_not_done(outside, weather, happened, name):
    client = outside.client(RETRYING)
    table(client, name)
    weather(conflicts={"hold": 1_500})
    put = {"Put": {"TableName": name, "Item": item("a", by={"S": "transaction"})}}
    token = str(uuid.uuid4())
    answers = []

    def transact():
        answer = outside.client(RETRYING).transact_write_items(TransactItems=[put], ClientRequestToken=token)
        answers.append(answer)

    first = threading.Thread(target=transact)
    first.start()
    until(lambda: "Item" in client.get_item(TableName=name, Key=item("a"), ConsistentRead=True), "nothing is written")

    with pytest.raises(client.exceptions.TransactionConflictException):
        client.put_item(TableName=name, Item=item("a"))
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=[put])
    assert [reason["Code"] for reason in cancelled.value.response["CancellationReasons"]] == ["TransactionConflict"]
    # The same request again is in progress, which the SDK waits for.
    again = client.transact_write_items(TransactItems=[put], ClientRequestToken=token)
    assert retries(again) > 0
    first.join()
    assert len(answers) == 1
    # What was refused is the program's to send again, and then it is taken.
    client.put_item(TableName=name, Item=item("a", by={"S": "writer"}))
    assert happened("conflicts") >= 3


def test_two_programs_count_together_by_trying_again(outside, weather, name):
    client = outside.client()
    table(client, name)
    weather(seed=2, conflicts={"hold": 20, "rate": 0.2})
    add = {
        "Update": {
            "TableName": name,
            "Key": item("count"),
            "UpdateExpression": "ADD hits :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
    }
    given_up = []

    def count():
        own = outside.client(RETRYING)
        for _ in range(10):
            while True:
                try:
                    own.transact_write_items(TransactItems=[add])
                    break
                except own.exceptions.TransactionCanceledException as cancelled:
                    assert cancelled.response["CancellationReasons"][0]["Code"] == "TransactionConflict"
                    given_up.append(cancelled)
                    time.sleep(0.01)

    programs = [threading.Thread(target=count) for _ in range(2)]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    answer = client.get_item(TableName=name, Key=item("count"), ConsistentRead=True)
    assert answer["Item"]["hits"]["N"] == "20", "each is counted once"
    assert given_up


def test_faults_are_retried_and_an_answer_that_is_lost_is_done_twice(outside, weather, name):
    client = outside.client(RETRYING)
    table(client, name)
    weather(errors=[{"error": "InternalServerError", "operation": "PutItem", "times": 2}])
    assert retries(client.put_item(TableName=name, Item=item("a"))) == 2
    lost = {"error": "InternalServerError", "operation": "UpdateItem", "key": "count", "after": True, "times": 1}
    weather(errors=[lost])
    answer = client.update_item(
        TableName=name,
        Key=item("count"),
        UpdateExpression="ADD hits :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
        ReturnValues="UPDATED_NEW",
    )
    assert retries(answer) == 1
    assert answer["Attributes"]["hits"]["N"] == "2", "an update that adds is not the same done twice"


def test_answers_take_their_time(outside, weather, name):
    client = outside.client()
    table(client, name)
    weather(latency={"min": 300})
    began = time.monotonic()
    client.get_item(TableName=name, Key=item("a"))
    assert time.monotonic() - began >= 0.3


def test_waiters_wait_for_a_table_that_takes_its_time(outside, weather, clock, name):
    client = outside.client(RETRYING)
    weather(lifecycle={"table": 30 * SECOND})
    clock(rate=60)
    patience = {"Delay": 0.1, "MaxAttempts": 100}
    table(client, name)
    assert client.describe_table(TableName=name)["Table"]["TableStatus"] == "CREATING"
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.put_item(TableName=name, Item=item("a"))
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=patience)
    client.put_item(TableName=name, Item=item("a"))
    client.delete_table(TableName=name)
    with pytest.raises(client.exceptions.ResourceInUseException):
        client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig=patience)
