//! What a call gives back.

use crate::Trace;

/// The answer to one call, an error of the service included.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status that the service would answer with: 200, 400 or 500.
    pub status: u16,
    /// The body, DynamoDB JSON.
    pub body: Vec<u8>,
    /// What the request read, wrote and cost, if it was asked for with [`explain`].
    ///
    /// [`explain`]: crate::Database::explain
    pub trace: Option<Trace>,
}

impl Answer {
    /// Whether the request succeeded.
    pub fn is_ok(&self) -> bool {
        self.status == 200
    }
}
