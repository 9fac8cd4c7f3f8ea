//! Rejected forms about passwords and the links to choose them, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{link, passkey_id, password_hash, user, user_id};
use crate::password_link::store;
use crate::service::{
    Distinct, ORIGIN, UNLIMITED, assert_rejected, audited, locked, prepare, secret_text, signed_out, stale,
};
use application::account::{
    ChangePasswordError, ChoosePasswordError, ConfirmEmailChangeError, EmailChangeError,
    IssuePasswordLinkError, LinkRequestLimits, PasswordChange, PasswordCheckpoint, PasswordChoice,
    PasswordLinks, Passwords, SignInLimits,
};
use application::mail::{PublicLinks, QueueMail};
use application::ports::storage::{PasswordLinkReader, PasswordLinkWithAccount, StorageError};
use application::ports::system::{
    Mail, MailSealError, MailSealer, PasswordCheck, PasswordHasher, PasswordHashingError,
    PasswordStrengthChecker,
};
use async_trait::async_trait;
use domain::id::MessageId;
use domain::password::{Password, PasswordHash};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretHash, SecretKind};
use domain::user::{Email, User, UserStatus};
use std::sync::Arc;

const PASSWORD: &str = "another night by the sea";
const CHANGE: PasswordChange<'_> = PasswordChange {
    current: PASSWORD,
    new: PASSWORD,
    known_browser: None,
    kept_passkeys: &[],
    disconnect_apps: false,
    device: None,
};
const CHOICE: PasswordChoice<'_> = PasswordChoice {
    password: PASSWORD,
    home_timezone: None,
    kept_passkeys: None,
    disconnect_apps: false,
    origin: ORIGIN,
};

/// Accepts every password, and seals every message.
struct Trusting;

#[async_trait]
impl PasswordHasher for Trusting {
    async fn hash(&self, _: &Password) -> Result<PasswordHash, PasswordHashingError> {
        Ok(password_hash(9))
    }

    async fn check<'a>(
        &self,
        _: &'a Password,
        _: Option<&'a PasswordHash>,
    ) -> Result<PasswordCheck, PasswordHashingError> {
        Ok(PasswordCheck { is_right: true, is_outdated: false })
    }
}

impl PasswordStrengthChecker for Trusting {
    fn is_guessable(&self, _: &Password, _: &str) -> bool {
        false
    }
}

impl MailSealer for Trusting {
    fn seal(&self, _: MessageId, _: &Mail) -> Result<Vec<u8>, MailSealError> {
        Ok(vec![1])
    }

    fn open(&self, _: MessageId, _: &[u8]) -> Result<Mail, MailSealError> {
        Err(MailSealError)
    }
}

/// What was stored before the password was hashed: a link to an active account.
struct Former(PasswordLink);

#[async_trait]
impl PasswordLinkReader for Former {
    async fn find_password_link(
        &self,
        _: &SecretHash,
    ) -> Result<Option<PasswordLinkWithAccount>, StorageError> {
        let account = Some((user(1).email, UserStatus::Active));
        Ok(Some(PasswordLinkWithAccount { link: self.0.clone(), account }))
    }
}

fn secret(number: u8) -> Secret {
    secret_text(SecretKind::PasswordLink, number)
}

fn link_for(number: u8, purpose: PasswordLinkPurpose) -> PasswordLink {
    PasswordLink { hash: secret(number).hash(), purpose, ..link(1) }
}

fn password_links(harness: &Harness) -> PasswordLinks {
    let public = PublicLinks::new("https://rest.example/");
    PasswordLinks {
        store: audited(harness),
        reader: harness.password_links.clone(),
        failures: harness.failures.clone(),
        limits: LinkRequestLimits { per_email: UNLIMITED, per_address: UNLIMITED },
        is_sign_up_open: true,
        mail: Some(QueueMail::new(Arc::new(Trusting), Arc::new(Distinct), public)),
    }
}

pub(crate) async fn rejected_links_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let (gone, locked) = (&signed_out(person), &locked(harness, person).await);
    let email = Email::parse_stored("gaps-000000000001@sandbox.invalid").unwrap();
    harness.store_user(&User { email, ..user(3) }).await;
    let links = &password_links(harness);
    let issue = async |number| links.issue(user_id(number), true).await;
    let is_unknown = |error: &IssuePasswordLinkError| matches!(error, IssuePasswordLinkError::NotFound);
    let is_locked = |error: &IssuePasswordLinkError| matches!(error, IssuePasswordLinkError::UserLocked);
    let is_sandbox = |error: &IssuePasswordLinkError| matches!(error, IssuePasswordLinkError::SandboxPerson);
    assert_rejected(harness, "invite an unknown person", is_unknown, async || issue(9).await).await;
    assert_rejected(harness, "invite a locked person", is_locked, async || issue(2).await).await;
    assert_rejected(harness, "invite a sandbox person", is_sandbox, async || issue(3).await).await;

    let request = async |person, email| links.mailed().unwrap().request_email_change(person, email).await;
    let is_over = |error: &EmailChangeError| matches!(error, EmailChangeError::SessionEnded);
    let is_same = |error: &EmailChangeError| matches!(error, EmailChangeError::SameAddress);
    let other = user(7).email;
    assert_rejected(harness, "another address after signing out", is_over, async || {
        request(gone, other.as_str()).await
    })
    .await;
    assert_rejected(harness, "another address of a locked account", is_over, async || {
        request(locked, other.as_str()).await
    })
    .await;
    assert_rejected(harness, "the same address", is_same, async || {
        request(person, person.email.as_str()).await
    })
    .await;
    request(person, other.as_str()).await.unwrap();
}

pub(crate) async fn rejected_confirmations_of_an_address_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let (gone, locked) = (&signed_out(person), &locked(harness, person).await);
    let links = &password_links(harness);
    let change = |number, email| PasswordLinkPurpose::EmailChange { user_id: user_id(number), email };
    harness.store_user(&user(3)).await;
    store(
        harness,
        &[
            link_for(1, change(1, user(7).email)),
            link_for(2, change(1, user(2).email)),
            link_for(3, change(3, user(7).email)),
            link_for(4, change(2, user(7).email)),
            link_for(5, PasswordLinkPurpose::Reset { user_id: user_id(1) }),
        ],
    )
    .await;
    let confirm = async |person, number| links.confirm_email_change(person, secret(number).expose()).await;
    let is_unusable =
        |error: &ConfirmEmailChangeError| matches!(error, ConfirmEmailChangeError::UnusableLink);
    let is_taken = |error: &ConfirmEmailChangeError| matches!(error, ConfirmEmailChangeError::AddressTaken);
    for (name, person, number) in [
        ("confirm by an unknown link", person, 9),
        ("confirm after signing out", gone, 1),
        ("confirm the address of another account", person, 3),
        ("confirm the address of a locked account", locked, 4),
        ("confirm by a link to reset a password", person, 5),
    ] {
        assert_rejected(harness, name, is_unusable, async || confirm(person, number).await).await;
    }
    assert_rejected(harness, "confirm a taken address", is_taken, async || confirm(person, 2).await).await;
    // The links stay valid.
    for number in [1, 2, 3, 5] {
        assert!(links.find(secret(number).expose()).await.unwrap().is_some(), "{number}");
    }
    assert_eq!(confirm(person, 1).await.unwrap(), user(7).email);
}

fn passwords(harness: &Harness, policy: SecondFactorPolicy) -> Passwords {
    Passwords {
        checkpoint: PasswordCheckpoint {
            store: audited(harness),
            credentials: harness.credentials.clone(),
            hasher: Arc::new(Trusting),
            failures: harness.failures.clone(),
            limits: SignInLimits::default(),
        },
        links: harness.password_links.clone(),
        profiles: harness.profiles.clone(),
        strength_checker: Arc::new(Trusting),
        policy,
        mail: None,
    }
}

pub(crate) async fn rejected_changes_of_a_password_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.passwords().set(user_id(1), &password_hash(1), person.session.authenticated_at).await.unwrap();
    unit.commit().await.unwrap();
    let stale = &stale(person);
    let passwords = &passwords(harness, SecondFactorPolicy::Required);
    let is_stale = |error: &ChangePasswordError| matches!(error, ChangePasswordError::NotFresh);
    let is_last = |error: &ChangePasswordError| matches!(error, ChangePasswordError::LastFactor);
    for (name, person) in [("after signing out", &signed_out(person)), ("with a second factor", stale)] {
        assert_rejected(harness, name, is_stale, async || passwords.change(person, CHANGE).await).await;
    }
    assert_rejected(harness, "remove the last factor", is_last, async || {
        passwords.change(person, CHANGE).await
    })
    .await;
    let kept = PasswordChange { kept_passkeys: &[passkey_id(1)], ..CHANGE };
    passwords.change(person, kept).await.unwrap();
}

pub(crate) async fn rejected_choices_of_a_password_open_no_connection(harness: &Harness) {
    prepare(harness).await;
    let reset = |number, user| link_for(number, PasswordLinkPurpose::Reset { user_id: user_id(user) });
    let sign_up = link_for(3, PasswordLinkPurpose::SignUp { email: user(7).email });
    store(harness, &[reset(1, 1), reset(2, 2)]).await;
    let choose =
        async |passwords: &Passwords, number| passwords.choose(secret(number).expose(), CHOICE).await;
    let is_unusable = |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::UnusableLink);
    for (name, number, link) in [
        ("choose by a link that was used in the meantime", 9, reset(9, 1)),
        ("sign up by a link that was used in the meantime", 3, sign_up),
        ("choose for an account that was locked in the meantime", 2, reset(2, 2)),
    ] {
        let optional = passwords(harness, SecondFactorPolicy::Optional);
        let passwords = &Passwords { links: Arc::new(Former(link)), ..optional };
        assert_rejected(harness, name, is_unusable, async || choose(passwords, number).await).await;
    }
    let required = &passwords(harness, SecondFactorPolicy::Required);
    let is_last = |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::LastFactor);
    assert_rejected(harness, "remove the last factor by a link", is_last, async || choose(required, 1).await)
        .await;
    // The link stays valid.
    choose(&passwords(harness, SecondFactorPolicy::Optional), 1).await.unwrap();
}
