//! Samples of the pages of the second factor.

use super::view::{CodesLine, RecoveryCodes, SecondFactor, SetUpSecondFactor};
use crate::session::second_step::CodeForm;
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};
use crate::view::{FormErrors, QrCode};
use zeroize::Zeroizing;

#[expect(clippy::too_many_lines, reason = "one block for each sample")]
pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let step = CodeForm {
        form_token: source("Zm9ybS10b2tlbg"),
        request: Some(source("0b6c7a5e-8e63-4d19-9f14-0a2f6c1d7e55")),
        to: None,
        with_recovery: false,
        other_way: "/sign-in/second-factor?with=recovery-code".to_owned(),
        errors: FormErrors::none(),
    };
    let wrong = FormErrors::field("code", source("This recovery code is incorrect or was used before."));
    let recovery = CodeForm {
        to: Some("tokens"),
        request: None,
        with_recovery: true,
        other_way: "/sign-in/second-factor".to_owned(),
        errors: wrong,
        ..step.clone()
    };
    let uri = "otpauth://totp/sleep.example.org:sam%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    let set_up = SetUpSecondFactor {
        person: Some(person(source)),
        form_token: source("Zm9ybS10b2tlbg"),
        action: "/account/second-factor",
        qr: QrCode::encode(uri),
        uri: Zeroizing::new(uri.to_owned()),
        secret: Zeroizing::new("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ".to_owned()),
        enrolment: source("c2VhbGVk"),
        request: None,
        to: None,
        errors: FormErrors::none(),
    };
    let required = SetUpSecondFactor {
        person: None,
        action: "/sign-in/second-factor",
        qr: None,
        to: Some("apps"),
        errors: FormErrors::field("code", source("This code is incorrect.")),
        ..set_up.clone()
    };
    let codes = RecoveryCodes {
        codes: (0..10).map(|number| Zeroizing::new(source(&format!("k7qm-2x9d-f4hp-8tn{number}")))).collect(),
        is_new_factor: true,
        next: "/account".to_owned(),
    };
    let on = SecondFactor {
        person: person(source),
        set_up: moment(source, "21 November 2026", "2026-11-21"),
        codes: CodesLine { left: 3 },
        is_required: false,
    };
    vec![
        sample("second_step", &step),
        sample("second_step_recovery", &recovery),
        sample("set_up_second_factor", &set_up),
        sample("set_up_second_factor_required", &required),
        sample("recovery_codes", &codes),
        variant("recovery_codes_new", &RecoveryCodes { is_new_factor: false, ..codes.clone() }),
        sample("second_factor", &on),
        sample(
            "second_factor_required",
            &SecondFactor { is_required: true, codes: CodesLine { left: 10 }, ..on },
        ),
    ]
}
