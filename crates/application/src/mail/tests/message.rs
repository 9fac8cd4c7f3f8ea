use super::super::{
    IssuedLink, PublicLinks, account_exists, confirm_email, email_change_requested, email_changed,
    invitation, new_password, passkey_added, passkey_removed, password_changed, recovery_code_used,
    recovery_codes_created, reset, second_factor_reset, second_factor_turned_off, second_factor_turned_on,
    sign_up, test,
};
use crate::ports::system::Mail;
use crate::testing::{noon, secret, user_id};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::secret::SecretKind;
use domain::user::Email;

fn to() -> Email {
    Email::parse("robin@example.org").unwrap()
}

fn links() -> PublicLinks {
    let (name, contact) = ("Example Clinic".to_owned(), "help@rest.example".to_owned());
    PublicLinks::new("https://rest.example/").operated_by(Some(name), Some(contact))
}

/// All messages with a link, and the lifetime of that link.
fn messages_with_links() -> Vec<(Mail, &'static str)> {
    let secret = secret(SecretKind::PasswordLink, 9);
    let user_id = user_id(1);
    let write = |purpose, text: fn(&Email, &PublicLinks, &IssuedLink<'_>) -> Mail| {
        let stored = PasswordLink::new(secret.hash(), purpose, noon());
        text(&to(), &links(), &IssuedLink { secret: &secret, stored: &stored })
    };
    vec![
        (write(PasswordLinkPurpose::Invitation { user_id }, invitation), "3 days"),
        (
            write(PasswordLinkPurpose::Invitation { user_id }, |to, links, link| {
                new_password(to, links, link, true)
            }),
            "3 days",
        ),
        (write(PasswordLinkPurpose::Reset { user_id }, reset), "one hour"),
        (write(PasswordLinkPurpose::SignUp { email: to() }, sign_up), "one day"),
    ]
}

fn messages() -> Vec<Mail> {
    let mut all: Vec<_> = messages_with_links().into_iter().map(|(mail, _)| mail).collect();
    let texts = [account_exists, password_changed, email_change_requested, email_changed, test];
    all.extend(texts.map(|text| text(&to(), &links())));
    let of_second_factors = [
        second_factor_turned_on,
        second_factor_turned_off,
        second_factor_reset,
        recovery_codes_created,
        passkey_added,
        passkey_removed,
    ];
    all.extend(of_second_factors.map(|text| text(&to(), &links())));
    all.extend([0, 1, 3, 9].map(|left| recovery_code_used(&to(), &links(), left)));
    all
}

#[test]
fn a_used_recovery_code_is_reported_with_how_many_are_left_and_advice_if_few() {
    let text = |left| recovery_code_used(&to(), &links(), left).text;
    for (left, number) in
        [(0, "No recovery code is left"), (1, "One recovery code is left"), (3, "3 recovery codes")]
    {
        assert!(text(left).contains(number) && text(left).contains("Create new ones"), "{left}");
    }
    assert!(text(4).contains("4 recovery codes are left.") && !text(4).contains("Create new ones"));
}

#[test]
fn a_reset_second_factor_is_attributed_to_the_operator() {
    let text = second_factor_reset(&to(), &links()).text;
    assert!(text.contains("The operator of https://rest.example (Example Clinic) turned off"), "{text}");
}

#[test]
fn a_link_is_on_a_separate_line_and_its_lifetime_is_stated() {
    let url = format!(
        "\nhttps://rest.example/set-password?link={}\n",
        secret(SecretKind::PasswordLink, 9).expose()
    );
    for (mail, lifetime) in messages_with_links() {
        assert!(mail.text.contains(&url), "{}", mail.subject);
        assert!(mail.text.contains(&format!("works once and expires after {lifetime}.")), "{}", mail.subject);
    }
}

#[test]
fn a_link_to_confirm_an_address_leads_to_its_own_page() {
    let secret = secret(SecretKind::PasswordLink, 9);
    let purpose = PasswordLinkPurpose::EmailChange { user_id: user_id(1), email: to() };
    let stored = PasswordLink::new(secret.hash(), purpose, noon());
    let mail = confirm_email(&to(), &links(), &IssuedLink { secret: &secret, stored: &stored });
    let url = format!("\nhttps://rest.example/confirm-email?link={}\n", secret.expose());
    assert!(mail.text.contains(&url) && mail.text.contains("expires after one hour"), "{}", mail.text);
    assert!(mail.text.contains("If this was not you"), "{}", mail.text);
}

#[test]
fn every_message_has_advice_for_a_recipient_who_did_not_request_it() {
    for mail in messages() {
        let says =
            ["If this was not you", "If not,", "If you did not expect this", "If you did not ask for this"]
                .iter()
                .any(|text| mail.text.contains(text));
        assert!(says, "{}", mail.subject);
    }
}

/// Lines with links may be long.
#[test]
fn a_message_has_a_subject_of_one_line_short_lines_and_no_address() {
    for mail in messages() {
        assert_eq!(mail.to, to());
        assert!(mail.subject.starts_with("Restwell: ") && !mail.subject.contains(['\r', '\n']));
        assert!(mail.text.ends_with('\n') && !mail.text.contains('\r'));
        assert!(!mail.text.contains("robin") && !mail.subject.contains("robin"));
        assert!(mail.text.len() < 800, "{}", mail.subject);
    }
}

#[test]
fn every_message_names_the_operator_and_the_contact_if_it_asks_for_one() {
    for mail in messages() {
        assert!(mail.text.contains("https://rest.example (Example Clinic)"), "{}", mail.text);
        assert!(!mail.text.contains("contact the operator.") && !mail.text.contains("ask the operator to"));
        let asks = mail.text.contains("contact the operator");
        assert_eq!(mail.text.contains("the operator (help@rest.example)"), asks, "{}", mail.text);
    }
}

#[test]
fn a_message_of_an_operator_without_a_name_has_the_address_alone() {
    let text = email_changed(&to(), &PublicLinks::new("https://rest.example")).text;
    assert!(text.contains("on https://rest.example now has"), "{text}");
    assert!(text.contains("contact the operator now."), "{text}");
}

#[test]
fn a_trailing_slash_of_the_public_url_is_not_doubled() {
    for base in ["https://rest.example", "https://rest.example/"] {
        assert_eq!(PublicLinks::new(base).sign_in(), "https://rest.example/sign-in");
        assert_eq!(PublicLinks::new(base).forgot_password(), "https://rest.example/forgot-password");
    }
}
