//! Samples of the account page.

use super::email::view::{ChangeEmail, ConfirmEmail};
use super::erase::view::{Erase, Erased};
use super::passkeys::view::{PasskeyAdding, PasskeyLine, Passkeys};
use super::second_factor::view::CodesLine;
use super::view::{Account, BrowserLine};
use crate::kept_form::view::KeptForm;
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};
use domain::secret::{Secret, SecretBytes, SecretKind};

#[expect(clippy::too_many_lines, reason = "one block for each sample")]
pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let browser = BrowserLine {
        is_this: true,
        id: source("5e4b7a0c-3d0e-4f7a-9a63-3f0f5a1d2c44"),
        name: source("Firefox on Android"),
        address: Some(source("2001:db8:1:2::/64")),
        first_seen: moment(source, "21 November 2026, 08:55", "2026-11-21T07:55:00Z"),
        last_seen: moment(source, "21 November 2026, 09:14", "2026-11-21T08:14:00Z"),
    };
    let other =
        BrowserLine { is_this: false, name: source("Unknown browser"), address: None, ..browser.clone() };
    let phone = PasskeyLine {
        id: source("0f8fad5b-d9cb-469f-a165-70867728950e"),
        name: source("My phone"),
        typed_name: source("My phone"),
        has_error: false,
        added: moment(source, "20 November 2026", "2026-11-20"),
        stays: true,
        last_used: Some(moment(source, "21 November 2026, 08:55", "2026-11-21T07:55:00Z")),
        is_backed_up: true,
    };
    let key = PasskeyLine {
        id: source("7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        name: source("Blue security key"),
        typed_name: source("Blue security key"),
        stays: false,
        last_used: None,
        is_backed_up: false,
        ..phone.clone()
    };
    let adding = PasskeyAdding::Possible {
        relying_party: source("rest.example"),
        user_handle: source("VL_rPoijQkqfFxqmsKA7Ow"),
        algorithms: source("-8 -7 -257"),
        existing: source("AQID BAUG"),
        typed_name: String::new(),
    };
    let quiet = Account {
        person: person(source),
        notice: Some(source("Your password has been changed.")),
        time_zone: source("Europe/Berlin"),
        second_factor: Some(CodesLine { left: 10 }),
        browsers: vec![browser, other],
        passkeys: Passkeys { lines: vec![phone, key], adding },
        disconnects_apps: false,
        has_developer_page: true,
        errors: FormErrors::none(),
    };
    let refused = Account {
        notice: None,
        errors: FormErrors::field("current_password", source("That is not your current password."))
            .and("new_password", source("This password is easy to guess.")),
        ..quiet.clone()
    };
    let unnamed = PasskeyLine { typed_name: source(" "), has_error: true, ..quiet.passkeys.lines[0].clone() };
    let renamed = Account {
        notice: None,
        passkeys: Passkeys { lines: vec![unnamed], adding: PasskeyAdding::TooOld },
        errors: FormErrors::form("Enter a name of 1 to 100 visible characters."),
        ..quiet.clone()
    };
    let at_address = Account {
        notice: None,
        second_factor: None,
        disconnects_apps: true,
        has_developer_page: false,
        passkeys: Passkeys { lines: Vec::new(), adding: PasskeyAdding::NoHostName },
        ..quiet.clone()
    };
    let full = Account {
        passkeys: Passkeys { adding: PasskeyAdding::TooMany, ..at_address.passkeys.clone() },
        ..at_address.clone()
    };
    let erase = Erase { person: person(source), errors: FormErrors::none() };
    let other = FormErrors::field("email", source("That is not the email address of your account."));
    let erased = Erased {
        erasure_id: source("7d0f3c61-5a0e-4f0a-9a63-3f0f5a1d2c44"),
        erased_at: moment(source, "21 November 2026, 09:20", "2026-11-21T08:20:00Z"),
    };
    let change = ChangeEmail {
        person: person(source),
        sends_mail: true,
        email: String::new(),
        errors: FormErrors::none(),
    };
    let without_mail = ChangeEmail { sends_mail: false, ..change.clone() };
    let invalid = FormErrors::field("email", source("Enter a valid email address."));
    let refused_change = ChangeEmail { email: source("sam"), errors: invalid, ..change.clone() };
    let link = Secret::from_bytes(SecretKind::PasswordLink, &SecretBytes::new([7; 32]));
    let confirm = ConfirmEmail { person: person(source), link, email: source("sam@new.example.org") };
    let kept = KeptForm {
        person: person(source),
        action: "/tokens",
        what: "creating an access token",
        fields: vec![(source("name"), source("Diary script")), ("scope".to_owned(), source("sleep"))],
    };
    vec![
        sample("kept_form", &kept),
        sample("change_email", &change),
        sample("change_email_without_mail", &without_mail),
        variant("change_email_refused", &refused_change),
        sample("confirm_email", &confirm),
        sample("account", &quiet),
        variant("account_refused", &refused),
        variant("account_passkey_renamed", &renamed),
        sample("account_no_passkeys", &at_address),
        variant("account_passkeys_full", &full),
        sample("erase", &erase),
        variant("erase_refused", &Erase { errors: other, ..erase.clone() }),
        sample("erased", &erased),
    ]
}
