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

/// Numbers of what ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedSignIns {
    /// Sessions.
    pub sessions: u64,
    /// Unused password links.
    pub links: u64,
}

/// Ends a user's sessions, pending sign-ins and unused links. The caller has locked the user.
pub(crate) async fn end_sign_ins(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    except: Option<SessionId>,
) -> Result<EndedSignIns, StorageError> {
    unit.pending_sign_ins().delete_of_user(user_id).await?;
    let links = unit.password_links().delete_of_user(user_id).await?;
    let sessions = unit.sessions().delete_of_user(user_id, except).await?;
    Ok(EndedSignIns { sessions, links })
}

audit::use_case! {
    /// Ends all sessions of a user.
    EndSessions
}

impl EndSessions {
    /// Ends the sessions, and links to choose a password. Grants and personal access tokens stay valid.
    pub async fn run(&self, command: EndSessionsCommand) -> Result<EndedSignIns, EndSessionsError> {
        let EndSessionsCommand { user_id, except, actor, address } = command;
        let mut unit = self.units.begin().await?;
        unit.users().find(user_id).await?.ok_or(EndSessionsError::NotFound)?;
        let ended = end_sign_ins(unit.as_mut(), user_id, except).await?;
        let event =
            self.trail.event(actor, AuditKind::SignedOutEverywhere).user(user_id).count(ended.sessions);
        commit(unit, &[AuditEvent { address, ..event }]).await?;
        Ok(ended)
    }
}
