//! Samples of the profile page.

use super::original_name;
use super::view::{Profile, ProfileFields, ProfilePreview, ZoneEffect};
use crate::imports::profile::view::ProfileLine;
use crate::view::FormErrors;
use crate::view::profile_field::words;
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};
use domain::user::ProfileField;

#[expect(clippy::too_many_lines, reason = "one block for each sample")]
pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let field = |field: ProfileField, value: &str, from: &str| ProfileFields {
        name: field.as_str(),
        original_name: original_name(field),
        words: words(field),
        value: if value.is_empty() { String::new() } else { source(value) },
        was: if value.is_empty() { String::new() } else { source(value) },
        source: source(from),
    };
    let shown = Profile {
        person: person(source),
        notice: Some(source("Your profile has been saved.")),
        fields: vec![
            field(ProfileField::HomeTimezone, "Europe/Berlin", "Set when your account was created"),
            field(ProfileField::BirthDate, "1990-05-17", "Imported from export.zip on 3 November 2026"),
            field(ProfileField::BiologicalSex, "", "Not set"),
            field(ProfileField::BloodType, "", "Set by the operator on 3 November 2026"),
            field(ProfileField::Height, "172.5", "Entered by you on 3 November 2026"),
            field(ProfileField::Weight, "", "Not set"),
            field(ProfileField::SkinType, "", "Not set"),
            field(ProfileField::WheelchairUse, "", "Not set"),
        ],
        suggested: Vec::new(),
        created: moment(source, "3 August 2026, 09:12", "2026-08-03T07:12:00Z"),
        errors: FormErrors::none(),
    };
    let errors = FormErrors::field("home_timezone", source("Choose a zone."))
        .and("birth_date", source("Enter a date."))
        .and("height_cm", source("Enter a height."));
    let refused =
        Profile { notice: None, suggested: vec!["Europe/Berlin", "Europe/Bern"], errors, ..shown.clone() };
    let line = |label, old: &str, new: &str| ProfileLine {
        name: "height_cm",
        label,
        old: source(old),
        new: source(new),
    };
    let preview = ProfilePreview {
        person: person(source),
        changes: vec![
            line("Home time zone", "Europe/Berlin", "Asia/Tokyo"),
            line("Height", "172.5 cm", "not set"),
        ],
        effect: Some(ZoneEffect {
            clock_old: source("23 November 2026, 09:00"),
            clock_new: source("23 November 2026, 17:00"),
            night: Some((
                source("Sunday, 22 November 2026, 22:53 to 06:08"),
                source("Monday, 23 November 2026, 06:53 to 14:08"),
            )),
        }),
        fields: vec![[
            ("height_cm".to_owned(), String::new()),
            ("was_height_cm".to_owned(), source("172.5")),
        ]],
    };
    let without = ProfilePreview { effect: None, ..preview.clone() };
    vec![
        sample("profile", &shown),
        variant("profile_refused", &refused),
        sample("profile_preview", &preview),
        variant("profile_preview_without_zone", &without),
    ]
}
