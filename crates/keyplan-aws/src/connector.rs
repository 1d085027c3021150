//! From the SDK's requests to the library, and back.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use keyplan::Database;

/// An HTTP client of the SDK that sends nothing: a database answers.
#[derive(Debug, Clone)]
pub struct Connector {
    database: Database,
}

impl Connector {
    /// A connector to the database.
    pub fn new(database: &Database) -> Connector {
        Connector { database: database.clone() }
    }

    fn answer(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let unfit = |what: &str| ConnectorError::user(what.into());
        let target = request.headers().get("x-amz-target");
        let target = target.ok_or_else(|| unfit("the request has no X-Amz-Target header"))?;
        let body = request.body().bytes();
        let body = body.ok_or_else(|| unfit("the request's body is a stream, which DynamoDB's never are"))?;
        let answer = self.database.call(target, body);
        let status = StatusCode::try_from(answer.status);
        let status = status.map_err(|error| ConnectorError::other(error.into(), None))?;
        let mut response = HttpResponse::new(status, SdkBody::from(answer.body));
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        Ok(response)
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::ready(self.answer(&request))
    }
}

impl HttpClient for Connector {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
