//! Revokes a personal access token.

use crate::audit::commit;
use crate::ports::storage::StorageError;
use domain::audit::{AuditActor, AuditKind};
use domain::id::{PersonalTokenId, UserId};
use std::net::IpAddr;

/// Input of [`RevokePersonalToken`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RevokePersonalTokenCommand {
    /// Owner's id.
    pub user_id: UserId,
    /// Id of the token.
    pub token_id: PersonalTokenId,
    /// The caller's IP address.
    pub address: IpAddr,
}

crate::audit::use_case! {
    /// Revokes personal access tokens.
    RevokePersonalToken
}

impl RevokePersonalToken {
    /// Revokes a token and returns whether it was an unrevoked token of this user; it stops working within
    /// two seconds.
    pub async fn run(&self, command: RevokePersonalTokenCommand) -> Result<bool, StorageError> {
        let RevokePersonalTokenCommand { user_id, token_id, address } = command;
        let at = self.trail.now();
        let mut unit = self.units.begin().await?;
        let revoked = unit.personal_tokens().revoke(user_id, Some(token_id), at).await?;
        let event = (revoked > 0).then(|| {
            let event = self.trail.event(AuditActor::Person, AuditKind::PersonalTokenRevoked);
            event.user(user_id).subject(token_id.as_uuid()).from(address)
        });
        commit(unit, event.as_slice()).await?;
        Ok(revoked > 0)
    }
}
