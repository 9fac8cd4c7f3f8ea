//! Token introspection (RFC 7662).

use super::Tokens;
use crate::ports::storage::{AccessState, StorageError};
use chrono::{DateTime, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::client::{Client, ClientKind};
use domain::id::{ClientId, UserId};
use domain::refresh_token::RefreshToken;
use domain::scope::{Scope, ScopeSet};
use domain::secret::SecretHash;

/// A token that is valid now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveToken {
    /// An access token, with the scopes that both it and its grant have.
    Access(AccessClaims),
    /// A refresh token; these do not expire.
    Refresh {
        /// Client that holds it.
        client_id: ClientId,
        /// User who granted it.
        user_id: UserId,
        /// Scopes of the grant.
        scopes: ScopeSet,
        /// Time at which its code was redeemed.
        issued_at: DateTime<Utc>,
    },
}

impl Tokens {
    /// Returns the token if it is valid and visible to the client. `None` otherwise; the client does not
    /// learn which (RFC 7662 section 2.2). A client sees its own tokens. A service client with
    /// `tokens:introspect` sees all access tokens, but no refresh tokens.
    ///
    /// Unless `token_type_hint` is `refresh_token`, refresh tokens are reported as inactive: a resource
    /// server that accepts any active token would serve data for one.
    pub async fn introspect(
        &self,
        client: &Client,
        token: &str,
        hints_at_refresh_token: bool,
    ) -> Result<Option<ActiveToken>, StorageError> {
        match RefreshToken::parse(token) {
            Ok(_) if !hints_at_refresh_token => Ok(None),
            Ok(token) => self.active_refresh_token(client, &token.lookup_hash()).await,
            Err(_) => self.active_access_token(client, token).await,
        }
    }

    async fn active_refresh_token(
        &self,
        asker: &Client,
        hash: &SecretHash,
    ) -> Result<Option<ActiveToken>, StorageError> {
        let Some(found) = self.grants.find_by_refresh_token(hash, None).await? else {
            return Ok(None);
        };
        let grant = found.grant;
        if asker.id != grant.client_id {
            return Ok(None);
        }
        let state = self.access.find_access(grant.user_id, grant.id).await?;
        Ok(state.filter(|state| is_valid_for(state, grant.client_id)).map(|state| ActiveToken::Refresh {
            client_id: grant.client_id,
            user_id: grant.user_id,
            scopes: state.scopes,
            issued_at: grant.created_at,
        }))
    }

    async fn active_access_token(
        &self,
        asker: &Client,
        token: &str,
    ) -> Result<Option<ActiveToken>, StorageError> {
        let verified = self.check.run(token, self.store.now()).await?;
        let Some(claims) = verified.filter(|claims| may_know(asker, claims.client_id)) else {
            return Ok(None);
        };
        let scopes = match claims.subject {
            TokenSubject::Person { user_id, grant_id } => {
                let state = self.access.find_access(user_id, grant_id).await?;
                let state = state.filter(|state| is_valid_for(state, claims.client_id));
                state.map(|state| claims.scopes.intersection(state.scopes))
            }
            TokenSubject::Service => {
                self.service_is_enabled(claims.client_id).await?.then_some(claims.scopes)
            }
        };
        Ok(scopes.map(|scopes| ActiveToken::Access(AccessClaims { scopes, ..claims })))
    }

    async fn service_is_enabled(&self, client_id: ClientId) -> Result<bool, StorageError> {
        let found = self.clients.find_with_secrets(client_id).await?;
        Ok(found.is_some_and(|found| found.client.status.is_active()))
    }
}

fn may_know(asker: &Client, holder: ClientId) -> bool {
    let of_all = asker.kind == ClientKind::Service && asker.scopes.contains(Scope::TokensIntrospect);
    asker.id == holder || of_all
}

fn is_valid_for(state: &AccessState, holder: ClientId) -> bool {
    state.is_live && state.client_id == holder
}
