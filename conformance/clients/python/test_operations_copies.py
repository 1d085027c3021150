"""Backups, recovery, exports, imports and bulk puts: each operation succeeds.

The buckets of the endpoint on a file are a folder's; the others' are in memory, where an object comes to be with an
export alone. So what is imported here was exported before.
"""

import json

import endpoints
import operations
import pytest
import shop

# How the SDK's own waiters ask: their delay is a whole number of seconds.
OFTEN = {"Delay": 1, "MaxAttempts": 60}
ALL_TYPES = {
    "text": {"S": "a snowman ☃, \"quoted\\\""}, "number": {"N": "-12.5"}, "bytes": {"B": b"\x00\xff"},
    "yes": {"BOOL": True}, "nothing": {"NULL": True}, "texts": {"SS": ["a", "b"]}, "numbers": {"NS": ["1", "2.5"]},
    "blobs": {"BS": [b"a"]}, "list": {"L": [{"S": "x"}, {"M": {"deep": {"N": "1"}}}]}, "map": {"M": {}},
}


@pytest.fixture(params=["name", "arn"])
def table(request, client, name):
    """The shop with a customer and four orders, by its name or by its ARN."""
    shop.fill(client, name, customers=1, days=4)
    client.put_item(TableName=name, Item={**shop.order(1, 4), **ALL_TYPES})
    yield name if request.param == "name" else endpoints.arn(name)
    client.delete_table(TableName=name)


def contents(client, table):
    pages = client.get_paginator("scan").paginate(TableName=table)
    items = [item for page in pages for item in page["Items"]]
    for item in items:
        for value in item.values():
            for kind in {"SS", "NS", "BS"} & set(value):
                value[kind] = sorted(value[kind])
    return sorted(items, key=lambda item: item["SK"]["S"])


def recoverable(client, table):
    answer = client.update_continuous_backups(
        TableName=table,
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7},
    )["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert answer["PointInTimeRecoveryStatus"] == "ENABLED"
    return answer


@operations.takes("CreateBackup", "DescribeBackup", "ListBackups", "RestoreTableFromBackup", "DeleteBackup")
def test_a_backup_and_what_is_restored_from_it(client, table, name):
    arn = client.create_backup(TableName=table, BackupName="before")["BackupDetails"]["BackupArn"]
    before = contents(client, table)
    client.delete_item(TableName=table, Key=shop.key(shop.customer(1)))
    described = operations.until(
        lambda: client.describe_backup(BackupArn=arn)["BackupDescription"],
        lambda described: described["BackupDetails"]["BackupStatus"] == "AVAILABLE",
    )
    assert described["SourceTableDetails"]["ItemCount"] == 5
    for asked in ({"TableName": table}, {"BackupType": "USER"}):
        pages = client.get_paginator("list_backups").paginate(**asked)
        assert arn in [backup["BackupArn"] for page in pages for backup in page["BackupSummaries"]]

    again = f"{name}.again"
    begun = client.restore_table_from_backup(
        TargetTableName=again, BackupArn=arn, BillingModeOverride="PAY_PER_REQUEST",
        GlobalSecondaryIndexOverride=[],
    )["TableDescription"]
    assert begun["RestoreSummary"]["SourceBackupArn"] == arn
    assert "GlobalSecondaryIndexes" not in operations.active(client, again)
    assert contents(client, again) == before
    assert client.delete_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "DELETED"
    with pytest.raises(client.exceptions.BackupNotFoundException):
        client.describe_backup(BackupArn=arn)
    client.delete_table(TableName=again)


@operations.takes("DescribeContinuousBackups", "UpdateContinuousBackups", "RestoreTableToPointInTime")
def test_recovery_to_a_point_in_time(client, table, name):
    recoverable(client, table)
    told = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    reach = told["PointInTimeRecoveryDescription"]
    assert reach["RecoveryPeriodInDays"] == 7
    before = contents(client, table)
    source = {"SourceTableArn" if table != name else "SourceTableName": table}
    for number, moment in enumerate(
        [{"UseLatestRestorableTime": True}, {"RestoreDateTime": reach["EarliestRestorableDateTime"]}]
    ):
        again = f"{name}.{number}"
        begun = client.restore_table_to_point_in_time(**source, TargetTableName=again, **moment)["TableDescription"]
        assert begun["RestoreSummary"]["SourceTableArn"] == endpoints.arn(name)
        operations.active(client, again)
        assert contents(client, again) == before
        client.delete_table(TableName=again)
    client.update_continuous_backups(
        TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
    )


def exported(client, name, **asked):
    """Exports the table of the name, and gives the export's description once it is complete."""
    begun = client.export_table_to_point_in_time(
        TableArn=endpoints.arn(name), S3Bucket="exports", S3Prefix=name, **asked
    )["ExportDescription"]
    client.get_waiter("export_completed").wait(ExportArn=begun["ExportArn"], WaiterConfig=OFTEN)
    return client.describe_export(ExportArn=begun["ExportArn"])["ExportDescription"]


def data(export):
    """The prefix of the export's objects with items."""
    return export["ExportManifest"].removesuffix("manifest-summary.json") + "data/"


def imported(client, name, prefix, bucket="exports", **asked):
    """Imports what lies under the prefix into a new table; gives the import's description once it is complete."""
    schema = {key: shop.schema(name)[key] for key in ("KeySchema", "BillingMode")}
    defined = [{"AttributeName": attribute, "AttributeType": "S"} for attribute in ("PK", "SK")]
    parameters = {"TableName": name, "AttributeDefinitions": defined, **schema}
    arn = client.import_table(
        S3BucketSource={"S3Bucket": bucket, "S3KeyPrefix": prefix},
        **{"TableCreationParameters": parameters, **asked},
    )["ImportTableDescription"]["ImportArn"]
    client.get_waiter("import_completed").wait(ImportArn=arn, WaiterConfig=OFTEN)
    return client.describe_import(ImportArn=arn)["ImportTableDescription"]


@pytest.fixture(scope="session")
def bucket(endpoint):
    """The folder that is the bucket `exports`, where buckets are folders."""
    if not endpoint.buckets:
        return None
    folder = endpoint.buckets / "exports"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
@operations.takes(
    "ExportTableToPointInTime", "DescribeExport", "ListExports", "ImportTable", "DescribeImport", "ListImports"
)
def test_what_was_exported_is_imported(client, bucket, table, name, format):
    recoverable(client, table)
    export = exported(client, name, ExportFormat=format)
    assert export["ItemCount"] == 5
    listed = client.list_exports(TableArn=endpoints.arn(name))["ExportSummaries"]
    assert [found["ExportArn"] for found in listed] == [export["ExportArn"]]
    if bucket:
        summary = json.loads((bucket / export["ExportManifest"]).read_text())
        assert summary["itemCount"] == 5 and summary["outputFormat"] == format

    again = f"{name}.again"
    done = imported(client, again, data(export), InputFormat=format, InputCompressionType="GZIP")
    assert (done["ImportStatus"], done["ImportedItemCount"], done["ErrorCount"]) == ("COMPLETED", 5, 0), done
    assert contents(client, again) == contents(client, table)
    listed = client.list_imports(TableArn=endpoints.arn(again))["ImportSummaryList"]
    assert [found["ImportArn"] for found in listed] == [done["ImportArn"]]
    client.delete_table(TableName=again)


@operations.takes("ExportTableToPointInTime", "ImportTable")
def test_a_filtered_export(client, bucket, table, name):
    recoverable(client, table)
    export = exported(
        client, name,
        FilterSpecification={
            "KeyConditionExpression": "PK = :pk AND begins_with(SK, :sk)", "FilterExpression": "#t > :t",
            "ProjectionExpression": "PK, SK, #t", "ExpressionAttributeNames": {"#t": "total"},
            "ExpressionAttributeValues": {":pk": {"S": "CUSTOMER#1"}, ":sk": {"S": "ORDER#"}, ":t": {"N": "97"}},
        },
    )
    again = f"{name}.again"
    imported(client, again, data(export), InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP")
    orders = [shop.order(1, day) for day in (1, 2)]
    assert contents(client, again) == [{**shop.key(order), "total": order["total"]} for order in orders]
    client.delete_table(TableName=again)


CSV = {"InputFormat": "CSV", "InputFormatOptions": {"Csv": {"Delimiter": ";"}}}


@operations.takes("ImportTable", "DescribeImport")
def test_csv(client, bucket, table, name):
    again = f"{name}.csv"
    if bucket:
        (bucket / "csv").mkdir(exist_ok=True)
        (bucket / "csv" / name).write_text('PK;SK;note\na;1;"x; y"\nb;2;z\n')
        done = imported(client, again, f"csv/{name}", **CSV)
        wanted = [("a", "1", "x; y"), ("b", "2", "z")]
        rows = [{"PK": {"S": pk}, "SK": {"S": sk}, "note": {"S": note}} for pk, sk, note in wanted]
    else:
        # A line of an export in Ion is a field of CSV, and its parts after each space are more of them.
        recoverable(client, table)
        key = {"KeyConditionExpression": "PK = :pk AND SK = :sk", "ProjectionExpression": "PK"}
        values = {"ExpressionAttributeValues": {":pk": {"S": "CUSTOMER#1"}, ":sk": {"S": "PROFILE"}}}
        export = exported(client, name, ExportFormat="ION", FilterSpecification={**key, **values})
        options = {"InputFormatOptions": {"Csv": {"Delimiter": " ", "HeaderList": ["PK", "SK"]}}}
        done = imported(client, again, data(export), **{**CSV, **options}, InputCompressionType="GZIP")
        rows = [{"PK": {"S": "$ion_1_0"}, "SK": {"S": '{Item:{PK:"CUSTOMER#1"}}'}}]
    assert (done["ImportStatus"], done["ImportedItemCount"]) == ("COMPLETED", len(rows)), done
    assert contents(client, again) == rows
    client.delete_table(TableName=again)


@operations.takes("StartBulkPutItems", "DescribeBulkOperation", "ListBulkOperations", "CancelBulkOperation")
def test_a_bulk_put(client, bucket, table, name):
    recoverable(client, table)
    export = exported(client, name)
    before = contents(client, table)
    for item in before:
        client.delete_item(TableName=table, Key=shop.key(item))

    def start(token):
        source = {
            "S3Bucket": "exports", "S3KeyPrefix": data(export), "InputFormat": "DYNAMODB_JSON",
            "InputCompressionType": "GZIP",
        }
        report = {"S3Bucket": "exports", "S3KeyPrefix": f"{name}/reports", "OutputType": ["ERROR"]}
        return client.start_bulk_put_items(
            TableName=table, ClientToken=token, InputS3Configuration=source, OutputS3Configuration=report,
        )["BulkOperationDescription"]["BulkOperationArn"]

    first = start(f"{name}-1")
    assert start(f"{name}-1") == first, "a token begins one"
    client.get_waiter("bulk_operation_completed").wait(BulkOperationArn=first, WaiterConfig=OFTEN)
    done = client.describe_bulk_operation(BulkOperationArn=first)["BulkOperationDescription"]
    assert (done["BulkOperationStatus"], done["ProcessedItemCount"]) == ("COMPLETED", 5), done
    assert contents(client, table) == before
    pages = client.get_paginator("list_bulk_operations").paginate(PaginationConfig={"PageSize": 1})
    assert first in [found["BulkOperationArn"] for page in pages for found in page["BulkOperationsSummaryList"]]

    second = start(f"{name}-2")
    assert client.cancel_bulk_operation(BulkOperationArn=second)["BulkOperationArn"] == second
    operations.until(
        lambda: client.describe_bulk_operation(BulkOperationArn=second)["BulkOperationDescription"],
        lambda described: described["BulkOperationStatus"] in ("CANCELLED", "COMPLETED"),
    )
