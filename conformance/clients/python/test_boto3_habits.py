"""What boto3 does beside the requests: its resources, waiters, ways to find the endpoint, retries, sessions."""

from decimal import Decimal

import boto3
import endpoints
import pytest
import shop
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.config import Config
from botocore.exceptions import ClientError, WaiterError


def made(endpoint, **config):
    return boto3.client(
        "dynamodb", endpoint_url=endpoint.url, region_name="eu-west-2",
        aws_access_key_id="any", aws_secret_access_key="any", config=Config(**config),
    )


def test_a_resource_speaks_in_values(resource, name):
    table = resource.create_table(**shop.schema(name))
    assert table.table_status == "CREATING"
    table.wait_until_exists()
    table.reload()
    assert table.table_status == "ACTIVE" and table.item_count == 0
    with table.batch_writer(overwrite_by_pkeys=["PK", "SK"]) as batch:
        for number in range(60):
            batch.put_item(Item={"PK": "CART", "SK": f"{number % 30:02}", "total": Decimal(number)})
    values = {
        "PK": "CUSTOMER#1", "SK": "PROFILE", "balance": Decimal("-1.50"), "photo": Binary(b"\x00\xff"),
        "tags": {"new", "gift"}, "scores": {Decimal(1), Decimal("2.5")}, "keys": {Binary(b"a"), Binary(b"b")},
        "active": True, "deleted": None, "history": [1, "two", {"three": [3]}],
    }
    table.put_item(Item=values)
    assert table.get_item(Key={"PK": "CUSTOMER#1", "SK": "PROFILE"})["Item"] == values

    cart = table.query(
        KeyConditionExpression=Key("PK").eq("CART") & Key("SK").between("05", "14"),
        FilterExpression=Attr("total").gte(40) & ~Attr("total").is_in([42, 43]) & Attr("photo").not_exists(),
        ScanIndexForward=False,
    )
    assert [int(item["total"]) for item in cart["Items"]] == [44, 41, 40]
    assert (cart["Count"], cart["ScannedCount"]) == (3, 10)

    updated = table.update_item(
        Key={"PK": "CUSTOMER#1", "SK": "PROFILE"},
        UpdateExpression="SET history[0] = :n, #d = if_not_exists(nothing, :n) DELETE tags :gift",
        ConditionExpression=Attr("tags").contains("gift") & Attr("photo").eq(Binary(b"\x00\xff")),
        ExpressionAttributeNames={"#d": "deleted"},
        ExpressionAttributeValues={":n": Decimal("7"), ":gift": {"gift"}},
        ReturnValues="ALL_NEW",
    )["Attributes"]
    assert updated == {**values, "history": [7, "two", {"three": [3]}], "deleted": 7, "tags": {"new"}}
    read = resource.batch_get_item(
        RequestItems={name: {"Keys": [{"PK": "CART", "SK": "01"}, {"PK": "CART", "SK": "99"}]}}
    )
    assert read["Responses"][name] == [{"PK": "CART", "SK": "01", "total": 31}]
    table.delete()
    table.wait_until_not_exists()
    assert name not in [table.name for table in resource.tables.all()]


def test_waiters_end_when_they_should(client, name):
    quick = {"Delay": 1, "MaxAttempts": 1}
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig=quick)
    with pytest.raises(WaiterError, match="Max attempts exceeded"):
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=quick)
    client.create_table(**shop.schema(name))
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=quick)
    with pytest.raises(WaiterError, match="Max attempts exceeded"):
        client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig=quick)


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"])
def test_the_endpoint_is_found_in_the_environment(environment, monkeypatch, name, variable):
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.setenv(variable, environment.url)
    client = boto3.client("dynamodb")
    assert client.meta.endpoint_url == environment.url
    created = client.create_table(**shop.schema(name))["TableDescription"]
    assert created["TableArn"] == endpoints.arn(name)


@pytest.mark.parametrize(
    "said", ["endpoint_url = {url}\n", "services = here\n[services here]\ndynamodb =\n  endpoint_url = {url}\n"]
)
def test_the_endpoint_is_found_in_a_profile(environment, monkeypatch, tmp_path, name, said):
    for variable in ("AWS_ENDPOINT_URL", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(variable)
    (tmp_path / "config").write_text(
        "[profile local]\nregion = ap-south-1\naws_access_key_id = any\naws_secret_access_key = any\n"
        + said.format(url=environment.url)
    )
    client = boto3.Session(profile_name="local").client("dynamodb")
    created = client.create_table(**shop.schema(name))["TableDescription"]
    assert created["TableArn"] == endpoints.arn(name, region="ap-south-1")


@pytest.mark.parametrize("mode", ["preferred", "disabled", "required"])
def test_account_endpoints_give_way_to_a_stated_endpoint(endpoint, mode):
    client = boto3.client(
        "dynamodb", endpoint_url=endpoint.url, region_name="eu-west-2", aws_access_key_id="any",
        aws_secret_access_key="any", aws_account_id="123456789012", config=Config(account_id_endpoint_mode=mode),
    )
    assert client.describe_limits()["TableMaxReadCapacityUnits"] == 40000


@pytest.mark.parametrize("mode", ["legacy", "standard", "adaptive"])
def test_no_kind_of_retry_repeats_what_was_refused(endpoint, mode):
    client = made(endpoint, retries={"mode": mode, "max_attempts": 5})
    with pytest.raises(ClientError) as refused:
        client.describe_table(TableName="Nowhere")
    assert refused.value.response["Error"] == {
        "Code": "ResourceNotFoundException",
        "Message": "Requested resource not found: Table: Nowhere not found",
    }
    assert refused.value.response["ResponseMetadata"]["RetryAttempts"] == 0
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_answers_bear_a_request_id_and_their_checksum(endpoint):
    # Retries of the legacy kind check each answer's CRC-32, and ask again if it is wrong.
    client = made(endpoint, retries={"mode": "legacy"})
    answer = client.list_tables(Limit=1)["ResponseMetadata"]
    assert answer["RetryAttempts"] == 0
    assert len(answer["RequestId"]) == 52 and answer["RequestId"].isalnum()
    assert answer["HTTPHeaders"]["x-amz-crc32"].isdigit()
    assert answer["HTTPHeaders"]["content-type"] == "application/x-amz-json-1.0"


def test_one_connection_serves_many_requests(endpoint):
    client = made(endpoint, max_pool_connections=1, tcp_keepalive=True)
    seen = []
    client.meta.events.register("before-send.dynamodb.*", lambda request, **_: seen.append(request.url))
    for _ in range(50):
        client.list_tables(Limit=1)
    [pool] = client._endpoint.http_session._manager.pools._container.values()
    assert len(seen) == 50
    assert (pool.num_connections, pool.num_requests) == (1, 50)


def test_a_client_with_compression_on_is_answered(endpoint, name):
    client = made(endpoint, request_min_compression_size_bytes=1, disable_request_compression=False)
    client.create_table(**shop.schema(name))
    item = {**shop.customer(1), "body": {"S": "x" * 20_000}}
    client.put_item(TableName=name, Item=item)
    assert client.get_item(TableName=name, Key=shop.key(item))["Item"] == item


def test_a_session_token_is_no_hindrance(endpoint):
    client = boto3.client(
        "dynamodb", endpoint_url=endpoint.url, region_name="us-gov-west-1", aws_access_key_id="any",
        aws_secret_access_key="any", aws_session_token="token",
    )
    assert client.describe_endpoints()["Endpoints"] == [
        {"Address": "dynamodb.us-gov-west-1.amazonaws.com", "CachePeriodInMinutes": 1440}
    ]
