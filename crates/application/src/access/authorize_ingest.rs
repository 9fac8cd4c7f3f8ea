//! The access checks of every ingest endpoint (decisions 3, 4 and 9).

use super::AuthorizeAccessError;
use super::authorize_access::{AuthorizeAccess, Caller};
use domain::data_endpoint::PersonEndpoint;
use domain::id::{ClientId, UserId};
use domain::rate_limit::{RateKey, RateStatus};
use domain::read_tally::Reader;
use domain::scope::{Scope, ScopeSet};

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

impl AuthorizeAccess {
    /// Checks that a caller has the scope to write, and counts the request. `user_id` is the one of the path,
    /// as sent; `None` if the path has none. A user's token is rejected, because users cannot grant write
    /// scopes.
    pub async fn admit_write(
        &self,
        caller: &Caller,
        user_id: Option<&str>,
        scope: Scope,
    ) -> Result<GrantedIngest, AuthorizeAccessError> {
        let user_id = user_id.map(UserId::parse).transpose()?;
        let needed: ScopeSet = [scope].into_iter().collect();
        let client_id = match *caller {
            Caller::Service { client_id, scopes } if needed.is_subset_of(scopes) => client_id,
            Caller::Service { .. } | Caller::Person(_) => {
                return Err(AuthorizeAccessError::InsufficientScope { needed });
            }
        };
        let key =
            RateKey { reader: Reader::Client(client_id), user: user_id, endpoint: PersonEndpoint::Ingest };
        let rate = self.count(key).await?;
        Ok(GrantedIngest { client_id, user_id, rate })
    }
}
