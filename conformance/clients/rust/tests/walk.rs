//! What programs do with DynamoDB, from creating a table to giving up a transaction.

mod tables;

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Get, KeysAndAttributes, Put, PutRequest, ReturnValue,
    ReturnValuesOnConditionCheckFailure, TableStatus, TransactGetItem, TransactWriteItem, Update,
    WriteRequest,
};
use keyplan_clients_rust::{Clients, Outcome, both_ways};
use tables::{create_orders, n, order, s};

both_ways! {
    a_table_with_indexes_is_made_described_and_deleted
    values_of_all_types_come_back_as_they_were
    pages_follow_one_another
    an_update_returns_what_it_is_asked_for
    a_failed_condition_hands_back_the_item
    batches_are_finished_by_sending_what_was_left
    a_transaction_says_why_it_was_given_up
    a_transaction_reads_items_together
    errors_of_the_service_have_their_type_and_text
}

async fn a_table_with_indexes_is_made_described_and_deleted(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    create_orders(&client, "Walk.Tables").await?;
    let described = client.describe_table().table_name("Walk.Tables").send().await?;
    let table = described.table().ok_or("no table")?;
    assert_eq!(table.table_status(), Some(&TableStatus::Active));
    assert_eq!(table.global_secondary_indexes().len(), 1);
    assert_eq!(table.local_secondary_indexes().len(), 1);
    let listed = client.list_tables().send().await?;
    assert!(listed.table_names().iter().any(|name| name == "Walk.Tables"));

    for number in 0..4 {
        client.put_item().table_name("Walk.Tables").set_item(Some(order("c", number))).send().await?;
    }
    for (index, condition, count) in
        [("ByState", "#a = :open", 2), ("ByAmount", "customer = :c AND #a >= :twenty", 2)]
    {
        let query = client.query().table_name("Walk.Tables").index_name(index);
        let query = query.key_condition_expression(condition);
        let query = match index {
            "ByState" => query
                .expression_attribute_names("#a", "state")
                .expression_attribute_values(":open", s("open")),
            _ => query
                .expression_attribute_names("#a", "amount")
                .expression_attribute_values(":c", s("c"))
                .expression_attribute_values(":twenty", n(20)),
        };
        assert_eq!(query.send().await?.count(), count, "{index}");
    }

    let deleted = client.delete_table().table_name("Walk.Tables").send().await?;
    let status = deleted.table_description().and_then(|table| table.table_status());
    assert_eq!(status, Some(&TableStatus::Deleting));
    let gone = client.describe_table().table_name("Walk.Tables").send().await;
    assert!(gone.expect_err("it is gone").into_service_error().is_resource_not_found_exception());
    Ok(())
}

async fn values_of_all_types_come_back_as_they_were(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    create_orders(&client, "Walk.Values").await?;
    let blob = |bytes: &[u8]| AttributeValue::B(Blob::new(bytes));
    let nested = HashMap::from([("list".to_owned(), AttributeValue::L(vec![n(1), s("\u{1f5fa}")]))]);
    let mut item = order("c", 1);
    item.extend([
        ("binary".to_owned(), blob(&[0, 255, 7])),
        ("true".to_owned(), AttributeValue::Bool(true)),
        ("nothing".to_owned(), AttributeValue::Null(true)),
        ("empty".to_owned(), s("")),
        ("large".to_owned(), AttributeValue::N("12345678901234567890123456789012345678".to_owned())),
        ("map".to_owned(), AttributeValue::M(nested)),
        ("strings".to_owned(), AttributeValue::Ss(vec!["a".to_owned(), "b".to_owned()])),
        ("numbers".to_owned(), AttributeValue::Ns(vec!["1.5".to_owned(), "2".to_owned()])),
        ("binaries".to_owned(), AttributeValue::Bs(vec![Blob::new([1]), Blob::new([2])])),
    ]);
    client.put_item().table_name("Walk.Values").set_item(Some(item.clone())).send().await?;
    let found = client
        .get_item()
        .table_name("Walk.Values")
        .key("customer", s("c"))
        .key("order", s("ORDER#001"))
        .consistent_read(true)
        .send()
        .await?;
    assert_eq!(found.item(), Some(&item));
    Ok(())
}

async fn pages_follow_one_another(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    create_orders(&client, "Walk.Pages").await?;
    for number in 0..25 {
        client.put_item().table_name("Walk.Pages").set_item(Some(order("c", number))).send().await?;
    }
    let mut pages = client
        .query()
        .table_name("Walk.Pages")
        .key_condition_expression("customer = :c")
        .expression_attribute_values(":c", s("c"))
        .scan_index_forward(false)
        .limit(10)
        .into_paginator()
        .send();
    let (mut counts, mut orders) = (Vec::new(), Vec::new());
    while let Some(page) = pages.next().await {
        let page = page?;
        counts.push(page.count());
        orders.extend(page.items().iter().map(|item| item["order"].clone()));
    }
    assert_eq!(counts, [10, 10, 5]);
    let expected: Vec<_> = (0..25).rev().map(|number| s(format!("ORDER#{number:03}"))).collect();
    assert_eq!(orders, expected);

    let mut scanned = client.scan().table_name("Walk.Pages").limit(7).into_paginator().items().send();
    let mut count = 0;
    while let Some(item) = scanned.next().await {
        item?;
        count += 1;
    }
    assert_eq!(count, 25);
    Ok(())
}

async fn an_update_returns_what_it_is_asked_for(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    create_orders(&client, "Walk.Updates").await?;
    client.put_item().table_name("Walk.Updates").set_item(Some(order("c", 1))).send().await?;
    let update = || {
        client
            .update_item()
            .table_name("Walk.Updates")
            .key("customer", s("c"))
            .key("order", s("ORDER#001"))
            .update_expression("SET #s = :shipped ADD changes :one")
            .expression_attribute_names("#s", "state")
            .expression_attribute_values(":shipped", s("shipped"))
            .expression_attribute_values(":one", n(1))
    };
    let updated = update().return_values(ReturnValue::UpdatedNew).send().await?;
    let expected = HashMap::from([("state".to_owned(), s("shipped")), ("changes".to_owned(), n(1))]);
    assert_eq!(updated.attributes(), Some(&expected));
    let before = update().return_values(ReturnValue::AllOld).send().await?;
    assert_eq!(before.attributes().map(|item| &item["changes"]), Some(&n(1)));
    Ok(())
}

async fn a_failed_condition_hands_back_the_item(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    create_orders(&client, "Walk.Conditions").await?;
    client.put_item().table_name("Walk.Conditions").set_item(Some(order("c", 1))).send().await?;
    let refused = client
        .put_item()
        .table_name("Walk.Conditions")
        .set_item(Some(order("c", 1)))
        .condition_expression("attribute_not_exists(customer)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .expect_err("it is there");
    let PutItemError::ConditionalCheckFailedException(refused) = refused.into_service_error() else {
        return Err("another error than expected".into());
    };
    assert_eq!(refused.message(), Some("The conditional request failed"));
    assert_eq!(refused.item(), Some(&order("c", 1)));

    let refused = client
        .delete_item()
        .table_name("Walk.Conditions")
        .key("customer", s("c"))
        .key("order", s("ORDER#001"))
        .condition_expression("amount > :much")
        .expression_attribute_values(":much", n(1_000_000))
        .send()
        .await
        .expect_err("it is less");
    assert!(matches!(refused.into_service_error(), DeleteItemError::ConditionalCheckFailedException(_)));
    Ok(())
}

async fn batches_are_finished_by_sending_what_was_left(clients: Clients) -> Outcome {
    const ITEMS: usize = 100;
    // Together more than the 16 MB that one batch gives back. The entry of a local secondary index counts
    // towards the 400 KB of an item.
    const FILLING_BYTES: usize = 180 * 1024;

    let client = clients.dynamodb;
    create_orders(&client, "Walk.Batches").await?;
    let filling = s("x".repeat(FILLING_BYTES));
    let numbers: Vec<usize> = (0..ITEMS).collect();
    for chunk in numbers.chunks(25) {
        let puts = chunk.iter().map(|number| {
            let mut item = order("c", *number);
            item.insert("filling".to_owned(), filling.clone());
            let put = PutRequest::builder().set_item(Some(item)).build()?;
            Ok(WriteRequest::builder().put_request(put).build())
        });
        let puts = puts.collect::<Result<Vec<_>, aws_sdk_dynamodb::error::BuildError>>()?;
        let mut left = Some(HashMap::from([("Walk.Batches".to_owned(), puts)]));
        while let Some(requests) = left.filter(|requests| !requests.is_empty()) {
            let sent = client.batch_write_item().set_request_items(Some(requests)).send().await?;
            left = sent.unprocessed_items;
        }
    }

    let mut keys = KeysAndAttributes::builder();
    for number in numbers {
        let mut key = order("c", number);
        key.retain(|name, _| name == "customer" || name == "order");
        keys = keys.keys(key);
    }
    let mut left = Some(HashMap::from([("Walk.Batches".to_owned(), keys.build()?)]));
    let (mut found, mut rounds) = (0, 0);
    while let Some(requests) = left.filter(|requests| !requests.is_empty()) {
        let got = client.batch_get_item().set_request_items(Some(requests)).send().await?;
        found += got.responses.unwrap_or_default().values().map(Vec::len).sum::<usize>();
        left = got.unprocessed_keys;
        rounds += 1;
    }
    assert_eq!((found, rounds), (ITEMS, 2));
    Ok(())
}

async fn a_transaction_says_why_it_was_given_up(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    let table = "Walk.Transactions";
    create_orders(&client, table).await?;
    client.put_item().table_name(table).set_item(Some(order("c", 1))).send().await?;
    let write = TransactWriteItem::builder;
    let put = Put::builder().table_name(table).set_item(Some(order("c", 2))).build()?;
    let update = Update::builder()
        .table_name(table)
        .key("customer", s("c"))
        .key("order", s("ORDER#001"))
        .update_expression("SET amount = amount - :price")
        .condition_expression("amount >= :price")
        .expression_attribute_values(":price", n(1_000_000))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let check = ConditionCheck::builder()
        .table_name(table)
        .key("customer", s("c"))
        .key("order", s("ORDER#009"))
        .condition_expression("attribute_exists(customer)")
        .build()?;
    let canceled = client
        .transact_write_items()
        .transact_items(write().put(put.clone()).build())
        .transact_items(write().update(update).build())
        .transact_items(write().condition_check(check).build())
        .send()
        .await
        .expect_err("two conditions fail");
    let TransactWriteItemsError::TransactionCanceledException(canceled) = canceled.into_service_error()
    else {
        return Err("another error than expected".into());
    };
    let reasons = canceled.cancellation_reasons();
    let codes: Vec<_> = reasons.iter().map(|reason| reason.code().unwrap_or("")).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed", "ConditionalCheckFailed"]);
    assert_eq!(reasons[1].item(), Some(&order("c", 1)));
    assert_eq!(reasons[2].item(), None);

    let delete =
        Delete::builder().table_name(table).key("customer", s("c")).key("order", s("ORDER#001")).build()?;
    for _ in 0..2 {
        // The token makes the second the same request, which does nothing again.
        client
            .transact_write_items()
            .client_request_token("one and the same")
            .transact_items(write().put(put.clone()).build())
            .transact_items(write().delete(delete.clone()).build())
            .send()
            .await?;
    }
    assert_eq!(client.scan().table_name(table).send().await?.items(), [order("c", 2)]);
    Ok(())
}

async fn a_transaction_reads_items_together(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    create_orders(&client, "Walk.Reads").await?;
    client.put_item().table_name("Walk.Reads").set_item(Some(order("c", 1))).send().await?;
    let get = |number: usize| {
        let get = Get::builder()
            .table_name("Walk.Reads")
            .key("customer", s("c"))
            .key("order", s(format!("ORDER#{number:03}")))
            .build()?;
        Ok::<_, aws_sdk_dynamodb::error::BuildError>(TransactGetItem::builder().get(get).build())
    };
    let read = client.transact_get_items().transact_items(get(1)?).transact_items(get(2)?).send().await?;
    let items: Vec<_> = read.responses().iter().map(|response| response.item()).collect();
    assert_eq!(items, [Some(&order("c", 1)), None]);
    Ok(())
}

async fn errors_of_the_service_have_their_type_and_text(clients: Clients) -> Outcome {
    let client = clients.dynamodb;
    let missing = client.scan().table_name("Walk.Nowhere").send().await.expect_err("no such table");
    let missing = missing.into_service_error();
    assert!(missing.is_resource_not_found_exception());
    assert_eq!(missing.meta().message(), Some("Requested resource not found"));

    create_orders(&client, "Walk.Errors").await?;
    let wrong = client
        .get_item()
        .table_name("Walk.Errors")
        .key("customer", s("c"))
        .send()
        .await
        .expect_err("half a key");
    let wrong = wrong.into_service_error();
    assert_eq!(wrong.meta().code(), Some("ValidationException"));
    assert_eq!(wrong.meta().message(), Some("The provided key element does not match the schema"));
    Ok(())
}
