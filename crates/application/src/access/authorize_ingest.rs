//! The access checks of every ingest endpoint (decisions 3, 4 and 9).

use super::AuthorizeAccessError;
use super::authorize_access::{AuthorizeAccess, Caller};
use domain::data_endpoint::PersonEndpoint;
use domain::id::{ClientId, UserId};
use domain::rate_limit::{RateKey, RateStatus};
use domain::read_tally::Reader;
use domain::resource::Resource;
use domain::scope::{Scope, ScopeSet};
use std::sync::Arc;

/// Input of [`AuthorizeIngest`].
#[derive(Clone, Copy)]
pub struct AuthorizeIngestQuery<'a> {
    /// Bearer token, as sent.
    pub token: &'a str,
    /// `user_id` of the path, as sent; `None` if the path has none.
    pub user_id: Option<&'a str>,
    /// Required scope.
    pub scope: Scope,
}

/// An authorized and counted write request. It counts even if its body is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantedIngest {
    /// The writing client.
    pub client_id: ClientId,
    /// User of the path; not yet looked up.
    pub user_id: Option<UserId>,
    /// Current state of the daily counter.
    pub rate: RateStatus,
}

/// Authorizes requests that write.
pub struct AuthorizeIngest {
    access: Arc<AuthorizeAccess>,
}

impl AuthorizeIngest {
    /// Creates the use case; it shares token checks and counters with the data endpoints.
    pub fn new(access: Arc<AuthorizeAccess>) -> Self {
        Self { access }
    }

    /// Checks and counts a request. A user's token is rejected for its scopes, because users cannot grant
    /// write scopes.
    pub async fn run(&self, query: AuthorizeIngestQuery<'_>) -> Result<GrantedIngest, AuthorizeAccessError> {
        let at = self.access.now();
        let caller = self.access.caller(query.token, Resource::Api, at).await?;
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
