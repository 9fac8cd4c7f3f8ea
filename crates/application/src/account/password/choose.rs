//! Redeems a password link: sets the password of an existing or a new account.

use super::Passwords;
use crate::account::password_change::{OtherCredentials, end_other_credentials, replace_password};
use crate::account::password_link::{find_and_lock, usable};
use crate::account::second_step::{WaitingPerson, begin_second_step};
use crate::account::{NewPassword, NewPasswordError, SignInProgress, UsablePasswordLink};
use crate::mail::password_changed;
use crate::passkey::ConfirmedPasskey;
use crate::ports::storage::{StorageError, UniqueKey, UnitOfWork};
use crate::ports::system::PasswordHashingError;
use crate::session::{ProvenPerson, SignInOrigin, open_session};
use crate::store::transact;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{PasskeyId, UserId};
use domain::password::PasswordHash;
use domain::password_link::PasswordLinkPurpose;
use domain::pending_sign_in::SecondStep;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use domain::session::AuthenticationMethod;
use domain::time::TimeZone;
use domain::user::{Email, User};

/// Passkeys that stay although a link sets the password.
#[derive(Debug, Clone, Copy)]
pub struct KeptPasskeys<'a> {
    /// A passkey of the person, who confirmed with it: a stranger who reads their email does not have it.
    pub confirmed: ConfirmedPasskey,
    /// Ids of those that stay.
    pub ids: &'a [PasskeyId],
}

/// A password that a person chooses with a link.
#[derive(Clone, Copy)]
pub struct PasswordChoice<'a> {
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

/// Why a link sets no password.
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

impl Passwords {
    /// Validates and hashes the password, then consumes the link and stores the hash in one transaction. Only
    /// one of several concurrent uses of a link succeeds. The owner of a new account is signed in at once;
    /// that of an existing one signs in with the new password and, if there is one, the second factor.
    pub async fn choose(
        &self,
        link: &str,
        choice: PasswordChoice<'_>,
    ) -> Result<ChosenPassword, ChoosePasswordError> {
        let link = Secret::parse(SecretKind::PasswordLink, link)
            .map_err(|_| ChoosePasswordError::UnusableLink)?
            .hash();
        let found = self.links.find_password_link(&link).await?;
        let found = found.and_then(|found| usable(found, self.checkpoint.store.now()));
        let sets_password =
            |found: &UsablePasswordLink| !matches!(found.purpose, PasswordLinkPurpose::EmailChange { .. });
        let found = found.filter(sets_password).ok_or(ChoosePasswordError::UnusableLink)?;
        let new = NewPassword::check(choice.password, &found.email, self.strength_checker.as_ref())?;
        let hash = &self.checkpoint.hasher.hash(new.password()).await?;
        let chosen = Choosing { passwords: self, choice, hash, now: self.checkpoint.store.now() };
        let chosen = transact!(self.checkpoint.store, |tx| {
            // Read again: the link may have been used, or the account locked, while the password was hashed.
            let usable = find_and_lock(tx, &link, chosen.now).await?;
            let UsablePasswordLink { purpose, email, .. } =
                usable.ok_or(ChoosePasswordError::UnusableLink)?;
            tx.password_links().consume(&link).await?.ok_or(ChoosePasswordError::UnusableLink)?;
            match purpose {
                PasswordLinkPurpose::Invitation { user_id } | PasswordLinkPurpose::Reset { user_id } => {
                    chosen.replace(tx, user_id, &email).await?;
                    Ok(Some(ChosenPassword { user_id, email, sign_in: None }))
                }
                PasswordLinkPurpose::SignUp { .. } => Ok(chosen.sign_up(tx, email).await?),
                PasswordLinkPurpose::EmailChange { .. } => Err(ChoosePasswordError::UnusableLink),
            }
        })
        .await?;
        // Committed although the address is taken: the link is useless then.
        let chosen = chosen.ok_or(ChoosePasswordError::AccountExists)?;
        // The owner of the mailbox may sign in again at once.
        self.lift_limits(chosen.user_id, &chosen.email).await;
        Ok(chosen)
    }
}

/// A chosen password that is being stored.
struct Choosing<'a> {
    passwords: &'a Passwords,
    choice: PasswordChoice<'a>,
    hash: &'a PasswordHash,
    now: DateTime<Utc>,
}

impl Choosing<'_> {
    /// Sets the password of an existing account, and emails the owner if it replaces another password.
    async fn replace(
        &self,
        tx: &mut dyn UnitOfWork,
        user_id: UserId,
        email: &Email,
    ) -> Result<(), ChoosePasswordError> {
        let had_one = tx.passwords().find(user_id).await?.is_some();
        let ended = replace_password(tx, user_id, self.hash, self.now).await?;
        tx.record(self.event(AuditKind::PasswordSet, user_id).count(ended)).await?;
        self.end_others(tx, user_id).await?;
        if let Some(mail) = self.passwords.mail.as_ref().filter(|_| had_one) {
            mail.run(tx, &password_changed(email, mail.links()), self.now).await?;
        }
        Ok(())
    }

    /// Ends what somebody who knew the old password may have added.
    async fn end_others(&self, tx: &mut dyn UnitOfWork, user_id: UserId) -> Result<(), ChoosePasswordError> {
        let PasswordChoice { kept_passkeys, disconnect_apps, .. } = self.choice;
        let kept_passkeys = match kept_passkeys {
            None => &[],
            Some(KeptPasskeys { confirmed: ConfirmedPasskey { user_id: owner, id, usage }, ids }) => {
                if owner != user_id || !tx.passkeys().record_use(user_id, id, usage).await? {
                    return Err(ChoosePasswordError::PasskeyRejected);
                }
                ids
            }
        };
        let policy = self.passwords.policy;
        let others = OtherCredentials { user_id, kept_passkeys, disconnect_apps, policy };
        let event = |kind| self.event(kind, user_id);
        let is_enough = end_other_credentials(tx, others, self.now, &event).await?;
        is_enough.then_some(()).ok_or(ChoosePasswordError::LastFactor)
    }

    /// Creates an account with this address and the password, and signs its owner in; `None` if the address
    /// was taken in the meantime.
    async fn sign_up(
        &self,
        tx: &mut dyn UnitOfWork,
        email: Email,
    ) -> Result<Option<ChosenPassword>, StorageError> {
        let user_id = UserId::from_uuid(self.passwords.checkpoint.store.entropy().uuid());
        let home_timezone = self.choice.home_timezone.unwrap_or(TimeZone::UTC);
        let user = User::new(user_id, email.clone(), home_timezone, self.now);
        match tx.users().insert(&user).await {
            Err(StorageError::Conflict(UniqueKey::UserEmail)) => return Ok(None),
            other => other?,
        }
        tx.passwords().set(user_id, self.hash, self.now).await?;
        // Another sign-up link for this address would outlive the account.
        tx.password_links().delete_sign_ups(&email).await?;
        for kind in [AuditKind::UserCreated, AuditKind::PasswordSet] {
            tx.record(self.event(kind, user_id)).await?;
        }
        let sign_in = Some(self.sign_in(tx, user_id).await?);
        Ok(Some(ChosenPassword { user_id, email, sign_in }))
    }

    /// Signs the owner of a new account in, who has just proven the password and the mailbox.
    async fn sign_in(
        &self,
        tx: &mut dyn UnitOfWork,
        user_id: UserId,
    ) -> Result<SignInProgress, StorageError> {
        let (store, origin) = (&self.passwords.checkpoint.store, self.choice.origin);
        if self.passwords.policy == SecondFactorPolicy::Required {
            let waiting = WaitingPerson { user_id, step: SecondStep::SetUp, is_known_browser: false, origin };
            let begun = begin_second_step(tx, waiting, store.clock(), store.entropy());
            return begun.await.map(SignInProgress::SecondStep);
        }
        let proven = ProvenPerson { user_id, method: AuthenticationMethod::Password, origin };
        open_session(tx, proven, store.clock(), store.entropy()).await.map(SignInProgress::SignedIn)
    }

    fn event(&self, kind: AuditKind, user_id: UserId) -> AuditEvent {
        let event = self.passwords.checkpoint.store.event(AuditActor::Person, kind);
        event.user(user_id).from(self.choice.origin.address)
    }
}
