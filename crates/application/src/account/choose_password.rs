//! Uses a link: somebody chooses a password, for their account or for a new one.

use super::attempt_counters::account_counters;
use super::find_password_link::usable;
use super::password_change::replace_password;
use super::{NewPassword, NewPasswordError, UsablePasswordLink};
use crate::mail::{QueueMail, QueueMailError, password_changed};
use crate::ports::storage::{
    FailureCounter, PasswordLinkReader, PasswordLinkWithAccount, StorageError, UniqueKey, UnitOfWork,
    UnitOfWorkFactory,
};
use crate::ports::system::{
    Clock, Entropy, MailSealError, PasswordHasher, PasswordHashingError, PasswordJudge,
};
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, UserId};
use domain::password::PasswordHash;
use domain::password_link::PasswordLinkPurpose;
use domain::secret::{Secret, SecretHash, SecretKind};
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use std::net::IpAddr;
use std::sync::Arc;

/// What the use case needs.
#[derive(Clone)]
pub struct ChoosePasswordPorts {
    /// Reads links.
    pub links: Arc<dyn PasswordLinkReader>,
    /// Stores passwords and accounts, and uses links up.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Hashes the password.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Judges the password.
    pub judge: Arc<dyn PasswordJudge>,
    /// The counters against guessing, which a new password settles.
    pub failures: Arc<dyn FailureCounter>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

impl ChoosePasswordPorts {
    /// Forgets what was guessed at an account before its new password. What hinders it ends by itself.
    pub(super) async fn lift_limits(&self, user_id: UserId, email: &Email) {
        if let Err(error) = self.failures.forget(&account_counters(email.as_str())).await {
            tracing::warn!(%user_id, %error, "could not forget failed sign-ins after a new password");
        }
    }
}

/// What the holder of a link sends.
#[derive(Clone, Copy)]
pub struct ChoosePasswordCommand<'a> {
    /// The link's secret, as sent.
    pub link: &'a str,
    /// The password, as typed.
    pub password: &'a str,
    /// The zone of a new account; UTC when none is named. Of no meaning for an account that exists.
    pub home_timezone: Option<TimeZone>,
    /// From where.
    pub address: IpAddr,
}

/// Whose password was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenPassword {
    /// Whose.
    pub user_id: UserId,
    /// Their address.
    pub email: Email,
}

/// Why no password was chosen.
#[derive(Debug, thiserror::Error)]
pub enum ChoosePasswordError {
    /// It is no link, was used, has ended, or its account is locked; which of them is not told.
    #[error("the link cannot be used")]
    UnusableLink,
    /// The password does not obey the rules. The link can be used again.
    #[error(transparent)]
    Rule(#[from] NewPasswordError),
    /// Meanwhile somebody made an account with the address of this sign-up; the link is used up.
    #[error("there is an account with this address already")]
    AccountExists,
    /// As many passwords as may be are being hashed; the link can be used again.
    #[error("too many passwords are being hashed at this moment")]
    Busy,
    /// The password could not be hashed.
    #[error("the password could not be hashed")]
    HashingFailed,
    /// The message that tells the person cannot be sealed.
    #[error(transparent)]
    Seal(#[from] MailSealError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<PasswordHashingError> for ChoosePasswordError {
    fn from(error: PasswordHashingError) -> Self {
        match error {
            PasswordHashingError::Busy => Self::Busy,
            PasswordHashingError::Failed => Self::HashingFailed,
        }
    }
}

impl From<QueueMailError> for ChoosePasswordError {
    fn from(error: QueueMailError) -> Self {
        match error {
            QueueMailError::Seal(error) => Self::Seal(error),
            QueueMailError::Storage(error) => Self::Storage(error),
        }
    }
}

/// Uses links. Nobody is signed in by it: the new password is typed once more, on the page for it.
pub struct ChoosePassword {
    ports: ChoosePasswordPorts,
    mail: Option<QueueMail>,
}

impl ChoosePassword {
    /// Takes the ports, and the outbox if mail can be sent.
    pub fn new(ports: ChoosePasswordPorts, mail: Option<QueueMail>) -> Self {
        Self { ports, mail }
    }

    /// Judges and hashes the password, then uses the link up and stores the hash, all or nothing. Of many racing uses
    /// of a link one succeeds.
    pub async fn run(
        &self,
        command: ChoosePasswordCommand<'_>,
    ) -> Result<ChosenPassword, ChoosePasswordError> {
        let secret = Secret::parse(SecretKind::PasswordLink, command.link)
            .map_err(|_| ChoosePasswordError::UnusableLink)?;
        let found = self.ports.links.find_password_link(&secret.hash()).await?;
        let found = found.and_then(|found| usable(found, self.ports.clock.now()));
        let found = found.ok_or(ChoosePasswordError::UnusableLink)?;
        let new = NewPassword::judge(command.password, &found.email, self.ports.judge.as_ref())?;
        let hash = self.ports.hasher.hash(new.password()).await?;
        let chosen = self.write(&secret, &command, &hash).await?;
        // Whoever reads the mail of the account may try again at once.
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
        let writing = Writing { hash, now, address: AddressBlock::containing(command.address) };
        let mut unit = self.ports.units.begin().await?;
        let hash = secret.hash();
        // Meanwhile the link may have been used, or the account locked.
        let usable = find_and_hold(unit.as_mut(), &hash, now).await?;
        let usable = usable.ok_or(ChoosePasswordError::UnusableLink)?;
        unit.password_links().consume(&hash).await?.ok_or(ChoosePasswordError::UnusableLink)?;
        let UsablePasswordLink { purpose, email, expires_at: _ } = usable;
        let user_id = match purpose {
            PasswordLinkPurpose::Invitation { user_id } | PasswordLinkPurpose::Reset { user_id } => {
                self.replace(unit.as_mut(), user_id, &email, &writing).await?;
                Some(user_id)
            }
            PasswordLinkPurpose::SignUp { .. } => {
                self.sign_up(unit.as_mut(), &email, command.home_timezone, &writing).await?
            }
        };
        // Committed in any case: a link whose address is taken is of no more use.
        unit.commit().await?;
        user_id.map(|user_id| ChosenPassword { user_id, email }).ok_or(ChoosePasswordError::AccountExists)
    }

    /// Sets the password of an account that exists, and tells its person when it had another one.
    async fn replace(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
        email: &Email,
        writing: &Writing<'_>,
    ) -> Result<(), ChoosePasswordError> {
        let had_one = unit.passwords().find(user_id).await?.is_some();
        let ended = replace_password(unit, user_id, writing.hash, writing.now).await?;
        unit.audit().append(&self.event(AuditKind::PasswordSet, user_id, writing).count(ended)).await?;
        if let Some(mail) = self.mail.as_ref().filter(|_| had_one) {
            mail.run(unit, &password_changed(email, mail.links()), writing.now).await?;
        }
        Ok(())
    }

    /// Makes an account with this address and password; nothing when somebody else was quicker.
    async fn sign_up(
        &self,
        unit: &mut dyn UnitOfWork,
        email: &Email,
        home_timezone: Option<TimeZone>,
        writing: &Writing<'_>,
    ) -> Result<Option<UserId>, StorageError> {
        let user = User {
            id: UserId::from_uuid(self.ports.entropy.uuid()),
            email: email.clone(),
            home_timezone: home_timezone.unwrap_or(TimeZone::UTC),
            created_at: writing.now,
            status: UserStatus::Active,
            biology: Biology::default(),
        };
        match unit.users().insert(&user).await {
            Err(StorageError::Conflict(UniqueKey::UserEmail)) => return Ok(None),
            other => other?,
        }
        unit.passwords().set(user.id, writing.hash, writing.now).await?;
        // Another link for the same address would outlive the account.
        unit.password_links().delete_sign_ups(email).await?;
        for kind in [AuditKind::UserCreated, AuditKind::PasswordSet] {
            unit.audit().append(&self.event(kind, user.id, writing)).await?;
        }
        Ok(Some(user.id))
    }

    fn event(&self, kind: AuditKind, user_id: UserId, writing: &Writing<'_>) -> AuditEvent {
        let id = AuditEventId::from_uuid(self.ports.entropy.uuid());
        AuditEvent::new(id, writing.now, kind, AuditActor::Person).user(user_id).from(writing.address)
    }
}

/// What is written with everything, whatever the link is for.
struct Writing<'a> {
    hash: &'a PasswordHash,
    now: DateTime<Utc>,
    address: AddressBlock,
}

/// Returns a usable link and holds its person until the end of the unit of work.
async fn find_and_hold(
    unit: &mut dyn UnitOfWork,
    hash: &SecretHash,
    now: DateTime<Utc>,
) -> Result<Option<UsablePasswordLink>, StorageError> {
    let Some(link) = unit.password_links().find(hash).await?.filter(|link| link.is_live(now)) else {
        return Ok(None);
    };
    let account = match link.purpose {
        PasswordLinkPurpose::SignUp { .. } => None,
        PasswordLinkPurpose::Invitation { user_id } | PasswordLinkPurpose::Reset { user_id } => {
            unit.users().find(user_id).await?.map(|user| (user.email, user.status))
        }
    };
    Ok(usable(PasswordLinkWithAccount { link, account }, now))
}
