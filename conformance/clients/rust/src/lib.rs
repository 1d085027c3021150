//! The AWS SDK for Rust in two ways: over HTTP on an endpoint, and in process through the connector.
//!
//! A test is written once, as a function of [`Clients`], and [`both_ways!`] makes two of it. The endpoint's
//! address is in the variable `KEYPLAN_ENDPOINT`, which `cargo xtask test rust-sdk` sets. Tests share that
//! endpoint, so each uses tables of its own.

use std::env;
use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_async::rt::sleep::TokioSleep;
use keyplan::Database;

/// What a test may fail with.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;

const A_WHILE: Duration = Duration::from_secs(1);

/// Clients of one database.
#[derive(Debug, Clone)]
pub struct Clients {
    /// Tables and items.
    pub dynamodb: aws_sdk_dynamodb::Client,
    /// Streams.
    pub streams: aws_sdk_dynamodbstreams::Client,
    /// The database behind the connector, whose time can be moved.
    database: Option<Database>,
}

// The two builders are types of two crates with the same methods.
macro_rules! online {
    ($builder:expr, $url:expr) => {
        $builder
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .endpoint_url($url)
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("any", "any", None, None, "tests"))
            .sleep_impl(TokioSleep::new())
            .retry_config(RetryConfig::standard())
            .build()
    };
}

impl Clients {
    /// Of the endpoint that the tests are given.
    ///
    /// # Panics
    /// When they are given none: a test that is left out must not pass.
    pub fn of_endpoint() -> Clients {
        let url = env::var("KEYPLAN_ENDPOINT")
            .expect("KEYPLAN_ENDPOINT is an endpoint's address; `cargo xtask test rust-sdk` starts one");
        Clients {
            dynamodb: aws_sdk_dynamodb::Client::from_conf(online!(
                aws_sdk_dynamodb::Config::builder(),
                url.as_str()
            )),
            streams: aws_sdk_dynamodbstreams::Client::from_conf(online!(
                aws_sdk_dynamodbstreams::Config::builder(),
                url.as_str()
            )),
            database: None,
        }
    }

    /// Of a new database in this process.
    pub fn of_connector() -> Clients {
        let database = Database::in_memory();
        Clients {
            dynamodb: keyplan_aws::client(&database),
            streams: keyplan_aws::streams_client(&database),
            database: Some(database),
        }
    }

    /// Lets a while pass: time is moved where it can be, and waited for where it can't.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn a_while(&self) -> Outcome {
        match &self.database {
            Some(database) => database.advance(A_WHILE)?,
            None => tokio::time::sleep(A_WHILE).await,
        }
        Ok(())
    }
}

/// Makes two tests of each function: one on the endpoint, one through the connector.
#[macro_export]
macro_rules! both_ways {
    ($($test:ident)*) => {
        mod endpoint {
            $(
                #[tokio::test]
                async fn $test() -> $crate::Outcome {
                    super::$test($crate::Clients::of_endpoint()).await
                }
            )*
        }

        mod connector {
            $(
                #[tokio::test]
                async fn $test() -> $crate::Outcome {
                    super::$test($crate::Clients::of_connector()).await
                }
            )*
        }
    };
}
