//! The AWS SDK for Rust on Keyplan's engine, in process and without a socket.
//!
//! A program that talks to DynamoDB through `aws_sdk_dynamodb` is tested by handing it a client of a
//! database of its own: no endpoint to start, no port, no environment, no credentials, no tables left over
//! from the test before. A database is made in microseconds, so each test has one.
//!
//! ```
//! use aws_sdk_dynamodb::types::{
//!     AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
//! };
//! use keyplan::Database;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = keyplan_aws::client(&Database::in_memory());
//!
//! client
//!     .create_table()
//!     .table_name("Counters")
//!     .billing_mode(BillingMode::PayPerRequest)
//!     .attribute_definitions(
//!         AttributeDefinition::builder()
//!             .attribute_name("id")
//!             .attribute_type(ScalarAttributeType::S)
//!             .build()?,
//!     )
//!     .key_schema(KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash).build()?)
//!     .send()
//!     .await?;
//! let id = AttributeValue::S("visits".to_owned());
//! let updated = client
//!     .update_item()
//!     .table_name("Counters")
//!     .key("id", id)
//!     .update_expression("ADD n :one")
//!     .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
//!     .return_values(aws_sdk_dynamodb::types::ReturnValue::AllNew)
//!     .send()
//!     .await?;
//! assert_eq!(updated.attributes.unwrap()["n"], AttributeValue::N("1".to_owned()));
//! # Ok(())
//! # }
//! ```
//!
//! [`client`] and [`streams_client`] do for most; [`config`] gives the configuration to add interceptors or
//! retries to. [`Connector`] is what both are made with.
//!
//! # What it is not
//!
//! It is no mock: requests are serialised by the SDK and answered by the whole engine, errors and capacity
//! included. What it leaves out is the network: there is nothing to retry and nothing to wait for, so
//! retries, timeouts and the protection against stalled streams are off. An answer is ready when the SDK
//! asks for it. On a database in a file that is after the sync to the disk, for which the calling thread
//! waits; tests do better in memory.

mod connector;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Credentials, IdentityCache, Region, StalledStreamProtectionConfig,
};
use keyplan::Database;

pub use connector::Connector;

/// Names no host: nothing is resolved, and nothing is sent.
const ENDPOINT: &str = "http://keyplan.invalid";

/// A client of the database.
pub fn client(database: &Database) -> aws_sdk_dynamodb::Client {
    aws_sdk_dynamodb::Client::from_conf(config(database).build())
}

/// A client of the database's streams.
pub fn streams_client(database: &Database) -> aws_sdk_dynamodbstreams::Client {
    aws_sdk_dynamodbstreams::Client::from_conf(streams_config(database).build())
}

// The two builders are types of two crates with the same methods.
macro_rules! offline {
    ($builder:expr, $database:expr) => {
        $builder
            .behavior_version(BehaviorVersion::latest())
            .http_client(Connector::new($database))
            .endpoint_url(ENDPOINT)
            .region(Region::new($database.region().to_owned()))
            .credentials_provider(credentials())
            .identity_cache(IdentityCache::no_cache())
            .retry_config(RetryConfig::disabled())
            .timeout_config(TimeoutConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
    };
}

/// The configuration of [`client`], to add to.
pub fn config(database: &Database) -> aws_sdk_dynamodb::config::Builder {
    offline!(aws_sdk_dynamodb::Config::builder(), database)
}

/// The configuration of [`streams_client`], to add to.
pub fn streams_config(database: &Database) -> aws_sdk_dynamodbstreams::config::Builder {
    offline!(aws_sdk_dynamodbstreams::Config::builder(), database)
}

/// The SDK signs each request; the library looks at no signature.
fn credentials() -> Credentials {
    Credentials::new("keyplan", "keyplan", None, None, "keyplan")
}
