//! The checks that stand before everything that a first-party backend writes (decisions 3, 4 and 9).

use super::AuthorizeAccessError;
use super::authorize_access::{AuthorizeAccess, Caller};
use domain::data_endpoint::PersonEndpoint;
use domain::id::{ClientId, UserId};
use domain::rate_limit::{RateKey, RateStatus};
use domain::read_tally::Reader;
use domain::scope::{Scope, ScopeSet};
use std::sync::Arc;

/// Who asks to write what.
#[derive(Clone, Copy)]
pub struct AuthorizeIngestQuery<'a> {
    /// Bearer token, as sent.
    pub token: &'a str,
    /// The `user_id` of the path, as sent; nothing where the path names nobody.
    pub user_id: Option<&'a str>,
    /// What the token must hold.
    pub scope: Scope,
}

/// A request that may write. Its body is still to be read; whatever it is, it has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantedIngest {
    /// Who writes.
    pub client_id: ClientId,
    /// The person of the path; whether there is one is still to be found out.
    pub user_id: Option<UserId>,
    /// Current state of the daily counter.
    pub rate: RateStatus,
}

/// Authorizes requests that write.
pub struct AuthorizeIngest {
    access: Arc<AuthorizeAccess>,
}

impl AuthorizeIngest {
    /// Takes what checks tokens and counts at the data endpoints, which it does here in the same way.
    pub fn new(access: Arc<AuthorizeAccess>) -> Self {
        Self { access }
    }

    /// Checks and counts a request. A token of a person is refused for its scope, which nobody grants.
    pub async fn run(&self, query: AuthorizeIngestQuery<'_>) -> Result<GrantedIngest, AuthorizeAccessError> {
        let at = self.access.now();
        let caller = self.access.caller(query.token, at).await?;
        let user_id = query.user_id.map(UserId::parse).transpose()?;
        let needed: ScopeSet = [query.scope].into_iter().collect();
        let client_id = match caller {
            Caller::Service { client_id, scopes } if needed.is_subset_of(scopes) => client_id,
            Caller::Service { .. } | Caller::Person(_) => {
                return Err(AuthorizeAccessError::InsufficientScope { needed });
            }
        };
        let key =
            RateKey { reader: Reader::Client(client_id), user: user_id, endpoint: PersonEndpoint::Ingest };
        let rate = self.access.count(key, at).await?;
        Ok(GrantedIngest { client_id, user_id, rate })
    }
}
