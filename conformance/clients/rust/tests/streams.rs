//! Streams read from their start and from now on, and items that expire.

mod tables;

use std::time::{SystemTime, UNIX_EPOCH};

use aws_sdk_dynamodb::types::{
    StreamSpecification, StreamViewType, TimeToLiveSpecification, TimeToLiveStatus,
};
use aws_sdk_dynamodbstreams::types::{AttributeValue, OperationType, Record, ShardIteratorType};
use keyplan_clients_rust::{Clients, Outcome, both_ways};
use tables::{create_orders, n, order, s};

/// An expired item goes within ten seconds; this many times a while is far more.
const WHILES_MAX: usize = 60;

both_ways! {
    a_stream_is_read_from_its_start
    a_stream_is_read_from_now_on
    an_expired_item_goes_and_the_stream_says_who_took_it
}

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// A table of orders with a stream; gives the stream's ARN.
async fn create_with_stream(clients: &Clients, table: &str) -> Fallible<String> {
    create_orders(&clients.dynamodb, table).await?;
    let stream = StreamSpecification::builder()
        .stream_enabled(true)
        .stream_view_type(StreamViewType::NewAndOldImages)
        .build()?;
    clients.dynamodb.update_table().table_name(table).stream_specification(stream).send().await?;
    let described = clients.dynamodb.describe_table().table_name(table).send().await?;
    let arn = described.table().and_then(|table| table.latest_stream_arn()).ok_or("no stream")?;
    let listed = clients.streams.list_streams().table_name(table).send().await?;
    assert_eq!(listed.streams().iter().filter_map(|stream| stream.stream_arn()).collect::<Vec<_>>(), [arn]);
    Ok(arn.to_owned())
}

/// An iterator for each shard.
async fn iterators(clients: &Clients, stream: &str, kind: ShardIteratorType) -> Fallible<Vec<String>> {
    let described = clients.streams.describe_stream().stream_arn(stream).send().await?;
    let shards = described.stream_description().map(|stream| stream.shards()).unwrap_or_default();
    assert!(!shards.is_empty());
    let mut iterators = Vec::new();
    for shard in shards {
        let iterator = clients
            .streams
            .get_shard_iterator()
            .stream_arn(stream)
            .shard_id(shard.shard_id().ok_or("a shard without an id")?)
            .shard_iterator_type(kind.clone())
            .send()
            .await?;
        iterators.extend(iterator.shard_iterator);
    }
    Ok(iterators)
}

/// Reads all iterators until they give nothing, and leaves in them where they stand.
async fn read(clients: &Clients, iterators: &mut Vec<String>) -> Fallible<Vec<Record>> {
    let mut records = Vec::new();
    let mut next = Vec::new();
    for mut iterator in iterators.drain(..) {
        loop {
            let got = clients.streams.get_records().shard_iterator(&iterator).limit(2).send().await?;
            let is_end = got.records().is_empty();
            records.extend(got.records.unwrap_or_default());
            match got.next_shard_iterator {
                None => break,
                Some(at) if is_end => {
                    next.push(at);
                    break;
                }
                Some(at) => iterator = at,
            }
        }
    }
    *iterators = next;
    Ok(records)
}

fn events(records: &[Record]) -> Vec<&OperationType> {
    records.iter().filter_map(|record| record.event_name()).collect()
}

async fn insert_change_and_remove(clients: &Clients, table: &str) -> Outcome {
    let client = &clients.dynamodb;
    client.put_item().table_name(table).set_item(Some(order("c", 1))).send().await?;
    // What changes nothing is no event.
    client.put_item().table_name(table).set_item(Some(order("c", 1))).send().await?;
    client
        .update_item()
        .table_name(table)
        .key("customer", s("c"))
        .key("order", s("ORDER#001"))
        .update_expression("SET amount = :amount")
        .expression_attribute_values(":amount", n(99))
        .send()
        .await?;
    client
        .delete_item()
        .table_name(table)
        .key("customer", s("c"))
        .key("order", s("ORDER#001"))
        .send()
        .await?;
    Ok(())
}

async fn a_stream_is_read_from_its_start(clients: Clients) -> Outcome {
    let stream = create_with_stream(&clients, "Streams.Start").await?;
    insert_change_and_remove(&clients, "Streams.Start").await?;
    let mut iterators = iterators(&clients, &stream, ShardIteratorType::TrimHorizon).await?;
    let records = read(&clients, &mut iterators).await?;
    assert_eq!(events(&records), [&OperationType::Insert, &OperationType::Modify, &OperationType::Remove]);
    let images: Vec<_> = records.iter().filter_map(|record| record.dynamodb()).collect();
    let amount = |amount: &str| Some(AttributeValue::N(amount.to_owned()));
    let old = |at: usize| images[at].old_image().map(|image| image["amount"].clone());
    let new = |at: usize| images[at].new_image().map(|image| image["amount"].clone());
    assert_eq!((old(0), new(0)), (None, amount("10")));
    assert_eq!((old(1), new(1)), (amount("10"), amount("99")));
    assert_eq!((old(2), new(2)), (amount("99"), None));
    let key = images[0].keys().ok_or("no key")?;
    assert_eq!(key["order"], AttributeValue::S("ORDER#001".to_owned()));
    assert!(images.windows(2).all(|pair| pair[0].sequence_number() < pair[1].sequence_number()));
    assert!(read(&clients, &mut iterators).await?.is_empty(), "each is read once");
    Ok(())
}

async fn a_stream_is_read_from_now_on(clients: Clients) -> Outcome {
    let stream = create_with_stream(&clients, "Streams.Latest").await?;
    insert_change_and_remove(&clients, "Streams.Latest").await?;
    let mut iterators = iterators(&clients, &stream, ShardIteratorType::Latest).await?;
    assert!(read(&clients, &mut iterators).await?.is_empty());
    for number in 0..5 {
        let item = Some(order("c", number));
        clients.dynamodb.put_item().table_name("Streams.Latest").set_item(item).send().await?;
    }
    let records = read(&clients, &mut iterators).await?;
    assert_eq!(events(&records), [&OperationType::Insert; 5]);
    Ok(())
}

async fn an_expired_item_goes_and_the_stream_says_who_took_it(clients: Clients) -> Outcome {
    let (client, table) = (&clients.dynamodb, "Streams.Expiry");
    let stream = create_with_stream(&clients, table).await?;
    let on = TimeToLiveSpecification::builder().enabled(true).attribute_name("expires").build()?;
    client.update_time_to_live().table_name(table).time_to_live_specification(on).send().await?;
    let described = client.describe_time_to_live().table_name(table).send().await?;
    let described = described.time_to_live_description().ok_or("no description")?;
    assert_eq!(described.attribute_name(), Some("expires"));
    assert_eq!(described.time_to_live_status(), Some(&TimeToLiveStatus::Enabled));

    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as usize;
    for (number, expires) in [(1, now - 60), (2, now + 86_400)] {
        let mut item = order("c", number);
        item.insert("expires".to_owned(), n(expires));
        client.put_item().table_name(table).set_item(Some(item)).send().await?;
    }
    let left = async || -> Fallible<Vec<_>> {
        let scanned = client.scan().table_name(table).send().await?;
        Ok(scanned.items().iter().map(|item| item["order"].clone()).collect())
    };
    let mut whiles = 0;
    while left().await?.len() > 1 && whiles < WHILES_MAX {
        clients.a_while().await?;
        whiles += 1;
    }
    assert_eq!(left().await?, [s("ORDER#002")]);

    let mut iterators = iterators(&clients, &stream, ShardIteratorType::TrimHorizon).await?;
    let records = read(&clients, &mut iterators).await?;
    let removed: Vec<_> =
        records.iter().filter(|record| record.event_name() == Some(&OperationType::Remove)).collect();
    let [removed] = removed.as_slice() else { return Err("one item is removed".into()) };
    let by = removed.user_identity().ok_or("it doesn't say who")?;
    assert_eq!((by.r#type(), by.principal_id()), (Some("Service"), Some("dynamodb.amazonaws.com")));
    Ok(())
}
