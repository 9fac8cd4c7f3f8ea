//! Revokes personal access tokens for the operator.

use crate::audit::commit;
use crate::ports::storage::StorageError;
use domain::audit::{AuditActor, AuditKind};
use domain::id::{PersonalTokenId, UserId};

crate::audit::use_case! {
    /// Revokes personal access tokens.
    RevokePersonalTokens
}

impl RevokePersonalTokens {
    /// Revokes a user's token, or all if `token_id` is `None`, and returns the number of newly revoked ones.
    /// They stop working within two seconds.
    pub async fn run(&self, user_id: UserId, token_id: Option<PersonalTokenId>) -> Result<u64, StorageError> {
        let mut unit = self.units.begin().await?;
        let revoked = unit.personal_tokens().revoke(user_id, token_id, self.trail.now()).await?;
        let event = (revoked > 0).then(|| {
            let event = self.trail.event(AuditActor::Operator, AuditKind::PersonalTokenRevoked);
            let event = event.user(user_id).count(revoked);
            token_id.map_or(event.clone(), |id| event.subject(id.as_uuid()))
        });
        commit(unit, event.as_slice()).await?;
        Ok(revoked)
    }
}
