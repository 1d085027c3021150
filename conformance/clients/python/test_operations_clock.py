"""What needs time to pass: recovery to a second of the past, and an export of what changed in between."""

import contextlib
import time

import endpoints
import operations
import pytest
from test_operations_copies import contents, data, exported, imported, recoverable

MINUTE = 60_000
NEW = {"ExportType": "INCREMENTAL_EXPORT", "ExportFormat": "DYNAMODB_JSON"}


@pytest.fixture(params=["memory", "file", "tab"])
def moved(request, tmp_path):
    """An endpoint whose clock can be moved."""
    make = {
        "memory": lambda: endpoints.memory("--control=0"),
        "file": lambda: endpoints.file(tmp_path / "clock.db", "--control=0"),
        "tab": lambda: endpoints.tab("memory", "--control=0"),
    }[request.param]
    with make() as running:
        yield running


def orders(client, name):
    """A table, and a way to put an order into it."""
    key = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]
    defined = [{"AttributeName": attribute, "AttributeType": "S"} for attribute in ("PK", "SK")]
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key, AttributeDefinitions=defined
    )
    return lambda number, note: client.put_item(
        TableName=name, Item={"PK": {"S": "c"}, "SK": {"S": number}, "note": {"S": note}}
    )


def test_recovery_to_the_second_and_an_incremental_export(moved):
    client = moved.client()
    put = orders(client, "Orders")
    put("1", "old")
    recoverable(client, "Orders")
    moved.ask("/clock", {"advance": 2 * MINUTE})
    put("1", "new")
    put("2", "new")
    changed = contents(client, "Orders")
    moment = moved.ask("/clock", {"advance": 1 * MINUTE})["now"] / 1000
    put("3", "late")
    client.delete_item(TableName="Orders", Key={"PK": {"S": "c"}, "SK": {"S": "1"}})
    now = moved.ask("/clock", {"advance": 20 * MINUTE})["now"] / 1000

    client.restore_table_to_point_in_time(
        SourceTableName="Orders", TargetTableName="Again", RestoreDateTime=int(moment)
    )
    operations.active(client, "Again")
    assert contents(client, "Again") == changed

    window = {"ExportFromTime": moment - 90, "ExportToTime": moment - 90 + 15 * 60, "ExportViewType": "NEW_IMAGE"}
    export = exported(client, "Orders", **NEW, IncrementalExportSpecification=window)
    assert export["ItemCount"] == 3
    window = {"ExportFromTime": now - 16 * 60, "ExportToTime": now, "ExportViewType": "NEW_AND_OLD_IMAGES"}
    export = exported(client, "Orders", **NEW, IncrementalExportSpecification=window)
    assert export["ItemCount"] == 0
