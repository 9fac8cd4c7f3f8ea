//! The access checks of every data endpoint, in the order of decisions 4.

use super::TokenCheck;
use crate::ports::storage::{AccessReader, AccessState, ClientReader, PersonalAccess, StorageError};
use crate::ports::system::{Clock, RateLimiter};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::access_token::{AccessClaims, TokenSubject};
use domain::data_endpoint::PersonEndpoint;
use domain::id::{ClientId, GrantId, InvalidId, UserId};
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use domain::read_tally::Reader;
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};
use domain::time::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Daily request limits per client and user (decisions 7), where they differ from the default of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DailyLimits(BTreeMap<PersonEndpoint, u32>);

impl DailyLimits {
    /// Returns the limit of an endpoint.
    pub fn limit(&self, endpoint: PersonEndpoint) -> u32 {
        self.0.get(&endpoint).copied().unwrap_or_else(|| endpoint.daily_limit())
    }
}

impl<E: Into<PersonEndpoint>> FromIterator<(E, u32)> for DailyLimits {
    fn from_iter<I: IntoIterator<Item = (E, u32)>>(limits: I) -> Self {
        Self(limits.into_iter().map(|(endpoint, limit)| (endpoint.into(), limit)).collect())
    }
}

/// An authorized and counted request. Its parameters are parsed later; it counts even if they are invalid.
#[derive(Debug, Clone, Copy)]
pub struct GrantedAccess {
    /// User whose data is read.
    pub user_id: UserId,
    /// Client or personal token that reads.
    pub reader: Reader,
    /// Scopes of the grant or personal token, which the access token may narrow; the profile's `scopes`
    /// field.
    pub scopes: ScopeSet,
    /// Scopes that this token may use; the response must not go beyond them.
    pub usable: ScopeSet,
    /// The user's time zone.
    pub home_timezone: TimeZone,
    /// Current state of the daily counter.
    pub rate: RateStatus,
}

/// Why a request is rejected, in the order of the checks.
#[derive(Debug, thiserror::Error)]
pub enum AuthorizeAccessError {
    /// The token is malformed, forged or expired, or its grant, personal token or client is no longer valid.
    #[error("the access token is not valid")]
    InvalidToken,
    /// The `user_id` of the path is not a UUID.
    #[error("user_id is not a UUID")]
    InvalidUserId,
    /// The token belongs to another user, whether or not the user of the path exists.
    #[error("the token does not give access to this person")]
    OtherUser,
    /// The token lacks the scope of this endpoint.
    #[error("the token lacks the scope {needed}")]
    InsufficientScope {
        /// The missing scopes.
        needed: ScopeSet,
    },
    /// The daily limit is reached.
    #[error("the daily limit is reached")]
    RateLimited {
        /// Current state of the daily counter.
        rate: RateStatus,
        /// Seconds until the counter resets.
        retry_after_seconds: u32,
    },
    /// The store failed. Must not be reported as an invalid token.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<InvalidId> for AuthorizeAccessError {
    fn from(InvalidId: InvalidId) -> Self {
        Self::InvalidUserId
    }
}

/// Ports of the access checks.
#[derive(Clone)]
pub struct AccessPorts {
    /// Access token check.
    pub tokens: TokenCheck,
    /// Reader of grants and personal tokens.
    pub access: Arc<dyn AccessReader>,
    /// Reader of clients, for service tokens.
    pub clients: Arc<dyn ClientReader>,
    /// Daily request counters.
    pub limiter: Arc<dyn RateLimiter>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// Authorizes requests to the data endpoints.
#[derive(Constructor)]
pub struct AuthorizeAccess {
    ports: AccessPorts,
    limits: DailyLimits,
}

impl AuthorizeAccess {
    /// Returns the caller whose token was presented at a resource, if the token is valid now. Does not count.
    ///
    /// An OAuth access token is accepted only at the resource that is its audience: one for the API is
    /// invalid at the MCP endpoint, and one for the MCP endpoint at the API. A personal access token has no
    /// audience and is accepted at both. The prefix distinguishes the two, so that neither is parsed as the
    /// other.
    pub async fn identify(&self, token: &str, resource: Resource) -> Result<Caller, AuthorizeAccessError> {
        let at = self.ports.clock.now();
        if token.starts_with(SecretKind::PersonalAccessToken.prefix()) {
            return self.live_personal(token, at).await.map(Caller::Person);
        }
        let claims = self.ports.tokens.at(resource, token, at).await?;
        let claims = claims.ok_or(AuthorizeAccessError::InvalidToken)?;
        match claims.subject {
            TokenSubject::Service => self.enabled_service(&claims).await,
            TokenSubject::Person { user_id, grant_id } => {
                let state = self.live_access(user_id, grant_id, claims.client_id).await?;
                Ok(Caller::Person(Permission::of_grant(user_id, &claims, state)))
            }
        }
    }

    /// Checks that a caller may read this person's data at an endpoint, and counts the request. `user_id` is
    /// the one of the path, as sent.
    pub async fn admit_to(
        &self,
        caller: &Caller,
        user_id: &str,
        endpoint: PersonEndpoint,
    ) -> Result<GrantedAccess, AuthorizeAccessError> {
        let user_id = UserId::parse(user_id)?;
        let permission = caller.permission().filter(|permission| permission.owner == user_id);
        self.admit(permission.ok_or(AuthorizeAccessError::OtherUser)?, endpoint).await
    }

    /// Checks the scope of a permission and counts a request.
    pub async fn admit(
        &self,
        permission: &Permission,
        endpoint: PersonEndpoint,
    ) -> Result<GrantedAccess, AuthorizeAccessError> {
        let Permission { owner: user_id, reader, granted, usable, home_timezone } = *permission;
        let needed = endpoint.scopes();
        if usable.intersection(needed).is_empty() {
            return Err(AuthorizeAccessError::InsufficientScope { needed });
        }
        let key = RateKey { reader, user: Some(user_id), endpoint };
        let rate = self.count(key).await?;
        Ok(GrantedAccess { user_id, reader, scopes: granted, usable, home_timezone, rate })
    }

    /// Counts a request, or rejects it if the limit is reached.
    pub(super) async fn count(&self, key: RateKey) -> Result<RateStatus, AuthorizeAccessError> {
        let at = self.ports.clock.now();
        let rate = self.ports.limiter.count(key, self.limits.limit(key.endpoint), at).await;
        if rate.allowed {
            return Ok(rate);
        }
        let left = RateWindow::at(at).seconds_left(at);
        let retry_after_seconds = u32::try_from(left).unwrap_or(u32::MAX);
        Err(AuthorizeAccessError::RateLimited { rate, retry_after_seconds })
    }

    /// Finds a live personal token. A mistyped token is rejected without a store request.
    async fn live_personal(
        &self,
        token: &str,
        at: DateTime<Utc>,
    ) -> Result<Permission, AuthorizeAccessError> {
        let secret = Secret::parse(SecretKind::PersonalAccessToken, token)
            .map_err(|_| AuthorizeAccessError::InvalidToken)?;
        let found = self.ports.access.find_personal_access(&secret.hash()).await?;
        found
            .filter(|access| access.is_live && access.expires_at.is_none_or(|end| at < end))
            .map(Permission::of_personal_token)
            .ok_or(AuthorizeAccessError::InvalidToken)
    }

    /// Rejects tokens of a disabled client, and limits the scopes to those the client still has.
    async fn enabled_service(&self, claims: &AccessClaims) -> Result<Caller, AuthorizeAccessError> {
        let found = self.ports.clients.find_with_secrets(claims.client_id).await?;
        let client = found.map(|found| found.client).filter(|client| client.status.is_active());
        let client = client.ok_or(AuthorizeAccessError::InvalidToken)?;
        Ok(Caller::Service { client_id: client.id, scopes: claims.scopes.intersection(client.scopes) })
    }

    async fn live_access(
        &self,
        user_id: UserId,
        grant_id: GrantId,
        client_id: ClientId,
    ) -> Result<AccessState, AuthorizeAccessError> {
        let state = self.ports.access.find_access(user_id, grant_id).await?;
        state
            .filter(|state| state.is_live && state.client_id == client_id)
            .ok_or(AuthorizeAccessError::InvalidToken)
    }
}

/// The caller of a request with a valid token.
#[derive(Debug, Clone, Copy)]
pub enum Caller {
    /// An app on behalf of a user, or a personal access token of the user.
    Person(Permission),
    /// A service client.
    Service {
        /// The client.
        client_id: ClientId,
        /// Usable scopes of the token.
        scopes: ScopeSet,
    },
}

impl Caller {
    /// Returns the client; a personal access token has none.
    pub const fn client_id(&self) -> Option<ClientId> {
        match self {
            Self::Person(Permission { reader: Reader::Client(client_id), .. })
            | Self::Service { client_id, .. } => Some(*client_id),
            Self::Person(Permission { reader: Reader::PersonalToken(_), .. }) => None,
        }
    }

    /// Returns the permission to read a user's data; a service client has none (decisions 3).
    pub const fn permission(&self) -> Option<&Permission> {
        match self {
            Self::Person(permission) => Some(permission),
            Self::Service { .. } => None,
        }
    }
}

/// Permissions of a valid token of a user.
#[derive(Debug, Clone, Copy)]
pub struct Permission {
    pub(super) owner: UserId,
    pub(super) reader: Reader,
    /// Scopes of the grant or the personal token.
    pub(super) granted: ScopeSet,
    /// The subset that this token may use.
    pub(super) usable: ScopeSet,
    pub(super) home_timezone: TimeZone,
}

impl Permission {
    /// Returns the scopes that the token may use.
    pub const fn usable(&self) -> ScopeSet {
        self.usable
    }

    fn of_grant(owner: UserId, claims: &AccessClaims, state: AccessState) -> Self {
        let AccessState { client_id, scopes, is_live: _, ended_at: _, home_timezone } = state;
        let usable = claims.scopes.intersection(scopes);
        Self { owner, reader: Reader::Client(client_id), granted: scopes, usable, home_timezone }
    }

    fn of_personal_token(access: PersonalAccess) -> Self {
        let PersonalAccess {
            token_id,
            user_id,
            scopes,
            is_live: _,
            ended_at: _,
            expires_at: _,
            home_timezone,
        } = access;
        let reader = Reader::PersonalToken(token_id);
        Self { owner: user_id, reader, granted: scopes, usable: scopes, home_timezone }
    }
}
