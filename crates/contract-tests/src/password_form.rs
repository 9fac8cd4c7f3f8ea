//! Rejected forms about passwords and the links to choose them, each up to the statement that rejects it.

use crate::Harness;
use crate::account::{Accounts, PASSWORD, hash_of, link_for, link_secret};
use crate::fixture::{passkey_id, user, user_id};
use crate::password_change::{CHANGE, CHOICE};
use crate::password_link::store;
use crate::service::{assert_rejected, locked, prepare, signed_out, stale};
use application::account::{
    ChangePasswordError, ChoosePasswordError, ConfirmEmailChangeError, EmailChangeError,
    IssuePasswordLinkError, PasswordChange, Passwords,
};
use application::ports::storage::{PasswordLinkReader, PasswordLinkWithAccount, StorageError};
use async_trait::async_trait;
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::SecretHash;
use domain::user::{Email, User, UserStatus};
use std::sync::Arc;

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

pub(crate) async fn rejected_links_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let (gone, locked) = (&signed_out(person), &locked(harness, person).await);
    let email = Email::parse_stored("gaps-000000000001@sandbox.invalid").unwrap();
    harness.store_user(&User { email, ..user(3) }).await;
    let links = &Accounts::new(harness).links();
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
    let links = &Accounts::new(harness).links();
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
    let confirm =
        async |person, number| links.confirm_email_change(person, link_secret(number).expose()).await;
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
        assert!(links.find(link_secret(number).expose()).await.unwrap().is_some(), "{number}");
    }
    assert_eq!(confirm(person, 1).await.unwrap(), user(7).email);
}

pub(crate) async fn rejected_changes_of_a_password_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    Accounts::new(harness).set_password(&hash_of(PASSWORD)).await;
    let stale = &stale(person);
    let passwords = &Accounts::new(harness).passwords(SecondFactorPolicy::Required);
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
        async |passwords: &Passwords, number| passwords.choose(link_secret(number).expose(), CHOICE).await;
    let is_unusable = |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::UnusableLink);
    for (name, number, link) in [
        ("choose by a link that was used in the meantime", 9, reset(9, 1)),
        ("sign up by a link that was used in the meantime", 3, sign_up),
        ("choose for an account that was locked in the meantime", 2, reset(2, 2)),
    ] {
        let optional = Accounts::new(harness).passwords(SecondFactorPolicy::Optional);
        let passwords = &Passwords { links: Arc::new(Former(link)), ..optional };
        assert_rejected(harness, name, is_unusable, async || choose(passwords, number).await).await;
    }
    let required = &Accounts::new(harness).passwords(SecondFactorPolicy::Required);
    let is_last = |error: &ChoosePasswordError| matches!(error, ChoosePasswordError::LastFactor);
    assert_rejected(harness, "remove the last factor by a link", is_last, async || choose(required, 1).await)
        .await;
    // The link stays valid.
    choose(&Accounts::new(harness).passwords(SecondFactorPolicy::Optional), 1).await.unwrap();
}
