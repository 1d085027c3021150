"""PynamoDB: a shop in one table, written and queried through its models."""

from datetime import datetime, timezone

import pytest
from pynamodb.attributes import (
    BinaryAttribute, DiscriminatorAttribute, ListAttribute, MapAttribute, NumberAttribute, UnicodeAttribute,
    UnicodeSetAttribute, UTCDateTimeAttribute, VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import DeleteError, DoesNotExist, PutError, TransactWriteError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite


def day(number):
    return datetime(2026, 11, number, tzinfo=timezone.utc)


@pytest.fixture
def models(environment, name):
    """The shop's models on a table of their own."""

    class ByStatus(GlobalSecondaryIndex):
        class Meta:
            index_name = "GSI1"
            projection = AllProjection()

        status_key = UnicodeAttribute(hash_key=True, attr_name="GSI1PK")
        status_order = UnicodeAttribute(range_key=True, attr_name="GSI1SK")

    class Entity(Model):
        class Meta:
            table_name = name
            host = environment.url
            region = "eu-west-2"
            billing_mode = "PAY_PER_REQUEST"

        pk = UnicodeAttribute(hash_key=True, attr_name="PK")
        sk = UnicodeAttribute(range_key=True, attr_name="SK")
        kind = DiscriminatorAttribute()
        by_status = ByStatus()
        status_key = UnicodeAttribute(null=True, attr_name="GSI1PK")
        status_order = UnicodeAttribute(null=True, attr_name="GSI1SK")

    class Address(MapAttribute):
        street = UnicodeAttribute()
        city = UnicodeAttribute()

    class Customer(Entity, discriminator="CUSTOMER"):
        email = UnicodeAttribute()
        tags = UnicodeSetAttribute(null=True)
        photo = BinaryAttribute(null=True, legacy_encoding=False)
        addresses = ListAttribute(of=Address, null=True)
        version = VersionAttribute()

    class Order(Entity, discriminator="ORDER"):
        total = NumberAttribute()
        placed = UTCDateTimeAttribute()

        @classmethod
        def of(cls, customer, number, status="OPEN"):
            placed = day(number)
            return cls(
                f"CUSTOMER#{customer}", f"ORDER#{placed:%Y-%m-%d}", total=number * 1.5, placed=placed,
                status_key=f"STATUS#{status}", status_order=f"{placed:%Y-%m-%d}#{customer}",
            )

    Entity.Customer, Entity.Order, Entity.Address = Customer, Order, Address
    Entity.create_table(wait=True)
    return Entity


def customer(models, number, **others):
    return models.Customer(f"CUSTOMER#{number}", "PROFILE", email=f"c{number}@example.com", **others)


def test_an_item_is_made_read_changed_and_deleted(models):
    made = customer(
        models, 1, tags={"new", "gift"}, photo=b"\x00\xff",
        addresses=[models.Address(street="1 High Street", city="Leeds")],
    )
    made.save()
    found = models.Customer.get("CUSTOMER#1", "PROFILE", consistent_read=True)
    assert (found.email, found.tags, found.photo, found.version) == (
        "c1@example.com", {"new", "gift"}, b"\x00\xff", 1,
    )
    assert found.addresses[0].city == "Leeds"

    Customer = models.Customer
    found.update(
        actions=[
            Customer.email.set("new@example.com"),
            Customer.tags.delete({"gift"}),
            Customer.addresses.set(Customer.addresses.append([{"street": "2 Low Road", "city": "York"}])),
        ],
        condition=Customer.tags.contains("gift"),
    )
    assert (found.email, found.tags, found.version) == ("new@example.com", {"new"}, 2)
    assert [address.city for address in found.addresses] == ["Leeds", "York"]

    with pytest.raises(PutError) as stale:
        made.save()
    assert stale.value.cause_response_code == "ConditionalCheckFailedException"
    assert stale.value.cause_response_message == "The conditional request failed"
    with pytest.raises(DeleteError):
        made.delete()
    found.delete()
    with pytest.raises(DoesNotExist):
        Customer.get("CUSTOMER#1", "PROFILE")


def test_one_partition_and_one_index_are_queried(models):
    with models.batch_write() as batch:
        for number in (1, 2):
            batch.save(customer(models, number))
            for placed in range(1, 21):
                batch.save(models.Order.of(number, placed, "OPEN" if placed % 5 == 0 else "SHIPPED"))

    whole = list(models.query("CUSTOMER#1"))
    assert [type(entity).__name__ for entity in whole] == ["Order"] * 20 + ["Customer"]
    november = models.sk.between("ORDER#2026-11-03", "ORDER#2026-11-14")
    orders = models.Order.query("CUSTOMER#1", november, page_size=5, scan_index_forward=False)
    assert [order.placed for order in orders] == [day(number) for number in range(14, 2, -1)]
    dear = models.Order.query("CUSTOMER#1", models.sk.startswith("ORDER#"), models.Order.total >= 28.5)
    assert [order.total for order in dear] == [28.5, 30]

    pages = models.by_status.query("STATUS#OPEN", models.status_order >= "2026-11-10", page_size=2, limit=5)
    found = [(order.placed.day, order.pk) for order in pages]
    assert found == [(10, "CUSTOMER#1"), (10, "CUSTOMER#2"), (15, "CUSTOMER#1"), (15, "CUSTOMER#2"), (20, "CUSTOMER#1")]
    rest = models.by_status.query("STATUS#OPEN", last_evaluated_key=pages.last_evaluated_key)
    assert [(order.placed.day, order.pk) for order in rest] == [(20, "CUSTOMER#2")]
    assert models.by_status.count("STATUS#SHIPPED") == 32
    assert models.count("CUSTOMER#2") == 21

    keys = [("CUSTOMER#1", "PROFILE"), ("CUSTOMER#2", "ORDER#2026-11-20"), ("CUSTOMER#3", "PROFILE")]
    assert {entity.pk for entity in models.batch_get(keys)} == {"CUSTOMER#1", "CUSTOMER#2"}
    assert len(list(models.scan(models.Order.total < 3, page_size=7))) == 2
    assert len(list(models.scan(segment=0, total_segments=1))) == 42


def test_a_transaction_is_whole_or_not_at_all(models, environment):
    connection = Connection(region="eu-west-2", host=environment.url)
    with TransactWrite(connection=connection, client_request_token="first") as transaction:
        transaction.save(customer(models, 1))
        transaction.save(models.Order.of(1, 1))
    with pytest.raises(TransactWriteError) as cancelled:
        with TransactWrite(connection=connection) as transaction:
            transaction.save(models.Order.of(1, 2))
            transaction.condition_check(
                models.Customer, "CUSTOMER#2", "PROFILE", condition=models.Customer.email.exists()
            )
    assert [reason and reason.code for reason in cancelled.value.cancellation_reasons] == [
        "ConditionalCheckFailed", None,
    ], "this library sends its condition checks first"
    with TransactGet(connection=connection) as transaction:
        first = transaction.get(models.Order, "CUSTOMER#1", "ORDER#2026-11-01")
        second = transaction.get(models.Order, "CUSTOMER#1", "ORDER#2026-11-02")
    assert first.get().total == 1.5
    with pytest.raises(models.Order.DoesNotExist):
        second.get()


def test_the_table_goes(models):
    assert models.exists()
    assert models.describe_table()["TableStatus"] == "ACTIVE"
    models.delete_table()
    assert not models.exists()
