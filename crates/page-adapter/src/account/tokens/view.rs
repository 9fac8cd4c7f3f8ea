//! Page of personal access tokens.

use crate::view::{FormErrors, Moment, Person, ScopeLine, readable};
use askama::Template;
use domain::scope::ScopeSet;
use domain::secret::Secret;

/// Page of personal access tokens.
#[derive(Template)]
#[template(path = "account/tokens/tokens.html")]
#[expect(clippy::struct_field_names, reason = "the page has the name of its list")]
pub(crate) struct Tokens {
    pub(crate) person: Person,
    /// Whether the person can register apps.
    pub(crate) has_developer_page: bool,
    /// Address for AI assistants.
    pub(crate) mcp_url: String,
    /// Confirmation of the previous action.
    pub(crate) notice: Option<String>,
    /// New token, whose text is shown only once.
    pub(crate) created: Option<CreatedToken>,
    /// Tokens, newest first, without revoked ones.
    pub(crate) tokens: Vec<TokenLine>,
    /// Form for a new token.
    pub(crate) form: TokenForm,
}

/// New token.
pub(crate) struct CreatedToken {
    /// Name chosen by the person.
    pub(crate) name: String,
    /// Text of the token.
    pub(crate) secret: Secret,
}

#[derive(Clone)]
pub(crate) struct TokenLine {
    /// Id, for the form.
    pub(crate) id: String,
    /// Name chosen by the person.
    pub(crate) name: String,
    /// Scopes of the token.
    pub(crate) scopes: ScopeSet,
    /// Creation time.
    pub(crate) created: Moment,
    /// Expiry; `None` if it never expires.
    pub(crate) expires: Option<Moment>,
    pub(crate) is_expired: bool,
    /// Time of the last read; `None` if there was none.
    pub(crate) last_used: Option<Moment>,
}

impl TokenLine {
    fn reads(&self) -> String {
        readable(self.scopes)
    }
}

/// Form for a new token with its submitted values.
#[derive(Clone)]
pub(crate) struct TokenForm {
    /// Id of the form.
    pub(crate) entry: String,
    pub(crate) name: String,
    /// Selectable scopes.
    pub(crate) scopes: Vec<ScopeLine>,
    /// Chosen lifetime in days; `None` if it never expires.
    pub(crate) expires_in_days: Option<u32>,
    pub(crate) errors: FormErrors,
}

impl TokenForm {
    /// Selectable lifetimes in days, with their labels; `None` never expires.
    const LIFETIMES: [(Option<u32>, &'static str); 4] = [
        (Some(30), "in 30 days"),
        (Some(90), "in 90 days"),
        (Some(365), "in one year"),
        (None, "never, until you revoke it"),
    ];

    /// Returns the initial form: nothing ticked, and a lifetime of 90 days.
    pub(crate) fn empty(entry: String) -> Self {
        Self {
            entry,
            name: String::new(),
            scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::EMPTY),
            expires_in_days: Some(90),
            errors: FormErrors::none(),
        }
    }
}
