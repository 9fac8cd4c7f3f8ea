//! Profile changes of an import: applied ones and proposals.

use crate::view::profile_field::{shown, words};
use domain::user::ProfileChange;

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
            label: words(field).label,
            old: shown(change.old),
            new: shown(change.new),
        }
    }
}
