//! Page of connected apps.

use crate::view::{Moment, Person, readable};
use askama::Template;
use domain::scope::ScopeSet;

/// Page of connected apps, the default page after signing in.
#[derive(Clone, Template)]
#[template(path = "account/apps/apps.html")]
#[expect(clippy::struct_field_names, reason = "the page has the name of its list")]
pub(crate) struct Apps {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// Whether the person can register apps.
    pub(crate) has_developer_page: bool,
    /// Apps in display order.
    pub(crate) apps: Vec<AppLine>,
}

/// A connected app.
#[derive(Clone)]
pub(crate) struct AppLine {
    /// Client id, for the form.
    pub(crate) client: String,
    pub(crate) name: String,
    /// Granted scopes.
    pub(crate) scopes: ScopeSet,
    /// Date of the first grant.
    pub(crate) since: Moment,
    /// Number of live grants; 0 if consent is only remembered.
    pub(crate) grants: u32,
    /// Time of the last use; `None` if it was never used.
    pub(crate) last_used: Option<Moment>,
    /// Address or network of the last use.
    pub(crate) last_used_from: Option<String>,
    /// User agent of the last use.
    pub(crate) last_used_by: Option<String>,
    /// Whether consent is remembered.
    pub(crate) is_remembered: bool,
    /// Whether the app has no secret.
    pub(crate) is_public: bool,
}

impl AppLine {
    fn reads(&self) -> String {
        readable(self.scopes)
    }
}
