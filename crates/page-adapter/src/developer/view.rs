//! Pages of developers.

use crate::view::{FormErrors, Moment, Person, ScopeLine, grouped};
use askama::Template;
use domain::scope::ScopeSet;
use domain::secret::Secret;
use zeroize::Zeroizing;

/// Page with a person's own apps.
#[derive(Clone, Template)]
#[template(path = "developer/developer.html")]
pub(crate) struct DeveloperApps {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// Apps, oldest first.
    pub(crate) apps: Vec<AppLine>,
    /// Whether the person can register no further app.
    pub(crate) is_full: bool,
    /// Sandbox people, by story.
    pub(crate) people: Vec<SandboxLine>,
    /// Whether the person cannot create another sandbox person of every story.
    pub(crate) people_full: bool,
    /// Form for a new app.
    pub(crate) fields: AppFields,
    /// Whether the new app is public.
    pub(crate) is_public: bool,
}

/// An app in the list.
#[derive(Clone)]
pub(crate) struct AppLine {
    /// Client id.
    pub(crate) client: String,
    pub(crate) name: String,
    pub(crate) is_draft: bool,
    pub(crate) is_disabled: bool,
}

/// Form with the details of an app and its submitted values.
#[derive(Clone)]
pub(crate) struct AppFields {
    pub(crate) name: String,
    pub(crate) home_page: String,
    pub(crate) privacy_policy: String,
    pub(crate) contact: String,
    /// Redirect URIs; empty ones are fields for further URIs.
    pub(crate) redirect_uris: Vec<String>,
    /// Selectable scopes.
    pub(crate) scopes: Vec<ScopeLine>,
    pub(crate) errors: FormErrors,
}

impl Default for AppFields {
    /// Returns the initial form: nothing entered, nothing ticked.
    fn default() -> Self {
        Self {
            name: String::new(),
            home_page: String::new(),
            privacy_policy: String::new(),
            contact: String::new(),
            redirect_uris: vec![String::new(); 2],
            scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::EMPTY),
            errors: FormErrors::none(),
        }
    }
}

/// Page of one app.
#[derive(Clone, Template)]
#[template(path = "developer/app.html")]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property of the app")]
pub(crate) struct DeveloperApp {
    pub(crate) person: Person,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// New secret, which is shown only once.
    pub(crate) secret: Option<Secret>,
    /// New code of a sandbox person, which is shown only once.
    pub(crate) code: Option<NewCode>,
    /// Sandbox people of the developer, by story.
    pub(crate) people: Vec<SandboxLine>,
    /// Client id.
    pub(crate) client: String,
    pub(crate) addresses: AppAddresses,
    pub(crate) name: String,
    /// Whether the app has no secret.
    pub(crate) is_public: bool,
    /// Whether the operator has yet to approve the app.
    pub(crate) is_draft: bool,
    /// Whether the operator has disabled the app.
    pub(crate) is_disabled: bool,
    pub(crate) registered: Moment,
    /// Number of live grants.
    pub(crate) live_grants: u32,
    /// Whether there may be more live grants.
    pub(crate) has_more_grants: bool,
    /// Number of people besides the owner who can use the draft.
    pub(crate) draft_users: u32,
    pub(crate) max_draft_users: u32,
    /// Live secrets, oldest first.
    pub(crate) secrets: Vec<SecretLine>,
    /// Requests by day, latest first.
    pub(crate) usage: Vec<UsageLine>,
    /// Number of days in `usage` at most.
    pub(crate) usage_days: u8,
    pub(crate) limits: Vec<LimitLine>,
    /// Whether a new secret ends the oldest one.
    pub(crate) replaces_secret: bool,
    pub(crate) fields: AppFields,
}

impl DeveloperApp {
    fn grants(&self) -> String {
        let number = grouped(u64::from(self.live_grants));
        if self.has_more_grants { format!("{number} or more") } else { number }
    }
}

/// Addresses that an app needs.
#[derive(Clone)]
pub(crate) struct AppAddresses {
    pub(crate) authorization: String,
    pub(crate) token: String,
    pub(crate) metadata: String,
    /// Path and query of a request that leads to the consent page; `None` without a redirect URI.
    pub(crate) consent: Option<String>,
}

/// A sandbox person.
#[derive(Clone)]
pub(crate) struct SandboxLine {
    /// Id of the user.
    pub(crate) id: String,
    /// Story and the end of the id.
    pub(crate) name: String,
    /// Special feature of the records.
    pub(crate) story: &'static str,
    /// Last day that has records.
    pub(crate) until: Moment,
}

/// Code of a sandbox person.
#[derive(Clone)]
pub(crate) struct NewCode {
    /// Id of the person.
    pub(crate) user_id: String,
    pub(crate) code: Secret,
    /// Command that redeems the code.
    pub(crate) curl: Zeroizing<String>,
    /// Whether the command needs the client secret.
    pub(crate) needs_secret: bool,
    /// Expiry, as a time of day.
    pub(crate) expires: Moment,
}

/// Requests of a UTC day.
#[derive(Clone)]
pub(crate) struct UsageLine {
    pub(crate) day: Moment,
    pub(crate) requests: String,
    pub(crate) errors: Vec<ErrorLine>,
}

/// Requests of a day that failed.
#[derive(Clone)]
pub(crate) struct ErrorLine {
    /// Status, endpoint and number, such as `429 sleep: 12`.
    pub(crate) text: String,
    /// The latest one; `None` if its reason is not known.
    pub(crate) latest: Option<LatestRejection>,
}

/// When and why the latest of several requests was rejected.
#[derive(Clone)]
pub(crate) struct LatestRejection {
    pub(crate) at: Moment,
    pub(crate) reason: String,
}

/// A daily limit.
#[derive(Clone)]
pub(crate) struct LimitLine {
    pub(crate) endpoint: &'static str,
    pub(crate) limit: String,
    /// Requests left today for the person whose limit is used most.
    pub(crate) left: String,
}

/// A live secret.
#[derive(Clone)]
pub(crate) struct SecretLine {
    /// Id, for the form.
    pub(crate) id: String,
    pub(crate) created: Moment,
    /// Whether the app has another live secret.
    pub(crate) can_end: bool,
}
