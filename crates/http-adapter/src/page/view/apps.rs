//! The apps that hold something of a person.

use super::part::readable;
use super::{Moment, Person};
use askama::Template;
use domain::scope::ScopeSet;

/// The page of connected apps, where a person lands after signing in.
#[derive(Clone, Template)]
#[template(path = "apps.html")]
#[expect(clippy::struct_field_names, reason = "the page is named after its list")]
pub(crate) struct Apps {
    /// Who is signed in.
    pub(crate) person: Person,
    /// What went well before.
    pub(crate) notice: Option<String>,
    /// The apps, in the order of showing.
    pub(crate) apps: Vec<AppLine>,
}

/// A connected app.
#[derive(Clone)]
pub(crate) struct AppLine {
    /// Its client id, which the form sends.
    pub(crate) client: String,
    /// Its name.
    pub(crate) name: String,
    /// What it may read.
    pub(crate) scopes: ScopeSet,
    /// Since when, to the day.
    pub(crate) since: Moment,
    /// How many live grants it holds; none when it is only remembered.
    pub(crate) grants: u32,
    /// When it was last in use; nothing while it never was.
    pub(crate) last_used: Option<Moment>,
    /// The address, or network, from which it was last in use.
    pub(crate) last_used_from: Option<String>,
    /// What the program there calls itself.
    pub(crate) last_used_by: Option<String>,
    /// Whether it is let through without asking again.
    pub(crate) is_remembered: bool,
}

impl AppLine {
    fn reads(&self) -> String {
        readable(self.scopes)
    }
}
