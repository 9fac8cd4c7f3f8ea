//! Changes the password of a signed-in user.

use super::open_session::{ProvenPerson, store_session};
use super::password_change::{OtherCredentials, end_other_credentials, replace_password};
use super::password_check::{PasswordAttempt, PasswordCheckpoint, ProvenPassword};
use super::sign_in::still_proven;
use super::{
    NewPassword, NewPasswordError, PasswordCheckError, SignInLimits, SignInOrigin, SignInPorts, SignedIn,
};
use crate::mail::{QueueMail, password_changed};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::ports::system::{PasswordHashingError, PasswordStrengthChecker};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::device::Device;
use domain::id::{AuditEventId, PasskeyId};
use domain::password::{Password, PasswordHash};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::Secret;
use domain::session::Session;
use domain::user::Email;
use std::net::IpAddr;
use std::sync::Arc;

/// Input of [`ChangePassword`].
#[derive(Clone, Copy)]
pub struct ChangePasswordCommand<'a> {
    /// Session of the user.
    pub session: &'a Session,
    /// Their email address.
    pub email: &'a Email,
    /// Current password, as typed.
    pub current: &'a str,
    /// New password, as typed.
    pub new: &'a str,
    /// Known-browser cookie of an earlier sign-in, if any.
    pub known_browser: Option<&'a Secret>,
    /// Passkeys that stay; the others are removed (security.md T106).
    pub kept_passkeys: &'a [PasskeyId],
    /// Whether to revoke the grants of apps and the personal access tokens too (security.md T67).
    pub disconnect_apps: bool,
    /// The caller's IP address.
    pub address: IpAddr,
    /// Browser and platform, if the browser names itself.
    pub device: Option<Device>,
}

/// Errors of [`ChangePassword`].
#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    /// The new password breaks a rule; the current one was not checked.
    #[error(transparent)]
    Rule(#[from] NewPasswordError),
    /// The account has a second factor, and the user has to sign in again with it first.
    #[error("the sign-in is too old to change the password")]
    NotFresh,
    /// The operator requires a second factor, and no other would be left.
    #[error("this is the only second factor")]
    LastFactor,
    /// The current password was rejected.
    #[error(transparent)]
    Check(#[from] PasswordCheckError),
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

/// Changes passwords.
pub struct ChangePassword {
    checkpoint: PasswordCheckpoint,
    strength_checker: Arc<dyn PasswordStrengthChecker>,
    policy: SecondFactorPolicy,
    mail: Option<QueueMail>,
}

impl ChangePassword {
    /// Creates the use case with the sign-in limits and the policy on second factors; without an outbox it
    /// sends no email.
    pub fn new(
        ports: SignInPorts,
        limits: SignInLimits,
        strength_checker: Arc<dyn PasswordStrengthChecker>,
        policy: SecondFactorPolicy,
        mail: Option<QueueMail>,
    ) -> Self {
        Self { checkpoint: PasswordCheckpoint::new(ports, limits), strength_checker, policy, mail }
    }

    /// Sets the new password, ends every session, and returns a new session for this browser (security.md
    /// T30).
    pub async fn run(&self, command: ChangePasswordCommand<'_>) -> Result<SignedIn, ChangePasswordError> {
        let new = NewPassword::check(command.new, command.email, self.strength_checker.as_ref())?;
        let ports = self.checkpoint.ports();
        let proven = self.prove(&command).await?;
        let hash = ports.hasher.hash(new.password()).await?;
        let mut unit = ports.units.begin().await?;
        let signed_in = self.write(unit.as_mut(), &command, &proven, &hash).await?;
        unit.commit().await?;
        Ok(signed_in)
    }

    /// Checks the current password within the sign-in limits.
    async fn prove(&self, command: &ChangePasswordCommand<'_>) -> Result<ProvenPassword, PasswordCheckError> {
        let password = Password::parse(command.current).map_err(|_| PasswordCheckError::InvalidForm)?;
        let attempt = PasswordAttempt {
            email: command.email.as_str(),
            password: &password,
            address: command.address,
            owner: Some(command.session.user_id),
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
        let Session { user_id, id, method, .. } = *command.session;
        still_proven(unit, proven).await?;
        // A second factor that was turned on in the meantime has ended the session.
        if unit.sessions().find(user_id, id).await?.is_none() {
            return Err(ChangePasswordError::NotFresh);
        }
        // The password alone must not change the password of an account with a second factor.
        let has_factor = unit.second_factors().find(user_id).await?.is_some()
            || !unit.passkeys().list(user_id).await?.is_empty();
        if has_factor && !command.session.is_fresh(now) {
            return Err(ChangePasswordError::NotFresh);
        }
        let ended = replace_password(unit, user_id, hash, now).await?;
        let origin = SignInOrigin {
            address: command.address,
            device: command.device,
            replaces: Some(command.session),
            pending: None,
        };
        let person = ProvenPerson { user_id, method, origin };
        let signed_in = store_session(unit, person, now, ports.entropy.as_ref()).await?;
        let event = self.event(AuditKind::PasswordSet, command, now).device(command.device);
        unit.audit().append(&event.subject(signed_in.session.id.as_uuid()).count(ended)).await?;
        let others = OtherCredentials {
            user_id,
            kept_passkeys: command.kept_passkeys,
            disconnect_apps: command.disconnect_apps,
            policy: self.policy,
        };
        let event = |kind| self.event(kind, command, now);
        if !end_other_credentials(unit, others, now, &event).await? {
            return Err(ChangePasswordError::LastFactor);
        }
        if let Some(mail) = &self.mail {
            mail.run(unit, &password_changed(command.email, mail.links()), now).await?;
        }
        Ok(signed_in)
    }

    fn event(&self, kind: AuditKind, command: &ChangePasswordCommand<'_>, now: DateTime<Utc>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.checkpoint.ports().entropy.uuid());
        AuditEvent::new(id, now, kind, AuditActor::Person).user(command.session.user_id).from(command.address)
    }
}
