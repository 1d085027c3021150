//! An endpoint reached over HTTP.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use ureq::Agent;

use crate::in_process::BUCKETS;
use crate::target::{Answer, Head, Target, TargetError};

/// How long a request may take before the endpoint counts as gone.
const REQUEST_SECONDS_MAX: u64 = 60;

/// The largest answer that is read, in bytes: a page is 1 MB of items, and JSON makes more of them.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A signature of the right form. Endpoints for tests look at no more than that.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 \
     Credential=conformance/20260101/us-east-1/dynamodb/aws4_request, \
     SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
     Signature=0000000000000000000000000000000000000000000000000000000000000000";

/// How long a request waits before it is sent again.
const PAUSE: Duration = Duration::from_millis(2);

/// Any DynamoDB endpoint, by its address.
#[derive(Debug)]
pub struct HttpTarget {
    agent: Agent,
    endpoint: String,
    buckets: Option<PathBuf>,
}

impl HttpTarget {
    /// The endpoint at an address such as `http://127.0.0.1:8000`.
    pub fn new(endpoint: &str) -> HttpTarget {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(REQUEST_SECONDS_MAX)))
            .build()
            .new_agent();
        HttpTarget { agent, endpoint: endpoint.to_owned(), buckets: None }
    }

    /// The same, where the endpoint's buckets are the folders of this folder. Those that cases use are made.
    ///
    /// # Errors
    /// When they can't be.
    pub fn with_buckets(self, folder: &Path) -> Result<HttpTarget, TargetError> {
        for bucket in BUCKETS {
            let made = fs::create_dir_all(folder.join(bucket));
            made.map_err(|error| TargetError(format!("{} can't be made: {error}", folder.display())))?;
        }
        Ok(HttpTarget { buckets: Some(folder.to_owned()), ..self })
    }

    fn fault(&self, error: &ureq::Error) -> TargetError {
        TargetError(format!("{} does not answer: {error}", self.endpoint))
    }
}

impl Target for HttpTarget {
    fn send(&mut self, target: &str, body: &[u8]) -> Result<Answer, TargetError> {
        let mut response = self
            .agent
            .post(&self.endpoint)
            .header("Content-Type", "application/x-amz-json-1.0")
            .header("X-Amz-Target", target)
            .header("X-Amz-Date", "20260101T000000Z")
            .header("Authorization", AUTHORIZATION)
            .send(body)
            .map_err(|error| self.fault(&error))?;
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let head = Head {
            request_id: header("x-amzn-requestid"),
            crc32: header("x-amz-crc32"),
            content_type: header("content-type"),
        };
        let status = response.status().as_u16();
        let reader = response.body_mut().with_config().limit(ANSWER_BYTES_MAX);
        let body = reader.read_to_vec().map_err(|error| self.fault(&error))?;
        Ok(Answer { status, head: Some(head), body })
    }

    fn put_object(&mut self, bucket: &str, key: &str, bytes: &[u8]) -> Result<bool, TargetError> {
        let Some(folder) = &self.buckets else { return Ok(false) };
        let path = folder.join(bucket).join(key);
        let parent = path.parent().unwrap_or(folder);
        let put = fs::create_dir_all(parent).and_then(|()| fs::write(&path, bytes));
        put.map_err(|error| TargetError(format!("{} can't be written: {error}", path.display())))?;
        Ok(true)
    }

    // An endpoint tells nobody when its own work is done.
    #[expect(clippy::disallowed_methods)]
    fn pause(&mut self) {
        thread::sleep(PAUSE);
    }
}
