//! What services of accounts need besides the store: a password hasher, a strength check and email.

use crate::Harness;
use crate::fixture::{link, now, seconds, user, user_id};
use crate::second_factor_form::Trusting;
use crate::service::{Distinct, UNLIMITED, audited, secret_text};
use application::account::{
    LinkRequestLimits, PasswordCheckpoint, PasswordHashingError, PasswordLinks, Passwords, SignIns,
};
use application::mail::{PublicLinks, QueueMail};
use application::ports::storage::{FailureCount, FailureCounter, FailureKey, StorageError};
use application::ports::system::{
    FormSealer, Mail, MailSealError, MailSealer, PasswordCheck, PasswordHasher, PasswordStrengthChecker,
};
use application::session::SignInLimits;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{MessageId, UserId};
use domain::password::{Password, PasswordHash};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use std::sync::{Arc, Mutex};

/// The password of person 1 after [`Accounts::set_password`].
pub(crate) const PASSWORD: &str = "a quiet night in the hills";
pub(crate) const NEW_PASSWORD: &str = "another night by the sea";

/// A hash with current parameters.
pub(crate) fn hash_of(password: &str) -> PasswordHash {
    PasswordHash::from_phc(format!("today:{password}"))
}

/// A hash with weaker parameters.
pub(crate) fn weak_hash_of(password: &str) -> PasswordHash {
    PasswordHash::from_phc(format!("weak:{password}"))
}

/// The secret of the link with this number.
pub(crate) fn link_secret(number: u8) -> Secret {
    secret_text(SecretKind::PasswordLink, number)
}

pub(crate) fn link_for(number: u8, purpose: PasswordLinkPurpose) -> PasswordLink {
    PasswordLink { hash: link_secret(number).hash(), purpose, ..link(1) }
}

/// A hasher of [`hash_of`], which records its calls. It locks person 1 as long as it runs, so that it fails
/// if a unit of work is open.
pub(crate) struct Hasher {
    harness: Harness,
    /// Each checked password's stored hash.
    pub(crate) checked: Mutex<Vec<Option<PasswordHash>>>,
    /// Each hashed password.
    pub(crate) hashed: Mutex<Vec<String>>,
    /// Why no password is hashed, if none is.
    fault: Option<PasswordHashingError>,
    /// Why no password is checked, if none is.
    check_fault: Option<PasswordHashingError>,
}

impl Hasher {
    const fn new(harness: Harness, fault: Option<PasswordHashingError>) -> Self {
        let checked = Mutex::new(Vec::new());
        Self { harness, checked, hashed: Mutex::new(Vec::new()), fault, check_fault: None }
    }

    async fn lock_person(&self) {
        let mut unit = self.harness.begin().await;
        unit.users().find(user_id(1)).await.unwrap();
        unit.rollback().await.unwrap();
    }
}

#[async_trait]
impl PasswordHasher for Hasher {
    async fn hash(&self, password: &Password) -> Result<PasswordHash, PasswordHashingError> {
        self.fault.map_or(Ok(()), Err)?;
        self.lock_person().await;
        self.hashed.lock().unwrap().push(password.expose().to_owned());
        Ok(hash_of(password.expose()))
    }

    async fn check<'a>(
        &self,
        password: &'a Password,
        stored: Option<&'a PasswordHash>,
    ) -> Result<PasswordCheck, PasswordHashingError> {
        self.check_fault.map_or(Ok(()), Err)?;
        self.lock_person().await;
        self.checked.lock().unwrap().push(stored.cloned());
        let (kind, text) = stored.and_then(|hash| hash.as_phc().split_once(':')).unzip();
        Ok(PasswordCheck { is_right: text == Some(password.expose()), is_outdated: kind == Some("weak") })
    }
}

/// Rejects passwords that start with "password" or contain the name part of the address.
struct WordList;

impl PasswordStrengthChecker for WordList {
    fn is_guessable(&self, password: &Password, about_the_person: &str) -> bool {
        let (name, _) = about_the_person.split_once('@').unwrap();
        password.expose().starts_with("password") || password.expose().contains(name)
    }
}

/// Stores the number of each message in place of its text.
#[derive(Default)]
struct Mails(Mutex<Vec<Mail>>);

impl MailSealer for Mails {
    fn seal(&self, _: MessageId, mail: &Mail) -> Result<Vec<u8>, MailSealError> {
        let mut mails = self.0.lock().unwrap();
        mails.push(mail.clone());
        Ok(vec![u8::try_from(mails.len() - 1).unwrap()])
    }

    fn open(&self, _: MessageId, sealed: &[u8]) -> Result<Mail, MailSealError> {
        Ok(self.0.lock().unwrap()[usize::from(sealed[0])].clone())
    }
}

/// A sealer of no form.
struct NoForms;

impl FormSealer for NoForms {
    fn seal(&self, _: UserId, _: &str) -> Option<String> {
        None
    }

    fn open(&self, _: UserId, _: &str) -> Option<String> {
        None
    }
}

/// Counters that fail.
pub(crate) struct NoCounters;

#[async_trait]
impl FailureCounter for NoCounters {
    async fn record_failure(
        &self,
        _: &[FailureKey],
        _: DateTime<Utc>,
        _: TimeDelta,
    ) -> Result<Vec<FailureCount>, StorageError> {
        Err(StorageError::Unavailable)
    }

    async fn uncount(&self, _: &[FailureKey], _: DateTime<Utc>) -> Result<(), StorageError> {
        Err(StorageError::Unavailable)
    }

    async fn forget(&self, _: &[FailureKey]) -> Result<(), StorageError> {
        Err(StorageError::Unavailable)
    }

    async fn delete_stale(&self, _: DateTime<Utc>, _: u32) -> Result<u64, StorageError> {
        Err(StorageError::Unavailable)
    }
}

/// Services of accounts, at [`now`].
pub(crate) struct Accounts {
    harness: Harness,
    pub(crate) hasher: Arc<Hasher>,
    limits: SignInLimits,
    mails: Arc<Mails>,
}

impl Accounts {
    /// No limits.
    pub(crate) const LIMITS: SignInLimits =
        SignInLimits { per_account: UNLIMITED, per_account_and_day: UNLIMITED, per_address: UNLIMITED };

    pub(crate) fn new(harness: &Harness) -> Self {
        Self::failing(harness, None)
    }

    /// With a hasher that hashes no password.
    pub(crate) fn failing(harness: &Harness, fault: Option<PasswordHashingError>) -> Self {
        let hasher = Arc::new(Hasher::new(harness.clone(), fault));
        Self { harness: harness.clone(), hasher, limits: Self::LIMITS, mails: Arc::default() }
    }

    /// With a hasher that is too busy to check a password.
    pub(crate) fn busy(harness: &Harness) -> Self {
        let hasher = Hasher::new(harness.clone(), None);
        let hasher = Arc::new(Hasher { check_fault: Some(PasswordHashingError::Busy), ..hasher });
        Self { hasher, ..Self::new(harness) }
    }

    pub(crate) fn limited(harness: &Harness, limits: SignInLimits) -> Self {
        Self { limits, ..Self::new(harness) }
    }

    fn mail(&self) -> QueueMail {
        QueueMail::new(self.mails.clone(), Arc::new(Distinct), PublicLinks::new("https://rest.example/"))
    }

    fn checkpoint(&self) -> PasswordCheckpoint {
        PasswordCheckpoint {
            store: audited(&self.harness),
            credentials: self.harness.credentials.clone(),
            hasher: self.hasher.clone(),
            failures: self.harness.failures.clone(),
            limits: self.limits,
        }
    }

    /// Without email.
    pub(crate) fn sign_ins(&self, policy: SecondFactorPolicy) -> SignIns {
        SignIns {
            checkpoint: self.checkpoint(),
            pending: self.harness.pending_sign_ins.clone(),
            totp_sealer: Arc::new(Trusting),
            form_sealer: Arc::new(NoForms),
            policy,
            mail: None,
        }
    }

    pub(crate) fn passwords(&self, policy: SecondFactorPolicy) -> Passwords {
        Passwords {
            checkpoint: self.checkpoint(),
            links: self.harness.password_links.clone(),
            profiles: self.harness.profiles.clone(),
            strength_checker: Arc::new(WordList),
            policy,
            mail: Some(self.mail()),
        }
    }

    pub(crate) fn links(&self) -> PasswordLinks {
        PasswordLinks {
            store: audited(&self.harness),
            reader: self.harness.password_links.clone(),
            failures: self.harness.failures.clone(),
            limits: LinkRequestLimits { per_email: UNLIMITED, per_address: UNLIMITED },
            is_sign_up_open: true,
            mail: Some(self.mail()),
        }
    }

    /// Sets a hash of a password of person 1, an hour ago.
    pub(crate) async fn set_password(&self, hash: &PasswordHash) {
        let mut unit = self.harness.begin().await;
        unit.passwords().set(user_id(1), hash, seconds(-3600)).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Returns the hash of the password of this person.
    pub(crate) async fn password(&self, user: UserId) -> Option<PasswordHash> {
        self.harness.begin().await.passwords().find(user).await.unwrap()
    }

    /// Returns the queued messages in their order, and deletes them.
    pub(crate) async fn queued(&self) -> Vec<Mail> {
        let mut unit = self.harness.begin().await;
        let mut messages = unit.outbox().claim(now(), seconds(300), 100).await.unwrap();
        for message in &messages {
            assert_eq!((message.queued_at, message.attempts), (now(), 1));
            assert!(unit.outbox().delete(message.id).await.unwrap());
        }
        unit.commit().await.unwrap();
        messages.sort_by(|one, other| one.sealed.cmp(&other.sealed));
        messages.iter().map(|message| self.mails.open(message.id, &message.sealed).unwrap()).collect()
    }

    /// Checks that one message is queued, to person 1; returns its subject and text.
    pub(crate) async fn only_mail(&self) -> (String, String) {
        let [mail] = self.queued().await.try_into().ok().unwrap();
        assert_eq!(mail.to, user(1).email);
        (mail.subject, mail.text)
    }
}
