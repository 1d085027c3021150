"""All other operations are called once, and none of botocore's models is left out."""

import json
import sys

import boto3
import botocore.session
import endpoints
import operations
import pytest
import test_operations_copies
import test_operations_items
import test_operations_tables
from test_operations_tables import ON_DEMAND


@pytest.fixture
def table(client, name):
    client.create_table(TableName=name, **ON_DEMAND)
    return name


def test_none_is_left_out():
    """Where a new botocore knows more, this says what."""
    known = {
        operation
        for service in ("dynamodb", "dynamodbstreams")
        for operation in botocore.session.get_session().get_service_model(service).operation_names
    }
    called = operations.promised(
        test_operations_copies, test_operations_items, test_operations_tables, sys.modules[__name__]
    )
    assert sorted(known - called) == []
    assert sorted(called - known) == []


@operations.takes("DescribeLimits", "DescribeEndpoints")
def test_limits_and_endpoints(client):
    assert client.describe_limits()["TableMaxReadCapacityUnits"] == 40_000
    [found] = client.describe_endpoints()["Endpoints"]
    assert found["CachePeriodInMinutes"] > 0


@operations.takes("TagResource", "UntagResource", "ListTagsOfResource")
def test_tags(client, table):
    arn = endpoints.arn(table)
    client.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "shop"}, {"Key": "stage", "Value": "test"}])
    client.untag_resource(ResourceArn=arn, TagKeys=["stage"])
    pages = client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
    assert [tag for page in pages for tag in page["Tags"]] == [{"Key": "team", "Value": "shop"}]


@operations.takes("UpdateTimeToLive", "DescribeTimeToLive")
def test_time_to_live(client, table):
    arn = endpoints.arn(table)
    client.update_time_to_live(TableName=arn, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
    described = client.describe_time_to_live(TableName=arn)["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"}


@operations.takes("UpdateContributorInsights", "DescribeContributorInsights", "ListContributorInsights")
def test_contributor_insights(client, table):
    client.update_contributor_insights(
        TableName=table, ContributorInsightsAction="ENABLE", ContributorInsightsMode="ACCESSED_AND_THROTTLED_KEYS"
    )
    client.get_waiter("contributor_insights_enabled").wait(TableName=table, WaiterConfig={"Delay": 1})
    assert client.describe_contributor_insights(TableName=table)["ContributorInsightsStatus"] == "ENABLED"
    [summary] = client.list_contributor_insights(TableName=table)["ContributorInsightsSummaries"]
    assert summary["TableName"] == table


@operations.takes("PutResourcePolicy", "GetResourcePolicy", "DeleteResourcePolicy")
def test_resource_policies(client, table):
    arn = endpoints.arn(table)
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{endpoints.ACCOUNT}:root"},
                "Action": "dynamodb:GetItem", "Resource": arn,
            }
        ],
    }
    revision = client.put_resource_policy(ResourceArn=arn, Policy=json.dumps(policy))["RevisionId"]
    found = client.get_resource_policy(ResourceArn=arn)
    assert found["RevisionId"] == revision
    assert json.loads(found["Policy"])["Statement"][0]["Action"] == "dynamodb:GetItem"
    client.delete_resource_policy(ResourceArn=arn, ExpectedRevisionId=revision)
    with pytest.raises(client.exceptions.PolicyNotFoundException):
        client.get_resource_policy(ResourceArn=arn)


@operations.takes(
    "EnableKinesisStreamingDestination", "UpdateKinesisStreamingDestination",
    "DescribeKinesisStreamingDestination", "DisableKinesisStreamingDestination",
)
def test_kinesis_destinations(client, table):
    stream = {
        "TableName": table, "StreamArn": f"arn:aws:kinesis:eu-west-2:{endpoints.ACCOUNT}:stream/{table.lower()}"
    }

    def becomes(status):
        [found] = operations.until(
            lambda: client.describe_kinesis_streaming_destination(TableName=table)["KinesisDataStreamDestinations"],
            lambda found: found[0]["DestinationStatus"] == status,
        )
        return found

    client.enable_kinesis_streaming_destination(**stream)
    client.get_waiter("kinesis_streaming_destination_active").wait(TableName=table, WaiterConfig={"Delay": 1})
    finer = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    client.update_kinesis_streaming_destination(**stream, UpdateKinesisStreamingConfiguration=finer)
    assert becomes("ACTIVE")["ApproximateCreationDateTimePrecision"] == "MICROSECOND"
    client.disable_kinesis_streaming_destination(**stream)
    becomes("DISABLED")


@operations.takes("UpdateTable", "DescribeTableReplicaAutoScaling", "UpdateTableReplicaAutoScaling")
def test_a_global_table(endpoint, client, table):
    client.update_table(TableName=table, ReplicaUpdates=[{"Create": {"RegionName": "us-east-1"}}])
    operations.until(
        lambda: client.describe_table(TableName=table)["Table"],
        lambda described: [replica["ReplicaStatus"] for replica in described.get("Replicas", [])] == ["ACTIVE"],
    )
    away = boto3.client(
        "dynamodb", endpoint_url=endpoint.url, region_name="us-east-1", aws_access_key_id="any",
        aws_secret_access_key="any",
    )
    client.put_item(TableName=table, Item={"id": {"S": "here"}})
    operations.until(lambda: away.get_item(TableName=table, Key={"id": {"S": "here"}}), lambda got: "Item" in got)
    away.put_item(TableName=table, Item={"id": {"S": "there"}})
    operations.until(lambda: client.get_item(TableName=table, Key={"id": {"S": "there"}}), lambda got: "Item" in got)

    described = client.describe_table_replica_auto_scaling(TableName=table)["TableAutoScalingDescription"]
    assert len(described["Replicas"]) == 2
    client.update_table_replica_auto_scaling(
        TableName=table, ProvisionedWriteCapacityAutoScalingUpdate={"AutoScalingDisabled": True}
    )


@operations.takes("ListGlobalTables")
@operations.refuses(
    CreateGlobalTable="ValidationException", UpdateGlobalTable="ValidationException",
    DescribeGlobalTable="GlobalTableNotFoundException", DescribeGlobalTableSettings="GlobalTableNotFoundException",
    UpdateGlobalTableSettings="GlobalTableNotFoundException",
)
def test_global_tables_of_2017(client, table):
    """Current accounts can have none of them, so that the service refuses all but their list."""
    assert client.list_global_tables()["GlobalTables"] == []
    group = [{"RegionName": "eu-west-2"}, {"RegionName": "us-east-1"}]
    for operation, request in {
        "create_global_table": {"ReplicationGroup": group},
        "update_global_table": {"ReplicaUpdates": [{"Create": {"RegionName": "us-east-1"}}]},
        "describe_global_table": {},
        "describe_global_table_settings": {},
        "update_global_table_settings": {"GlobalTableBillingMode": "PAY_PER_REQUEST"},
    }.items():
        with pytest.raises(client.exceptions.ClientError):
            getattr(client, operation)(GlobalTableName=table, **request)
