//! Redeems a password link: sets the password of an existing or a new account.

use super::attempt_counters::account_counters;
use super::find_password_link::usable;
use super::open_session::{ProvenPerson, open_session};
use super::password_change::replace_password;
use super::{NewPassword, NewPasswordError, SignInOrigin, SignInProgress, UsablePasswordLink};
use crate::mail::{QueueMail, password_changed};
use crate::ports::storage::{
    FailureCounter, PasswordLinkReader, PasswordLinkWithAccount, StorageError, UniqueKey, UnitOfWork,
    UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy, PasswordHasher, PasswordHashingError, PasswordStrengthChecker};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::password::PasswordHash;
use domain::password_link::PasswordLinkPurpose;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
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

/// Input of [`ChoosePassword`].
#[derive(Clone, Copy)]
pub struct ChoosePasswordCommand<'a> {
    /// Secret of the link, as sent.
    pub link: &'a str,
    /// Password, as typed.
    pub password: &'a str,
    /// Time zone of a new account; UTC if `None`. Ignored for an existing account.
    pub home_timezone: Option<TimeZone>,
    /// Visit cookie of the browser, to which a second step is bound.
    pub visit: &'a Secret,
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
                self.replace(unit.as_mut(), user_id, &email, &context).await?;
                Some(ChosenPassword { user_id, email, sign_in: None })
            }
            PasswordLinkPurpose::SignUp { .. } => {
                let user_id = self.sign_up(unit.as_mut(), &email, command.home_timezone, &context).await?;
                match user_id {
                    Some(user_id) => {
                        let sign_in = Some(self.sign_in(unit.as_mut(), user_id, command, now).await?);
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
        command: &ChoosePasswordCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<SignInProgress, StorageError> {
        if self.policy == SecondFactorPolicy::Required {
            let step = SecondStep::SetUp;
            let pending = PendingSignIn {
                visit_hash: command.visit.hash(),
                user_id,
                step,
                is_known_browser: false,
                expires_at: now + step.lifetime(),
            };
            unit.pending_sign_ins().put(&pending).await?;
            return Ok(SignInProgress::SecondStep);
        }
        let proven = ProvenPerson { user_id, method: AuthenticationMethod::Password, origin: command.origin };
        let opened = open_session(unit, proven, self.ports.clock.as_ref(), self.ports.entropy.as_ref());
        opened.await.map(SignInProgress::SignedIn)
    }

    /// Sets the password of an existing account, and emails the owner if it replaces another password.
    async fn replace(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
        email: &Email,
        context: &WriteContext<'_>,
    ) -> Result<(), ChoosePasswordError> {
        let had_one = unit.passwords().find(user_id).await?.is_some();
        let ended = replace_password(unit, user_id, context.hash, context.now).await?;
        unit.audit().append(&self.event(AuditKind::PasswordSet, user_id, context).count(ended)).await?;
        if let Some(mail) = self.mail.as_ref().filter(|_| had_one) {
            mail.run(unit, &password_changed(email, mail.links()), context.now).await?;
        }
        Ok(())
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
