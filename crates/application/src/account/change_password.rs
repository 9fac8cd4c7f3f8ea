//! Changes the password of a person who is signed in.

use super::open_session::fresh_session;
use super::password_change::replace_password;
use super::password_check::{PasswordAttempt, PasswordCheckpoint, ProvenPassword};
use super::sign_in::still_proven;
use super::{NewPassword, NewPasswordError, PasswordCheckError, SignInLimits, SignInPorts, SignedIn};
use crate::mail::{QueueMail, QueueMailError, password_changed};
use crate::ports::storage::{GrantFilter, StorageError, UnitOfWork};
use crate::ports::system::{MailSealError, PasswordHashingError, PasswordJudge};
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::grant::RevocationReason;
use domain::id::{AuditEventId, UserId};
use domain::known_browser::known_browser_cookie;
use domain::password::{Password, PasswordHash};
use domain::secret::Secret;
use domain::user::Email;
use std::net::IpAddr;
use std::sync::Arc;

/// What a signed-in person asks for.
#[derive(Clone, Copy)]
pub struct ChangePasswordCommand<'a> {
    /// Who.
    pub user_id: UserId,
    /// Their address, as their session shows it.
    pub email: &'a Email,
    /// The present password, as typed.
    pub current: &'a str,
    /// The new password, as typed.
    pub new: &'a str,
    /// What this browser keeps of an earlier sign-in, if anything.
    pub known_browser: Option<&'a Secret>,
    /// Whether apps and personal access tokens are to lose their access as well (security.md T67).
    pub disconnect_apps: bool,
    /// From where.
    pub address: IpAddr,
}

/// Why a password is not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    /// The new one does not obey the rules. The present one was not looked at.
    #[error(transparent)]
    Rule(#[from] NewPasswordError),
    /// The present one was not taken.
    #[error(transparent)]
    Check(#[from] PasswordCheckError),
    /// The message that tells the person cannot be sealed.
    #[error(transparent)]
    Seal(#[from] MailSealError),
}

impl From<StorageError> for ChangePasswordError {
    fn from(error: StorageError) -> Self {
        Self::Check(error.into())
    }
}

impl From<PasswordHashingError> for ChangePasswordError {
    fn from(error: PasswordHashingError) -> Self {
        Self::Check(error.into())
    }
}

impl From<QueueMailError> for ChangePasswordError {
    fn from(error: QueueMailError) -> Self {
        match error {
            QueueMailError::Seal(error) => Self::Seal(error),
            QueueMailError::Storage(error) => error.into(),
        }
    }
}

/// Changes passwords.
pub struct ChangePassword {
    checkpoint: PasswordCheckpoint,
    judge: Arc<dyn PasswordJudge>,
    mail: Option<QueueMail>,
}

impl ChangePassword {
    /// Takes the ports, the limits against guessing, and the outbox if mail can be sent.
    pub fn new(
        ports: SignInPorts,
        limits: SignInLimits,
        judge: Arc<dyn PasswordJudge>,
        mail: Option<QueueMail>,
    ) -> Self {
        Self { checkpoint: PasswordCheckpoint::new(ports, limits), judge, mail }
    }

    /// Sets the new password, ends every session, and returns a new one for this browser (security.md T30).
    pub async fn run(&self, command: ChangePasswordCommand<'_>) -> Result<SignedIn, ChangePasswordError> {
        let new = NewPassword::judge(command.new, command.email, self.judge.as_ref())?;
        let proven = self.prove(&command).await?;
        let ports = self.checkpoint.ports();
        let hash = ports.hasher.hash(new.password()).await?;
        let mut unit = ports.units.begin().await?;
        let signed_in = self.write(unit.as_mut(), &command, &proven, &hash).await?;
        unit.commit().await?;
        Ok(signed_in)
    }

    /// Checks the present password, within the same limits as a sign-in.
    async fn prove(&self, command: &ChangePasswordCommand<'_>) -> Result<ProvenPassword, PasswordCheckError> {
        let password = Password::parse(command.current).map_err(|_| PasswordCheckError::InvalidForm)?;
        let attempt = PasswordAttempt {
            email: command.email.as_str(),
            password: &password,
            address: command.address,
            owner: Some(command.user_id),
            known_browser: command.known_browser,
        };
        self.checkpoint.check(attempt).await
    }

    async fn write(
        &self,
        unit: &mut dyn UnitOfWork,
        command: &ChangePasswordCommand<'_>,
        proven: &ProvenPassword,
        hash: &PasswordHash,
    ) -> Result<SignedIn, ChangePasswordError> {
        let ports = self.checkpoint.ports();
        let now = ports.clock.now();
        still_proven(unit, proven).await?;
        let ended = replace_password(unit, command.user_id, hash, now).await?;
        let (session, cookie) = fresh_session(command.user_id, now, ports.entropy.as_ref());
        unit.sessions().insert(&session).await?;
        let event = self.event(AuditKind::PasswordSet, command, now);
        unit.audit().append(&event.subject(session.id.as_uuid()).count(ended)).await?;
        if command.disconnect_apps {
            self.disconnect(unit, command, now).await?;
        }
        if let Some(mail) = &self.mail {
            mail.run(unit, &password_changed(command.email, mail.links()), now).await?;
        }
        Ok(SignedIn { session, cookie, known_browser: known_browser_cookie(command.user_id, hash) })
    }

    /// Takes everything back that apps and scripts hold, and what they would get without being asked about.
    async fn disconnect(
        &self,
        unit: &mut dyn UnitOfWork,
        command: &ChangePasswordCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let user_id = command.user_id;
        let filter = GrantFilter { user_id: Some(user_id), ..GrantFilter::default() };
        let grants = unit.grants().revoke(filter, now, RevocationReason::Person).await?;
        let tokens = unit.personal_tokens().revoke(user_id, None, now).await?;
        unit.consents().forget(Some(user_id), None).await?;
        for (kind, count) in [(AuditKind::GrantRevoked, grants), (AuditKind::PersonalTokenRevoked, tokens)] {
            if count > 0 {
                unit.audit().append(&self.event(kind, command, now).count(count)).await?;
            }
        }
        Ok(())
    }

    fn event(&self, kind: AuditKind, command: &ChangePasswordCommand<'_>, now: DateTime<Utc>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.checkpoint.ports().entropy.uuid());
        AuditEvent::new(id, now, kind, AuditActor::Person)
            .user(command.user_id)
            .from(AddressBlock::containing(command.address))
    }
}
