//! Samples of the page of personal access tokens.

use super::view::{CreatedToken, TokenForm, TokenLine, Tokens};
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};
use domain::scope::Scope;
use domain::scope::ScopeSet;
use domain::secret::Secret;
use domain::secret::SecretBytes;
use domain::secret::SecretKind;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let live = TokenLine {
        id: source("4a1b"),
        name: source("Sunday notebook"),
        scopes: ScopeSet::from_iter([Scope::Profile, Scope::Sleep]),
        created: moment(source, "1 November 2026", "2026-11-01"),
        expires: None,
        is_expired: false,
        last_used: Some(moment(source, "21 November 2026, 09:14", "2026-11-21T08:14:00Z")),
    };
    let ended = TokenLine {
        id: source("5b2c"),
        name: source("Trial"),
        expires: Some(moment(source, "1 October 2026", "2026-10-01")),
        is_expired: true,
        last_used: None,
        ..live.clone()
    };
    let page = |created, tokens, form| Tokens {
        person: person(source),
        has_developer_page: false,
        mcp_url: source("https://id.example/mcp"),
        notice: None,
        created,
        tokens,
        form,
    };
    let bytes = SecretBytes::new([7; 32]);
    let secret = Secret::from_bytes(SecretKind::PersonalAccessToken, &bytes);
    let created = CreatedToken { name: source("Sunday notebook"), secret };
    let empty = || TokenForm::empty(source("5f0c3c5e"));
    let wrong = TokenForm {
        name: source("\tx"),
        expires_in_days: None,
        errors: FormErrors::field("name", source("Give it a name of 1 to 100 characters."))
            .and("scope", source("Choose what the token can read."))
            .and("expires", source("Choose when the token expires.")),
        ..empty()
    };
    let gone = Tokens {
        has_developer_page: true,
        notice: Some(source("The token has been revoked.")),
        ..page(None, Vec::new(), empty())
    };
    vec![
        sample("tokens", &page(None, vec![live.clone(), ended], empty())),
        sample("tokens_created", &page(Some(created), vec![live], empty())),
        variant("tokens_refused", &page(None, Vec::new(), wrong)),
        sample("tokens_none", &gone),
    ]
}
