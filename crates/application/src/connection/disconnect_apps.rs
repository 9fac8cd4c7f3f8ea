//! Revokes what a user granted to apps.

use crate::audit::commit;
use crate::ports::storage::{GrantFilter, StorageError};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::code::CodeLifetime;
use domain::grant::RevocationReason;
use domain::id::{ClientId, UserId};
use std::net::IpAddr;

/// Input of [`DisconnectApps`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisconnectAppsCommand {
    /// Owner's id.
    pub user_id: UserId,
    /// Id of the app; `None` for all apps.
    pub client_id: Option<ClientId>,
    /// The caller's IP address.
    pub address: IpAddr,
}

crate::audit::use_case! {
    /// Disconnects apps.
    DisconnectApps
}

impl DisconnectApps {
    /// Revokes the user's live grants of these apps and returns their number; their tokens stop working
    /// within two seconds. Remembered consents are deleted. All unredeemed codes of the user are discarded,
    /// of any app: they live for a minute, and the app can ask again.
    pub async fn run(&self, command: DisconnectAppsCommand) -> Result<u64, StorageError> {
        let DisconnectAppsCommand { user_id, client_id, address } = command;
        let at = self.trail.now();
        let mut unit = self.units.begin().await?;
        // Locked until the end: a concurrent issue or redemption of a code finishes first, and its grant is
        // then seen.
        unit.users().find(user_id).await?;
        // Includes codes of a replica whose clock is ahead.
        unit.codes().discard_unredeemed(Some(user_id), CodeLifetime::MAX.end_from(at)).await?;
        let filter = GrantFilter { user_id: Some(user_id), client_id, ..GrantFilter::default() };
        let revoked = unit.grants().revoke(filter, at, RevocationReason::Person).await?;
        let forgotten = unit.consents().forget(Some(user_id), client_id).await?;
        let event = (revoked + forgotten > 0).then(|| {
            let event = self.trail.event(AuditActor::Person, AuditKind::GrantRevoked);
            let event = event.user(user_id).count(revoked).from(address);
            AuditEvent { client_id, ..event }
        });
        commit(unit, event.as_slice()).await?;
        Ok(revoked)
    }
}
