//! Words for the fields of a profile.

use domain::user::{ProfileField, ProfileValue};

/// The fields that apps read, as a list.
pub(crate) const LIST: &str =
    "Birth date, sex, height, weight, blood and skin type, wheelchair use, time zone";
/// The same in a sentence.
pub(crate) const SENTENCE: &str =
    "birth date, sex, height, weight, blood and skin type, wheelchair use and time zone";

/// Words for a field.
#[derive(Clone, Copy)]
pub(crate) struct FieldWords {
    pub(crate) label: &'static str,
    /// Symbol of the unit, if the value is a number of one.
    pub(crate) unit: Option<&'static str>,
    /// Start of the hint in the form: a sentence with a space after it, or nothing.
    pub(crate) hint: &'static str,
    /// What to do if a value is not valid.
    pub(crate) remedy: &'static str,
}

const fn choice(label: &'static str) -> FieldWords {
    FieldWords { label, unit: None, hint: "", remedy: "Choose one of the values." }
}

/// Returns the words for a field.
pub(crate) const fn words(field: ProfileField) -> FieldWords {
    match field {
        ProfileField::CreatedAt => choice("Profile created"),
        ProfileField::HomeTimezone => FieldWords {
            hint: "Type a city and choose from the list. ",
            remedy: "Choose the name of a zone from the list, such as Europe/Berlin.",
            ..choice("Home time zone")
        },
        ProfileField::BirthDate => FieldWords {
            remedy: "Enter a valid date, 1880 or later, such as 1990-05-17.",
            ..choice("Birth date")
        },
        ProfileField::BiologicalSex => choice("Biological sex"),
        ProfileField::BloodType => choice("Blood type"),
        ProfileField::Height => FieldWords {
            label: "Height",
            unit: Some("cm"),
            hint: "In centimetres. ",
            remedy: "Enter a height between 20 and 300 centimetres.",
        },
        ProfileField::Weight => FieldWords {
            label: "Weight",
            unit: Some("kg"),
            hint: "In kilograms. ",
            remedy: "Enter a weight between 0.2 and 700 kilograms.",
        },
        ProfileField::SkinType => FieldWords {
            hint: "On the Fitzpatrick scale, from 1 (burns easily) to 6. ",
            ..choice("Skin type")
        },
        ProfileField::WheelchairUse => choice("Wheelchair use"),
    }
}

/// Returns a value in words.
pub(crate) fn shown(value: ProfileValue) -> String {
    match (value, value.text(), words(value.field()).unit) {
        (_, None, _) => "not set".to_owned(),
        (ProfileValue::WheelchairUse(Some(true)), ..) => "yes".to_owned(),
        (ProfileValue::WheelchairUse(Some(false)), ..) => "no".to_owned(),
        (_, Some(text), Some(unit)) => format!("{text} {unit}"),
        (_, Some(text), None) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_about_a_profile_name_every_field_that_apps_read() {
        for field in ProfileField::ALL.into_iter().filter(|field| *field != ProfileField::CreatedAt) {
            let label = words(field).label.to_lowercase();
            // The texts say these in fewer words.
            let name = match field {
                ProfileField::HomeTimezone => "time zone",
                ProfileField::BiologicalSex => "sex",
                ProfileField::BloodType => "blood and",
                _ => &label,
            };
            assert!(LIST.to_lowercase().contains(name) && SENTENCE.contains(name), "{field:?}");
        }
    }

    #[test]
    fn values_are_shown_in_words() {
        let shown = |field, text| shown(ProfileValue::parse(field, text).unwrap());
        assert_eq!(shown(ProfileField::Height, Some("172.5")), "172.5 cm");
        assert_eq!(shown(ProfileField::Weight, Some("64")), "64 kg");
        assert_eq!(shown(ProfileField::WheelchairUse, Some("false")), "no");
        assert_eq!(shown(ProfileField::WheelchairUse, Some("true")), "yes");
        assert_eq!(shown(ProfileField::BirthDate, Some("1990-05-17")), "1990-05-17");
        assert_eq!(shown(ProfileField::BirthDate, None), "not set");
    }
}
