//! Parts that always grant, and fakes of the store.

use application::ports::storage::{AccessReader, AccessState, PersonalAccess, StorageError};
use application::ports::storage::{ClientReader, ClientWithSecrets};
use application::ports::system::{InvalidToken, RateLimiter, ReadLedger, TokenVerifier, UnknownKeyReload};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
use domain::client::Client;
use domain::id::{ClientId, GrantId, UserId};
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use domain::read_tally::ReadTally;
use domain::secret::SecretHash;

/// Accepts every token with these claims.
pub(super) struct AnyToken(pub(super) AccessClaims);

impl TokenVerifier for AnyToken {
    fn verify(&self, _token: &str, _now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken> {
        Ok(self.0)
    }
}

/// Has no other keys to load.
pub(super) struct NoOtherKeys;

#[async_trait]
impl UnknownKeyReload for NoOtherKeys {
    async fn reload_for(&self, _token: &str, _now: DateTime<Utc>) -> Result<bool, StorageError> {
        Ok(false)
    }
}

/// A store in which every grant is live.
pub(super) struct LiveGrants(pub(super) AccessState);

#[async_trait]
impl AccessReader for LiveGrants {
    async fn find_access(
        &self,
        _user_id: UserId,
        _grant_id: GrantId,
    ) -> Result<Option<AccessState>, StorageError> {
        Ok(Some(self.0))
    }

    async fn find_personal_access(&self, _hash: &SecretHash) -> Result<Option<PersonalAccess>, StorageError> {
        Ok(None)
    }
}

/// Has no clients, which only service tokens need.
pub(super) struct NoClients;

#[async_trait]
impl ClientReader for NoClients {
    async fn find_with_secrets(&self, _id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        Ok(None)
    }

    async fn list_clients(&self, _after: Option<ClientId>, _limit: u32) -> Result<Vec<Client>, StorageError> {
        Ok(Vec::new())
    }

    async fn list_own_clients(&self, _: UserId) -> Result<Vec<Client>, StorageError> {
        Ok(Vec::new())
    }

    async fn count_draft_users(&self, _: ClientId) -> Result<u32, StorageError> {
        Ok(0)
    }
}

/// Counts nothing.
pub(super) struct NoLimit;

#[async_trait]
impl RateLimiter for NoLimit {
    async fn count(&self, _key: RateKey, limit: u32, now: DateTime<Utc>) -> RateStatus {
        RateStatus::after(1, limit, RateWindow::at(now))
    }
}

/// Records nothing.
pub(super) struct NoLedger;

impl ReadLedger for NoLedger {
    fn add(&self, _tally: ReadTally) {}

    fn take(&self) -> Vec<ReadTally> {
        Vec::new()
    }
}
