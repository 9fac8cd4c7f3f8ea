//! Samples of the password pages.

use super::view::{LinkPurpose, MailSent, RequestLink, SetPassword};
use crate::account::passkeys::view::PasskeyChoice;
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, moment, sample, variant};
use domain::secret::{Secret, SecretBytes, SecretKind};

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = asking_for_a_link(source);
    samples.extend(choosing(source));
    samples
}

fn asking_for_a_link(source: TextSource) -> Vec<Sample> {
    let page = |purpose, email: &str, errors| RequestLink {
        purpose,
        form_token: source("Zm9ybS10b2tlbg"),
        email: email.to_owned(),
        errors,
    };
    let wrong = FormErrors::field("email", source("Enter a valid email address."));
    vec![
        sample("forgot_password", &page(LinkPurpose::Reset, "", FormErrors::none())),
        sample("sign_up", &page(LinkPurpose::SignUp, "", FormErrors::none())),
        variant("sign_up_unreadable", &page(LinkPurpose::SignUp, &source("sam"), wrong)),
        sample("mail_sent_reset", &MailSent { purpose: LinkPurpose::Reset }),
        sample("mail_sent_sign_up", &MailSent { purpose: LinkPurpose::SignUp }),
    ]
}

fn choosing(source: TextSource) -> Vec<Sample> {
    let page = |purpose, errors| SetPassword {
        purpose,
        form_token: source("Zm9ybS10b2tlbg"),
        link: Secret::from_bytes(SecretKind::PasswordLink, &SecretBytes::new([7; 32])),
        email: Some(source("sam@example.org")),
        time_zone: String::new(),
        passkeys: Vec::new(),
        relying_party: Some(source("rest.example")),
        disconnects_apps: None,
        has_developer_page: true,
        errors,
    };
    let short = FormErrors::field("password", source("It needs 15 characters or more."));
    let sign_up = SetPassword {
        email: None,
        time_zone: "Europe/Berlin".to_owned(),
        ..page(LinkPurpose::SignUp, FormErrors::none())
    };
    let phone = PasskeyChoice {
        id: source("0f8fad5b-d9cb-469f-a165-70867728950e"),
        name: source("My phone"),
        added: moment(source, "20 November 2026", "2026-11-20"),
        stays: false,
    };
    let key = PasskeyChoice {
        id: source("7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        name: source("Blue security key"),
        stays: true,
        ..phone.clone()
    };
    let reset = SetPassword {
        passkeys: vec![phone.clone(), key],
        disconnects_apps: Some(false),
        ..page(LinkPurpose::Reset, FormErrors::none())
    };
    let at_address = SetPassword {
        passkeys: vec![phone],
        relying_party: None,
        disconnects_apps: Some(true),
        has_developer_page: false,
        ..page(LinkPurpose::Reset, FormErrors::none())
    };
    let no_zone = short.clone().and("time_zone", source("Choose a city."));
    vec![
        sample("set_password_invitation", &page(LinkPurpose::Invitation, FormErrors::none())),
        sample("set_password_reset", &reset),
        variant("set_password_reset_at_an_address", &at_address),
        variant("set_password_too_short", &page(LinkPurpose::Reset, short)),
        sample("set_password_sign_up", &sign_up),
        variant("set_password_sign_up_refused", &page(LinkPurpose::SignUp, no_zone)),
    ]
}
