//! Takes back what a person granted to apps.

use crate::audit::{AuditTrail, commit};
use crate::ports::storage::{GrantFilter, StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::code::CodeLifetime;
use domain::grant::RevocationReason;
use domain::id::{ClientId, UserId};
use std::net::IpAddr;
use std::sync::Arc;

/// Which apps of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisconnectAppsCommand {
    /// The person.
    pub user_id: UserId,
    /// The app; nothing means every one.
    pub client_id: Option<ClientId>,
    /// From where the person does it.
    pub address: IpAddr,
}

/// Disconnects apps.
pub struct DisconnectApps {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
    trail: AuditTrail,
}

impl DisconnectApps {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        let trail = AuditTrail::new(entropy, clock.clone());
        Self { units, clock, trail }
    }

    /// Revokes the person's live grants of these apps and returns how many there were; their tokens end within two
    /// seconds. Remembered consents are forgotten. Every code of the person that is not redeemed yet is void, of
    /// whichever app: it lives for a minute, and the app asks again.
    pub async fn run(&self, command: DisconnectAppsCommand) -> Result<u64, StorageError> {
        let DisconnectAppsCommand { user_id, client_id, address } = command;
        let at = self.clock.now();
        let mut unit = self.units.begin().await?;
        // Held until the end: a code that is being issued or redeemed is waited for, and then seen with its grant.
        unit.users().find(user_id).await?;
        // Those of a replica whose clock is ahead count too.
        unit.codes().discard_unredeemed(Some(user_id), CodeLifetime::MAX.end_from(at)).await?;
        let filter = GrantFilter { user_id: Some(user_id), client_id, ..GrantFilter::default() };
        let revoked = unit.grants().revoke(filter, at, RevocationReason::Person).await?;
        let forgotten = unit.consents().forget(Some(user_id), client_id).await?;
        let event = (revoked + forgotten > 0).then(|| {
            let event = self.trail.event(AuditActor::Person, AuditKind::GrantRevoked);
            let event = event.user(user_id).count(revoked).from(AddressBlock::containing(address));
            AuditEvent { client_id, ..event }
        });
        commit(unit, event.as_slice()).await?;
        Ok(revoked)
    }
}
