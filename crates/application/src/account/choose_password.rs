//! Redeems a password link: sets the password of an existing or a new account.

use super::attempt_counters::account_counters;
use super::find_password_link::usable;
use super::open_session::{ProvenPerson, open_session};
use super::password_change::{OtherCredentials, end_other_credentials, replace_password};
use super::second_step::{WaitingPerson, begin_second_step};
use super::{NewPassword, NewPasswordError, SignInOrigin, SignInProgress, UsablePasswordLink};
use crate::mail::{QueueMail, password_changed};
use crate::passkey::ConfirmedPasskey;
use crate::ports::storage::{
    FailureCounter, PasswordLinkReader, PasswordLinkWithAccount, StorageError, UniqueKey, UnitOfWork,
    UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy, PasswordHasher, PasswordHashingError, PasswordStrengthChecker};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, PasskeyId, UserId};
use domain::password::PasswordHash;
use domain::password_link::PasswordLinkPurpose;
use domain::pending_sign_in::SecondStep;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretHash, SecretKind};
use domain::session::AuthenticationMethod;
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use std::sync::Arc;

/// Ports of [`ChoosePassword`].
#[derive(Clone)]
pub struct ChoosePasswordPorts {
    /// Reader of password links.
    pub links: Arc<dyn PasswordLinkReader>,
    /// Units of work that set passwords, create accounts and consume links.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Password hasher.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Password strength check.
    pub strength_checker: Arc<dyn PasswordStrengthChecker>,
    /// Sign-in failure counters; a new password resets those of the account.
    pub failures: Arc<dyn FailureCounter>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Source of ids and secrets.
    pub entropy: Arc<dyn Entropy>,
}

impl ChoosePasswordPorts {
    /// Deletes the account's failure counters after a password change. An error is only logged: the windows
    /// end by themselves.
    pub(super) async fn lift_limits(&self, user_id: UserId, email: &Email) {
        if let Err(error) = self.failures.forget(&account_counters(email.as_str())).await {
            tracing::warn!(%user_id, %error, "could not reset failed sign-ins after a new password");
        }
    }
}

/// Passkeys that stay although a link sets the password.
#[derive(Debug, Clone, Copy)]
pub struct KeptPasskeys<'a> {
    /// A passkey of the person, who confirmed with it: a stranger who reads their email does not have it.
    pub confirmed: ConfirmedPasskey,
    /// Ids of those that stay.
    pub ids: &'a [PasskeyId],
}

/// Input of [`ChoosePassword`].
#[derive(Clone, Copy)]
pub struct ChoosePasswordCommand<'a> {
    /// Secret of the link, as sent.
    pub link: &'a str,
    /// Password, as typed.
    pub password: &'a str,
    /// Time zone of a new account; UTC if `None`. Ignored for an existing account.
    pub home_timezone: Option<TimeZone>,
    /// Passkeys of an existing account that stay; all others are removed (security.md T106).
    pub kept_passkeys: Option<KeptPasskeys<'a>>,
    /// Whether to revoke the grants of apps and the personal access tokens of an existing account too.
    pub disconnect_apps: bool,
    /// The browser.
    pub origin: SignInOrigin<'a>,
}

/// The account whose password was set.
#[derive(Debug, Clone)]
pub struct ChosenPassword {
    /// Owner's id.
    pub user_id: UserId,
    /// Email address of the account.
    pub email: Email,
    /// Sign-in of a new account; `None` if the account existed.
    pub sign_in: Option<SignInProgress>,
}

/// Errors of [`ChoosePassword`].
#[derive(Debug, thiserror::Error)]
pub enum ChoosePasswordError {
    /// The link is malformed, unknown, used or expired, or its account is locked; the caller does not learn
    /// which.
    #[error("the link cannot be used")]
    UnusableLink,
    /// The password breaks a rule. The link stays valid.
    #[error(transparent)]
    Rule(#[from] NewPasswordError),
    /// An account with this email address was created since the link was sent. The link is consumed.
    #[error("an account with this address already exists")]
    AccountExists,
    /// The passkey is gone, or its counter went back. The link stays valid.
    #[error("the passkey was rejected")]
    PasskeyRejected,
    /// The operator requires a second factor, and no other would be left. The link stays valid.
    #[error("this is the only second factor")]
    LastFactor,
    /// The password could not be hashed. The link stays valid.
    #[error(transparent)]
    Hashing(#[from] PasswordHashingError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Redeems password links. The owner of a new account is signed in at once; that of an existing one signs
/// in with the new password and, if there is one, the second factor.
#[derive(Constructor)]
pub struct ChoosePassword {
    ports: ChoosePasswordPorts,
    policy: SecondFactorPolicy,
    /// `None` if no email is sent.
    mail: Option<QueueMail>,
}

impl ChoosePassword {
    /// Validates and hashes the password, then consumes the link and stores the hash in one transaction. Only
    /// one of several concurrent uses of a link succeeds.
    pub async fn run(
        &self,
        command: ChoosePasswordCommand<'_>,
    ) -> Result<ChosenPassword, ChoosePasswordError> {
        let secret = Secret::parse(SecretKind::PasswordLink, command.link)
            .map_err(|_| ChoosePasswordError::UnusableLink)?;
        let found = self.ports.links.find_password_link(&secret.hash()).await?;
        let found = found.and_then(|found| usable(found, self.ports.clock.now()));
        let sets_password =
            |found: &UsablePasswordLink| !matches!(found.purpose, PasswordLinkPurpose::EmailChange { .. });
        let found = found.filter(sets_password).ok_or(ChoosePasswordError::UnusableLink)?;
        let new = NewPassword::check(command.password, &found.email, self.ports.strength_checker.as_ref())?;
        let hash = self.ports.hasher.hash(new.password()).await?;
        let chosen = self.write(&secret, &command, &hash).await?;
        // The owner of the mailbox may sign in again at once.
        self.ports.lift_limits(chosen.user_id, &chosen.email).await;
        Ok(chosen)
    }

    async fn write(
        &self,
        secret: &Secret,
        command: &ChoosePasswordCommand<'_>,
        hash: &PasswordHash,
    ) -> Result<ChosenPassword, ChoosePasswordError> {
        let now = self.ports.clock.now();
        let context = WriteContext { hash, now, address: AddressBlock::containing(command.origin.address) };
        let mut unit = self.ports.units.begin().await?;
        let hash = secret.hash();
        // Read again: the link may have been used, or the account locked, while the password was hashed.
        let usable = find_and_lock(unit.as_mut(), &hash, now).await?;
        let usable = usable.ok_or(ChoosePasswordError::UnusableLink)?;
        unit.password_links().consume(&hash).await?.ok_or(ChoosePasswordError::UnusableLink)?;
        let UsablePasswordLink { purpose, email, expires_at: _ } = usable;
        let chosen = match purpose {
            PasswordLinkPurpose::Invitation { user_id } | PasswordLinkPurpose::Reset { user_id } => {
                self.replace(unit.as_mut(), (user_id, &email), command, &context).await?;
                Some(ChosenPassword { user_id, email, sign_in: None })
            }
            PasswordLinkPurpose::SignUp { .. } => {
                let user_id = self.sign_up(unit.as_mut(), &email, command.home_timezone, &context).await?;
                match user_id {
                    Some(user_id) => {
                        let sign_in = Some(self.sign_in(unit.as_mut(), user_id, command.origin).await?);
                        Some(ChosenPassword { user_id, email, sign_in })
                    }
                    None => None,
                }
            }
            PasswordLinkPurpose::EmailChange { .. } => return Err(ChoosePasswordError::UnusableLink),
        };
        // Committed even if the address is taken: the link is useless then.
        unit.commit().await?;
        chosen.ok_or(ChoosePasswordError::AccountExists)
    }

    /// Signs the owner of a new account in, who has just proven the password and the mailbox.
    async fn sign_in(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
        origin: SignInOrigin<'_>,
    ) -> Result<SignInProgress, StorageError> {
        let (clock, entropy) = (self.ports.clock.as_ref(), self.ports.entropy.as_ref());
        if self.policy == SecondFactorPolicy::Required {
            let waiting = WaitingPerson { user_id, step: SecondStep::SetUp, is_known_browser: false, origin };
            let begun = begin_second_step(unit, waiting, clock, entropy);
            return begun.await.map(SignInProgress::SecondStep);
        }
        let proven = ProvenPerson { user_id, method: AuthenticationMethod::Password, origin };
        open_session(unit, proven, clock, entropy).await.map(SignInProgress::SignedIn)
    }

    /// Sets the password of an existing account, and emails the owner if it replaces another password.
    async fn replace(
        &self,
        unit: &mut dyn UnitOfWork,
        (user_id, email): (UserId, &Email),
        command: &ChoosePasswordCommand<'_>,
        context: &WriteContext<'_>,
    ) -> Result<(), ChoosePasswordError> {
        let had_one = unit.passwords().find(user_id).await?.is_some();
        let ended = replace_password(unit, user_id, context.hash, context.now).await?;
        unit.audit().append(&self.event(AuditKind::PasswordSet, user_id, context).count(ended)).await?;
        self.end_others(unit, user_id, command, context).await?;
        if let Some(mail) = self.mail.as_ref().filter(|_| had_one) {
            mail.run(unit, &password_changed(email, mail.links()), context.now).await?;
        }
        Ok(())
    }

    /// Ends what somebody who knew the old password may have added.
    async fn end_others(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
        command: &ChoosePasswordCommand<'_>,
        context: &WriteContext<'_>,
    ) -> Result<(), ChoosePasswordError> {
        let kept_passkeys = match command.kept_passkeys {
            None => &[],
            Some(KeptPasskeys { confirmed: ConfirmedPasskey { user_id: owner, id, usage }, ids }) => {
                if owner != user_id || !unit.passkeys().record_use(user_id, id, usage).await? {
                    return Err(ChoosePasswordError::PasskeyRejected);
                }
                ids
            }
        };
        let ChoosePasswordCommand { disconnect_apps, .. } = *command;
        let others = OtherCredentials { user_id, kept_passkeys, disconnect_apps, policy: self.policy };
        let event = |kind| self.event(kind, user_id, context);
        let is_enough = end_other_credentials(unit, others, context.now, &event).await?;
        is_enough.then_some(()).ok_or(ChoosePasswordError::LastFactor)
    }

    /// Creates an account with this address and password; `None` if the address was taken in the meantime.
    async fn sign_up(
        &self,
        unit: &mut dyn UnitOfWork,
        email: &Email,
        home_timezone: Option<TimeZone>,
        context: &WriteContext<'_>,
    ) -> Result<Option<UserId>, StorageError> {
        let user = User {
            id: UserId::from_uuid(self.ports.entropy.uuid()),
            email: email.clone(),
            home_timezone: home_timezone.unwrap_or(TimeZone::UTC),
            created_at: context.now,
            status: UserStatus::Active,
            biology: Biology::default(),
        };
        match unit.users().insert(&user).await {
            Err(StorageError::Conflict(UniqueKey::UserEmail)) => return Ok(None),
            other => other?,
        }
        unit.passwords().set(user.id, context.hash, context.now).await?;
        // Another sign-up link for this address would outlive the account.
        unit.password_links().delete_sign_ups(email).await?;
        for kind in [AuditKind::UserCreated, AuditKind::PasswordSet] {
            unit.audit().append(&self.event(kind, user.id, context)).await?;
        }
        Ok(Some(user.id))
    }

    fn event(&self, kind: AuditKind, user_id: UserId, context: &WriteContext<'_>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.ports.entropy.uuid());
        AuditEvent::new(id, context.now, kind, AuditActor::Person).user(user_id).from(context.address)
    }
}

/// Values shared by every write, whatever the purpose of the link.
struct WriteContext<'a> {
    hash: &'a PasswordHash,
    now: DateTime<Utc>,
    address: AddressBlock,
}

/// Returns a usable link, and locks its user until the unit of work ends.
pub(super) async fn find_and_lock(
    unit: &mut dyn UnitOfWork,
    hash: &SecretHash,
    now: DateTime<Utc>,
) -> Result<Option<UsablePasswordLink>, StorageError> {
    let Some(link) = unit.password_links().find(hash).await?.filter(|link| link.is_live(now)) else {
        return Ok(None);
    };
    let account = match link.purpose.user_id() {
        Some(user_id) => unit.users().find(user_id).await?.map(|user| (user.email, user.status)),
        None => None,
    };
    Ok(usable(PasswordLinkWithAccount { link, account }, now))
}
