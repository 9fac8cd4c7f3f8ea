//! Signs a user out of every browser.

use crate::audit::{self, commit};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{SessionId, UserId};

/// Input of [`EndSessions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndSessionsCommand {
    /// Owner's id.
    pub user_id: UserId,
    /// Session that stays open, if any.
    pub except: Option<SessionId>,
    /// The caller: the user or the operator.
    pub actor: AuditActor,
    /// The user's network; `None` for the operator.
    pub address: Option<AddressBlock>,
}

/// Errors of [`EndSessions`].
#[derive(Debug, thiserror::Error)]
pub enum EndSessionsError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Ends a user's sessions, pending sign-ins and unused links; returns the number of sessions. The caller has
/// locked the user.
pub(crate) async fn end_sign_ins(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    except: Option<SessionId>,
) -> Result<u64, StorageError> {
    unit.pending_sign_ins().delete_of_user(user_id).await?;
    unit.password_links().delete_of_user(user_id).await?;
    unit.sessions().delete_of_user(user_id, except).await
}

audit::use_case! {
    /// Ends all sessions of a user.
    EndSessions
}

impl EndSessions {
    /// Ends the sessions and returns their number. Grants and personal access tokens stay valid.
    pub async fn run(&self, command: EndSessionsCommand) -> Result<u64, EndSessionsError> {
        let EndSessionsCommand { user_id, except, actor, address } = command;
        let mut unit = self.units.begin().await?;
        unit.users().find(user_id).await?.ok_or(EndSessionsError::NotFound)?;
        let ended = end_sign_ins(unit.as_mut(), user_id, except).await?;
        let event = self.trail.event(actor, AuditKind::SignedOutEverywhere).user(user_id).count(ended);
        commit(unit, &[AuditEvent { address, ..event }]).await?;
        Ok(ended)
    }
}
