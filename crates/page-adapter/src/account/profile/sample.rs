//! Samples of the profile page.

use super::view::{Profile, ProfileFields, ProfilePreview, ZoneEffect};
use crate::imports::profile::view::ProfileLine;
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};

#[expect(clippy::too_many_lines, reason = "one block for each sample")]
pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let field = |name, original_name, label, value: &str, from: &str| ProfileFields {
        name,
        original_name,
        label,
        value: if value.is_empty() { String::new() } else { source(value) },
        was: if value.is_empty() { String::new() } else { source(value) },
        source: source(from),
    };
    let shown = Profile {
        person: person(source),
        notice: Some(source("Your profile has been saved.")),
        fields: vec![
            field(
                "home_timezone",
                "was_home_timezone",
                "Home time zone",
                "Europe/Berlin",
                "Set when your account was created",
            ),
            field(
                "birth_date",
                "was_birth_date",
                "Birth date",
                "1990-05-17",
                "Imported from export.zip on 3 November 2026",
            ),
            field("biological_sex", "was_biological_sex", "Biological sex", "", "Not set"),
            field("blood_type", "was_blood_type", "Blood type", "", "Set by the operator on 3 November 2026"),
            field("height_cm", "was_height_cm", "Height", "172.5", "Entered by you on 3 November 2026"),
            field("weight_kg", "was_weight_kg", "Weight", "", "Not set"),
            field("skin_type", "was_skin_type", "Skin type", "", "Not set"),
            field("wheelchair_use", "was_wheelchair_use", "Wheelchair use", "", "Not set"),
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
        fields: vec![[("height_cm", String::new()), ("was_height_cm", source("172.5"))]],
    };
    let without = ProfilePreview { effect: None, ..preview.clone() };
    vec![
        sample("profile", &shown),
        variant("profile_refused", &refused),
        sample("profile_preview", &preview),
        variant("profile_preview_without_zone", &without),
    ]
}
