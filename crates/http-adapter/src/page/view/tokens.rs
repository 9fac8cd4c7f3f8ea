//! Personal access tokens.

use super::part::readable;
use super::{FormErrors, Moment, Person, ScopeLine};
use askama::Template;
use domain::scope::ScopeSet;
use domain::secret::Secret;

/// The page of personal access tokens.
#[derive(Template)]
#[template(path = "tokens.html")]
#[expect(clippy::struct_field_names, reason = "the page is named after its list")]
pub(crate) struct Tokens {
    /// Who is signed in.
    pub(crate) person: Person,
    /// What went well before.
    pub(crate) notice: Option<String>,
    /// A token that was just made: the one time that its text is shown.
    pub(crate) created: Option<CreatedToken>,
    /// The tokens, the youngest first. Revoked ones are not shown.
    pub(crate) tokens: Vec<TokenLine>,
    /// The form for a new one.
    pub(crate) form: TokenForm,
}

/// A token that was just made.
pub(crate) struct CreatedToken {
    /// What the person calls it.
    pub(crate) name: String,
    /// Its text.
    pub(crate) secret: Secret,
}

/// A token of the list.
#[derive(Clone)]
pub(crate) struct TokenLine {
    /// Its id, which the form sends.
    pub(crate) id: String,
    /// What the person calls it.
    pub(crate) name: String,
    /// What it reads.
    pub(crate) scopes: ScopeSet,
    /// When it was made.
    pub(crate) created: Moment,
    /// When it ends or ended; nothing when it has no end.
    pub(crate) expires: Option<Moment>,
    /// Whether it has ended.
    pub(crate) is_expired: bool,
    /// When it last read something; nothing while it never did.
    pub(crate) last_used: Option<Moment>,
}

impl TokenLine {
    fn reads(&self) -> String {
        readable(self.scopes)
    }
}

/// The form for a new token, as it was filled in.
#[derive(Clone)]
pub(crate) struct TokenForm {
    /// The name typed.
    pub(crate) name: String,
    /// What it may read.
    pub(crate) scopes: Vec<ScopeLine>,
    /// The lifetime chosen, in days; nothing means without end.
    pub(crate) expires_in_days: Option<u32>,
    /// What was wrong.
    pub(crate) errors: FormErrors,
}

impl TokenForm {
    /// The lifetimes to choose from, in days, with their words; without one a token has no end.
    const LIFETIMES: [(Option<u32>, &'static str); 4] = [
        (Some(30), "in 30 days"),
        (Some(90), "in 90 days"),
        (Some(365), "in one year"),
        (None, "never, until you revoke it"),
    ];

    /// Makes the form as it is shown first: nothing ticked, and a token that ends in 90 days.
    pub(crate) fn empty() -> Self {
        Self {
            name: String::new(),
            scopes: ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::EMPTY),
            expires_in_days: Some(90),
            errors: FormErrors::none(),
        }
    }
}
