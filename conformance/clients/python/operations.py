"""What a test promises of the service's operations, and how it waits for what takes its time.

`@operations.takes("PutItem", …)` says that the test takes the success path of each, and
`@operations.refuses(CreateGlobalTable="ValidationException")` that it calls one which current accounts can't use.
The fixture `promises` holds every test to what it says, and test_operations.py looks for what no test says.
"""

import time

import pytest


def takes(*names):
    return pytest.mark.takes(*names)


def refuses(**errors):
    return pytest.mark.refuses(**errors)


def promised(*modules):
    """The operations that tests of these modules promise to call."""
    marks = [
        mark
        for module in modules
        for function in vars(module).values()
        for mark in getattr(function, "pytestmark", [])
        if mark.name in ("takes", "refuses")
    ]
    return {name for mark in marks for name in (*mark.args, *mark.kwargs)}


class Outcomes:
    """What was answered to each operation: error codes, and None for success."""

    def __init__(self):
        self.seen = {}

    def note(self, parsed, model, **_):
        self.seen.setdefault(model.name, []).append(parsed.get("Error", {}).get("Code"))


def until(ask, holds, seconds=60):
    """Asks until the answer is as it should be, and gives it."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if holds(answer):
            return answer
        assert time.monotonic() < end, f"after {seconds} s it is still {answer}"
        time.sleep(0.02)


def active(client, table):
    """The table's description, once the table and its indexes are there."""

    def holds(answer):
        described = answer["Table"]
        indexes = described.get("GlobalSecondaryIndexes", []) + described.get("VectorIndexes", [])
        states = [described["TableStatus"], *(index["IndexStatus"] for index in indexes)]
        return set(states) == {"ACTIVE"}

    return until(lambda: client.describe_table(TableName=table), holds)["Table"]
