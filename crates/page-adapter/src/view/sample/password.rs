//! Samples of the password pages.

use super::{Sample, TextSource, sample, variant};
use crate::view::{FormErrors, LinkPurpose, MailSent, RequestLink, SetPassword};
use domain::secret::{Secret, SecretBytes, SecretKind};

pub(super) fn samples(source: TextSource) -> Vec<Sample> {
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
        errors,
    };
    let short = FormErrors::field("password", source("It needs 15 characters or more."));
    let sign_up = SetPassword {
        email: None,
        time_zone: "Europe/Berlin".to_owned(),
        ..page(LinkPurpose::SignUp, FormErrors::none())
    };
    let no_zone = short.clone().and("time_zone", source("Choose a city."));
    vec![
        sample("set_password_invitation", &page(LinkPurpose::Invitation, FormErrors::none())),
        variant("set_password_too_short", &page(LinkPurpose::Reset, short)),
        sample("set_password_sign_up", &sign_up),
        variant("set_password_sign_up_refused", &page(LinkPurpose::SignUp, no_zone)),
    ]
}
