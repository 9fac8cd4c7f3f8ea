//! Tells an authenticated client whether a token counts, and what it says (RFC 7662).

use crate::access::TokenCheck;
use crate::ports::storage::{AccessReader, AccessState, ClientReader, GrantReader, StorageError};
use crate::ports::system::Clock;
use chrono::{DateTime, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::client::{Client, ClientKind};
use domain::id::{ClientId, UserId};
use domain::scope::{Scope, ScopeSet};
use domain::secret::{Secret, SecretHash, SecretKind};
use std::sync::Arc;

/// Who asks about which token.
#[derive(Clone, Copy)]
pub struct IntrospectTokenQuery<'a> {
    /// The client that asks.
    pub client: &'a Client,
    /// The token, as sent.
    pub token: &'a str,
    /// Whether `token_type_hint` is `refresh_token`. Without it no refresh token is active: a resource server
    /// that accepts whatever is active would serve data for one.
    pub hints_at_refresh_token: bool,
}

/// A token that counts at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveToken {
    /// An access token; its scopes are those that it and its grant both hold.
    Access(AccessClaims),
    /// A refresh token, which has no end.
    Refresh {
        /// The client that holds it.
        client_id: ClientId,
        /// The person who granted it.
        user_id: UserId,
        /// What the grant allows.
        scopes: ScopeSet,
        /// When its code was redeemed.
        issued_at: DateTime<Utc>,
    },
}

/// The ports that introspection stands on.
#[derive(Clone)]
pub struct IntrospectionPorts {
    /// Checks access tokens.
    pub tokens: TokenCheck,
    /// Finds the grants of refresh tokens.
    pub grants: Arc<dyn GrantReader>,
    /// Knows what stands behind a person's token; without a memory of its own, because the answer is a promise
    /// about this moment.
    pub access: Arc<dyn AccessReader>,
    /// Knows whether the client of a service token is enabled.
    pub clients: Arc<dyn ClientReader>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// Introspects tokens.
pub struct IntrospectToken {
    ports: IntrospectionPorts,
}

impl IntrospectToken {
    /// Creates the use case.
    pub fn new(ports: IntrospectionPorts) -> Self {
        Self { ports }
    }

    /// Returns what a token says if it counts and the client may know of it; nothing otherwise, and the client does
    /// not learn which (RFC 7662 section 2.2). A client may know of its own tokens; a service client that holds
    /// `tokens:introspect` may know of all access tokens, but of no refresh token.
    pub async fn run(&self, query: IntrospectTokenQuery<'_>) -> Result<Option<ActiveToken>, StorageError> {
        match Secret::parse(SecretKind::RefreshToken, query.token) {
            Ok(_) if !query.hints_at_refresh_token => Ok(None),
            Ok(secret) => self.refresh_token(query.client, &secret.hash()).await,
            Err(_) => self.access_token(query.client, query.token).await,
        }
    }

    async fn refresh_token(
        &self,
        asker: &Client,
        hash: &SecretHash,
    ) -> Result<Option<ActiveToken>, StorageError> {
        let Some(found) = self.ports.grants.find_by_refresh_token(hash, None).await? else {
            return Ok(None);
        };
        let grant = found.grant;
        if asker.id != grant.client_id {
            return Ok(None);
        }
        let state = self.ports.access.find_access(grant.user_id, grant.id).await?;
        Ok(state.filter(|state| stands(state, grant.client_id)).map(|state| ActiveToken::Refresh {
            client_id: grant.client_id,
            user_id: grant.user_id,
            scopes: state.scopes,
            issued_at: grant.created_at,
        }))
    }

    async fn access_token(&self, asker: &Client, token: &str) -> Result<Option<ActiveToken>, StorageError> {
        let verified = self.ports.tokens.run(token, self.ports.clock.now()).await?;
        let Some(claims) = verified.filter(|claims| may_know(asker, claims.client_id)) else {
            return Ok(None);
        };
        let scopes = match claims.subject {
            TokenSubject::Person { user_id, grant_id } => {
                let state = self.ports.access.find_access(user_id, grant_id).await?;
                let state = state.filter(|state| stands(state, claims.client_id));
                state.map(|state| claims.scopes.intersection(state.scopes))
            }
            TokenSubject::Service => {
                self.service_is_enabled(claims.client_id).await?.then_some(claims.scopes)
            }
        };
        Ok(scopes.map(|scopes| ActiveToken::Access(AccessClaims { scopes, ..claims })))
    }

    async fn service_is_enabled(&self, client_id: ClientId) -> Result<bool, StorageError> {
        let found = self.ports.clients.find_with_secrets(client_id).await?;
        Ok(found.is_some_and(|found| found.client.status.is_active()))
    }
}

fn may_know(asker: &Client, holder: ClientId) -> bool {
    let of_all = asker.kind == ClientKind::Service && asker.scopes.contains(Scope::TokensIntrospect);
    asker.id == holder || of_all
}

fn stands(state: &AccessState, holder: ClientId) -> bool {
    state.is_live && state.client_id == holder
}
