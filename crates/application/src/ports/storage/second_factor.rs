//! Authenticator apps and recovery codes.

use super::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::UserId;
use domain::second_factor::{Totp, TotpStep};
use domain::secret::SecretHash;
#[cfg(feature = "test-support")]
use mockall::automock;

/// State of a user's second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondFactorState {
    /// When the authenticator app was set up.
    pub set_at: DateTime<Utc>,
    /// Number of unused recovery codes.
    pub recovery_codes: u32,
}

/// Reads second factors outside a transaction.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SecondFactorReader: Send + Sync {
    /// Returns the state of a user's second factor; `None` if it is off.
    async fn find_second_factor(&self, user_id: UserId) -> Result<Option<SecondFactorState>, StorageError>;
}

/// Stores authenticator apps, at most one per user, and recovery codes.
#[cfg_attr(feature = "test-support", automock)]
#[async_trait]
pub trait SecondFactorRepository: Send {
    /// Returns a user's authenticator app; `None` if there is none.
    async fn find(&mut self, user_id: UserId) -> Result<Option<Totp>, StorageError>;
    /// Stores the authenticator app of an existing user, and replaces an earlier one.
    async fn set(&mut self, user_id: UserId, totp: &Totp) -> Result<(), StorageError>;
    /// Records the use of a step's code; returns false if a code of this or a later step was used before.
    ///
    /// MUST be one conditional statement: exactly one of several concurrent calls with one step, across
    /// processes, returns true.
    async fn use_step(&mut self, user_id: UserId, step: TotpStep) -> Result<bool, StorageError>;
    /// Stores a set of recovery codes in place of an earlier one.
    async fn replace_recovery_codes(
        &mut self,
        user_id: UserId,
        codes: &[SecretHash],
    ) -> Result<(), StorageError>;
    /// Deletes a recovery code and returns whether it existed.
    ///
    /// MUST be one statement: exactly one of several concurrent calls with one code, across processes,
    /// returns true.
    async fn use_recovery_code(&mut self, user_id: UserId, code: &SecretHash) -> Result<bool, StorageError>;
    /// Counts a user's unused recovery codes.
    async fn count_recovery_codes(&mut self, user_id: UserId) -> Result<u32, StorageError>;
    /// Deletes a user's authenticator app and recovery codes; returns whether there was an app.
    async fn delete(&mut self, user_id: UserId) -> Result<bool, StorageError>;
}
