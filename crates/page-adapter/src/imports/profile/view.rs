//! Profile changes of an import: applied ones and proposals.

use domain::user::{ProfileChange, ProfileField, ProfileValue};

/// Profile part of an import's page.
#[derive(Clone, Default)]
pub(crate) struct ImportProfile {
    /// Applied changes.
    pub(crate) changed: Vec<ProfileLine>,
    /// Proposed changes, compared with the current profile.
    pub(crate) proposed: Vec<ProfileLine>,
}

/// Profile field with two values.
#[derive(Clone)]
pub(crate) struct ProfileLine {
    /// Value of the field's checkbox.
    pub(crate) name: &'static str,
    /// Label of the field.
    pub(crate) label: &'static str,
    /// Previous or current value in the profile.
    pub(crate) old: String,
    /// Value in the file.
    pub(crate) new: String,
}

impl ProfileLine {
    /// Formats a change.
    pub(crate) fn new(change: &ProfileChange) -> Self {
        let field = change.field();
        Self {
            name: field.as_str(),
            label: field_label(field),
            old: words(change.old),
            new: words(change.new),
        }
    }
}

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
