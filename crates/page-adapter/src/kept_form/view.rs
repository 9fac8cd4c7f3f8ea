//! Page with a form that was kept while the person signed in.

use crate::view::Person;
use askama::Template;

/// Kept form, which the person sends with a button.
#[derive(Clone, Template)]
#[template(path = "kept_form/kept_form.html")]
pub(crate) struct KeptForm {
    pub(crate) person: Person,
    /// Path of the form.
    pub(crate) action: &'static str,
    /// What the person was doing: "creating an access token".
    pub(crate) what: &'static str,
    /// Names and values.
    pub(crate) fields: Vec<(String, String)>,
}

/// Fields that identify a record or repeat an old value; the person never saw them.
const HIDDEN: [&str; 7] = ["entry", "supplement", "product", "passkey", "client", "endpoint", "newest"];

impl KeptForm {
    /// Lists the labels and values that the person entered or saw.
    fn entered(&self) -> Vec<(String, &str)> {
        let is_seen = |name: &str, value: &str| {
            !value.is_empty() && !HIDDEN.contains(&name) && !name.starts_with("was_")
        };
        let seen = self.fields.iter().filter(|(name, value)| is_seen(name, value));
        seen.map(|(name, value)| (name.replace('_', " "), value.as_str())).collect()
    }
}
