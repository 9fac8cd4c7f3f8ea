//! Samples of the account page.

use super::{Sample, TextSource, moment, person, sample, variant};
use crate::view::{Account, BrowserLine, Erase, Erased, FormErrors};

pub(super) fn samples(source: TextSource) -> Vec<Sample> {
    let browser = BrowserLine {
        is_this: true,
        signed_in: moment(source, "21 November 2026, 08:55", "2026-11-21T07:55:00Z"),
        last_seen: moment(source, "21 November 2026, 09:14", "2026-11-21T08:14:00Z"),
    };
    let other = BrowserLine { is_this: false, ..browser.clone() };
    let quiet = Account {
        person: person(source),
        notice: Some(source("Your password has been changed.")),
        time_zone: source("Europe/Berlin"),
        browsers: vec![browser, other],
        disconnects_apps: false,
        errors: FormErrors::none(),
    };
    let refused = Account {
        notice: None,
        disconnects_apps: true,
        errors: FormErrors::field("current_password", source("That is not your current password."))
            .and("new_password", source("This password is easy to guess.")),
        ..quiet.clone()
    };
    let erase = Erase { person: person(source), errors: FormErrors::none() };
    let other = FormErrors::field("email", source("That is not the email address of your account."));
    let erased = Erased {
        erasure_id: source("7d0f3c61-5a0e-4f0a-9a63-3f0f5a1d2c44"),
        erased_at: moment(source, "21 November 2026, 09:20", "2026-11-21T08:20:00Z"),
    };
    vec![
        sample("account", &quiet),
        sample("account_refused", &refused),
        sample("erase", &erase),
        variant("erase_refused", &Erase { errors: other, ..erase.clone() }),
        sample("erased", &erased),
    ]
}
