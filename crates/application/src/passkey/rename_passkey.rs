//! Renames a passkey.

use crate::audit::{self, commit};
use crate::ports::storage::StorageError;
use domain::audit::{AuditActor, AuditKind};
use domain::id::{PasskeyId, UserId};
use domain::passkey::PasskeyName;
use std::net::IpAddr;

/// Input of [`RenamePasskey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenamePasskeyCommand<'a> {
    /// Owner's id.
    pub user_id: UserId,
    /// Id of the passkey.
    pub passkey_id: PasskeyId,
    /// New name.
    pub name: &'a str,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Errors of [`RenamePasskey`].
#[derive(Debug, thiserror::Error)]
pub enum RenamePasskeyError {
    /// The name is invalid.
    #[error("the name is invalid")]
    InvalidName,
    /// The person has no such passkey.
    #[error("there is no such passkey")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

audit::use_case! {
    /// Renames passkeys.
    RenamePasskey
}

impl RenamePasskey {
    /// Renames a passkey of this person. A name proves nothing, so no session ends and no email is sent.
    pub async fn run(&self, command: RenamePasskeyCommand<'_>) -> Result<(), RenamePasskeyError> {
        let RenamePasskeyCommand { user_id, passkey_id, name, address } = command;
        let name = PasskeyName::parse(name).map_err(|_| RenamePasskeyError::InvalidName)?;
        let mut unit = self.units.begin().await?;
        if !unit.passkeys().rename(user_id, passkey_id, &name).await? {
            return Err(RenamePasskeyError::NotFound);
        }
        let event = self.trail.event(AuditActor::Person, AuditKind::PasskeyRenamed).user(user_id);
        let event = event.subject(passkey_id.as_uuid()).from(address);
        Ok(commit(unit, &[event]).await?)
    }
}
