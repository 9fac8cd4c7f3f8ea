//! Ports, errors and checks shared by changes of a second factor.

use crate::account::end_sign_ins;
use crate::mail::QueueMail;
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy, TotpSealer};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::device::Device;
use domain::id::AuditEventId;
use domain::session::Session;
use domain::user::Email;
use std::net::IpAddr;
use std::sync::Arc;

/// Ports of the changes.
#[derive(Clone)]
pub struct SecondFactorPorts {
    /// Units of work.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Secrets and codes of authenticator apps.
    pub sealer: Arc<dyn TotpSealer>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Source of ids and secrets.
    pub entropy: Arc<dyn Entropy>,
    /// `None` if no email is sent.
    pub mail: Option<QueueMail>,
}

/// A change that a signed-in user makes.
#[derive(Debug, Clone, Copy)]
pub struct SecondFactorChange<'a> {
    /// Session of the user.
    pub session: &'a Session,
    /// The caller's IP address.
    pub address: IpAddr,
    /// Browser and platform, if the browser names itself.
    pub device: Option<Device>,
}

/// Why a change fails.
#[derive(Debug, thiserror::Error)]
pub enum SecondFactorChangeError {
    /// The sign-in is too old, or the session has ended: the user signs in again.
    #[error("the sign-in is too old to change the second factor")]
    NotFresh,
    /// The account has no second factor.
    #[error("the account has no second factor")]
    NotSet,
    /// The operator requires a second factor.
    #[error("the operator requires a second factor")]
    Required,
    /// The code is malformed or wrong.
    #[error("the code is wrong")]
    WrongCode,
    /// The form expired.
    #[error("the secret to set up has expired")]
    SetUpExpired,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl SecondFactorPorts {
    /// Locks the user and returns their address, if the session still exists and began recently enough.
    pub(super) async fn lock(
        &self,
        unit: &mut dyn UnitOfWork,
        change: &SecondFactorChange<'_>,
    ) -> Result<Email, SecondFactorChangeError> {
        let Session { user_id, id, .. } = *change.session;
        let user = unit.users().find(user_id).await?.filter(|user| user.status.is_active());
        let session = unit.sessions().find(user_id, id).await?;
        match (user, session) {
            (Some(user), Some(_)) => Ok(user.email),
            _ => Err(SecondFactorChangeError::NotFresh),
        }
    }

    /// Ends the user's other sessions and all pending sign-ins; returns the number of sessions.
    pub(super) async fn end_others(
        &self,
        unit: &mut dyn UnitOfWork,
        session: &Session,
    ) -> Result<u64, StorageError> {
        Ok(end_sign_ins(unit, session.user_id, Some(session.id)).await?.sessions)
    }

    pub(super) fn is_fresh(&self, session: &Session) -> bool {
        session.is_fresh(self.clock.now())
    }

    pub(super) fn event(&self, kind: AuditKind, change: &SecondFactorChange<'_>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.entropy.uuid());
        AuditEvent::new(id, self.clock.now(), kind, AuditActor::Person)
            .user(change.session.user_id)
            .device(change.device)
            .from(change.address)
    }
}
