//! Profile page, and the preview of a change.

use crate::imports::profile::view::ProfileLine;
use crate::view::profile_field::FieldWords;
use crate::view::{FormErrors, Moment, Person};
use askama::Template;
use domain::user::{BiologicalSex, BloodType};

/// Profile page.
#[derive(Clone, Template)]
#[template(path = "account/profile/profile.html")]
pub(crate) struct Profile {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    pub(crate) fields: Vec<ProfileFields>,
    /// Zones whose name contains what was typed.
    pub(crate) suggested: Vec<&'static str>,
    /// When the profile was created.
    pub(crate) created: Moment,
    pub(crate) errors: FormErrors,
}

/// Field of the form.
#[derive(Clone)]
pub(crate) struct ProfileFields {
    /// Name in the form.
    pub(crate) name: &'static str,
    /// Name of the hidden field with the value that the form was shown with.
    pub(crate) original_name: String,
    pub(crate) words: FieldWords,
    pub(crate) value: String,
    pub(crate) was: String,
    /// Where the stored value came from.
    pub(crate) source: String,
}

impl ProfileFields {
    fn hint_id(&self) -> String {
        format!("{}-hint", self.name)
    }

    /// Returns the options of a field that has fixed values: value and text.
    fn options(&self) -> Vec<(&'static str, String)> {
        let named =
            |names: Vec<&'static str>| names.into_iter().map(|name| (name, name.to_owned())).collect();
        match self.name {
            "biological_sex" => named(BiologicalSex::ALL.iter().map(|one| one.as_str()).collect()),
            "blood_type" => named(BloodType::ALL.iter().map(|one| one.as_str()).collect()),
            "skin_type" => ["1", "2", "3", "4", "5", "6"].map(|kind| (kind, format!("Type {kind}"))).to_vec(),
            "wheelchair_use" => vec![("true", "Yes".to_owned()), ("false", "No".to_owned())],
            _ => Vec::new(),
        }
    }
}

/// Preview of a change.
#[derive(Clone, Template)]
#[template(path = "account/profile/profile_preview.html")]
pub(crate) struct ProfilePreview {
    pub(crate) person: Person,
    pub(crate) changes: Vec<ProfileLine>,
    /// Effect of another time zone.
    pub(crate) effect: Option<ZoneEffect>,
    /// Fields that the form sends again.
    pub(crate) fields: Vec<[(String, String); 2]>,
}

/// How times read in the old and in the new zone.
#[derive(Clone)]
pub(crate) struct ZoneEffect {
    /// Present time.
    pub(crate) clock_old: String,
    pub(crate) clock_new: String,
    /// Latest night; `None` if there is none.
    pub(crate) night: Option<(String, String)>,
}
