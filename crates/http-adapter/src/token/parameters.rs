//! Parameters of a token request: the union of query and body, each known one at most once. Requests about a
//! token use the body alone.

use super::json;
use crate::body::{Body, BodyKind};
use crate::parameter::{ParameterError, check_value, parse};
use crate::problem::{Fault, FieldError, Problem};
use application::token::QuerySecrets;

/// Known parameters of the endpoints that issue tokens.
const KNOWN: &[&str] = &[
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "user_id",
    "scope",
    "resource",
    "client_id",
    "client_secret",
];

/// Known parameters of revocation and introspection (RFC 7009 section 2.1, RFC 7662 section 2.1).
const KNOWN_WITH_TOKEN: &[&str] = &["token", "token_type_hint", "client_id", "client_secret"];

const CLIENT_SECRET: &str = "client_secret";

/// Secrets that the operator can forbid in query strings, which may be logged (decisions 2).
const OTHER_SECRETS: [&str; 3] = ["code", "code_verifier", "refresh_token"];

/// Known parameters of one request. No `Debug`: most of them are secrets.
pub(super) struct TokenParameters {
    values: Vec<(&'static str, String)>,
    in_query: QuerySecrets,
}

impl TokenParameters {
    /// Parses query and body together; a name in both is a duplicate.
    pub(super) fn read(query: &str, body: Option<&Body>) -> Result<Self, Problem> {
        let mut given = form_pairs(query)?;
        let in_query = secrets_among(&given);
        given.extend(body.map(body_pairs).transpose()?.unwrap_or_default());
        Ok(Self { values: known_values(KNOWN, given)?, in_query })
    }

    /// Parses the body of a request about a token. Known parameters are rejected in the query string: they
    /// are secrets, and the contract does not require it (RFC 7009 section 2.1, RFC 7662 section 2.1).
    pub(super) fn read_body_alone(query: &str, body: Option<&Body>) -> Result<Self, Problem> {
        let in_query = form_pairs(query)?;
        let misplaced =
            KNOWN_WITH_TOKEN.iter().copied().find(|known| in_query.iter().any(|(name, _)| name == known));
        if let Some(known) = misplaced {
            return Err(Problem::invalid_parameter(known, "must not be in the query string"));
        }
        let given = body.map(body_pairs).transpose()?.unwrap_or_default();
        Ok(Self { values: known_values(KNOWN_WITH_TOKEN, given)?, in_query: QuerySecrets::None })
    }

    /// Returns an optional parameter.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// Returns a required parameter.
    pub(super) fn require(&self, name: &'static str) -> Result<&str, Problem> {
        self.get(name).ok_or_else(|| missing(name))
    }

    /// Returns which secrets were in the query string.
    pub(super) fn in_query(&self) -> QuerySecrets {
        self.in_query
    }
}

/// Creates the error for a missing parameter.
pub(super) fn missing(name: &'static str) -> Problem {
    Problem::invalid_parameters(vec![FieldError::new(name, "is required")])
}

type ParameterPairs = Vec<(String, String)>;

/// Returns which secrets are in a query string.
fn secrets_among(in_query: &ParameterPairs) -> QuerySecrets {
    let has = |secret: &dyn Fn(&str) -> bool| in_query.iter().any(|(name, _)| secret(name));
    if has(&|name| name == CLIENT_SECRET) {
        QuerySecrets::ClientSecret
    } else if has(&|name| OTHER_SECRETS.contains(&name)) {
        QuerySecrets::Others
    } else {
        QuerySecrets::None
    }
}

/// Returns the known parameters, after checking that each is unique, not empty and free of control
/// characters.
fn known_values(
    known: &[&'static str],
    given: ParameterPairs,
) -> Result<Vec<(&'static str, String)>, Problem> {
    let mut values: Vec<(&'static str, String)> = Vec::new();
    for (name, value) in given {
        let Some(known) = known.iter().copied().find(|known| *known == name) else { continue };
        if values.iter().any(|(earlier, _)| *earlier == known) {
            return Err(Problem::invalid_parameter(known, crate::parameter::REPEATED_PARAMETER));
        }
        check_value(&value).map_err(|message| Problem::invalid_parameter(known, message))?;
        values.push((known, value));
    }
    Ok(values)
}

fn body_pairs(body: &Body) -> Result<ParameterPairs, Problem> {
    match body.kind {
        BodyKind::Form => form_pairs(&body.text),
        BodyKind::Json => json::parse(&body.text).map_err(|json::NotFlatJson| {
            Problem::new(Fault::InvalidRequest)
                .detail("the body must be one JSON object of strings and numbers with unique names")
        }),
    }
}

fn form_pairs(text: &str) -> Result<ParameterPairs, Problem> {
    let pairs = parse(text).map_err(ParameterError::Malformed)?;
    Ok(pairs.into_iter().map(|pair| (pair.name.into_owned(), pair.value.into_owned())).collect())
}
