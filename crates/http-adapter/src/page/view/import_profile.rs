//! What an import changed in the profile, and what it proposes to change.

use domain::user::{ProfileChange, ProfileField, ProfileValue};

/// The profile part of an import's page.
#[derive(Clone, Default)]
pub(crate) struct ImportProfile {
    /// What the import changed.
    pub(crate) changed: Vec<ProfileLine>,
    /// What it proposes, beside the profile as it is now.
    pub(crate) proposed: Vec<ProfileLine>,
}

/// A profile field with two values.
#[derive(Clone)]
pub(crate) struct ProfileLine {
    /// The value of the field's box in the form.
    pub(crate) name: &'static str,
    /// What people call the field.
    pub(crate) label: &'static str,
    /// What the profile said or says.
    pub(crate) old: String,
    /// What the file says.
    pub(crate) new: String,
}

impl ProfileLine {
    /// Puts a change into words.
    pub(crate) fn of(change: &ProfileChange) -> Self {
        let field = change.field();
        Self {
            name: field.as_str(),
            label: field_label(field),
            old: words(change.old),
            new: words(change.new),
        }
    }
}

/// Returns what people call the field.
pub(crate) const fn field_label(field: ProfileField) -> &'static str {
    match field {
        ProfileField::CreatedAt => "Profile created",
        ProfileField::HomeTimezone => "Home time zone",
        ProfileField::BirthDate => "Birth date",
        ProfileField::BiologicalSex => "Biological sex",
        ProfileField::BloodType => "Blood type",
        ProfileField::Height => "Height",
        ProfileField::Weight => "Weight",
        ProfileField::SkinType => "Skin type",
        ProfileField::WheelchairUse => "Wheelchair use",
    }
}

fn words(value: ProfileValue) -> String {
    let Some(text) = value.text() else { return "not set".to_owned() };
    match value {
        ProfileValue::Height(_) => format!("{text} cm"),
        ProfileValue::Weight(_) => format!("{text} kg"),
        ProfileValue::WheelchairUse(Some(true)) => "yes".to_owned(),
        ProfileValue::WheelchairUse(Some(false)) => "no".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_words() {
        let shown = |field, text| words(ProfileValue::parse(field, text).unwrap());
        assert_eq!(shown(ProfileField::Height, Some("172.5")), "172.5 cm");
        assert_eq!(shown(ProfileField::Weight, Some("64")), "64 kg");
        assert_eq!(shown(ProfileField::WheelchairUse, Some("false")), "no");
        assert_eq!(shown(ProfileField::WheelchairUse, Some("true")), "yes");
        assert_eq!(shown(ProfileField::BirthDate, Some("1990-05-17")), "1990-05-17");
        assert_eq!(shown(ProfileField::BirthDate, None), "not set");
    }
}
