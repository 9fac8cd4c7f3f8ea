//! The parameters of a token request: the union of query and body, each known one at most once; of a request
//! about a token, the body alone.

use super::json;
use crate::body::{Body, BodyKind};
use crate::parameter::{ParameterError, check_value, parse};
use crate::problem::{Fault, FieldError, Problem};
use application::token::QuerySecrets;

/// Every parameter that the endpoints which issue tokens know.
const KNOWN: &[&str] = &[
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "user_id",
    "scope",
    "client_id",
    "client_secret",
];

/// Every parameter of the endpoints that are given a token (RFC 7009 section 2.1, RFC 7662 section 2.1).
const KNOWN_WITH_TOKEN: &[&str] = &["token", "token_type_hint", "client_id", "client_secret"];

/// The client's own secret.
const CLIENT_SECRET: &str = "client_secret";

/// Those that must not be seen in a log of addresses either (decisions 2, the operator's switch).
const OTHER_SECRETS: [&str; 3] = ["code", "code_verifier", "refresh_token"];

/// The known parameters of one request. Not printable: most of them are secrets.
pub(super) struct TokenParameters {
    values: Vec<(&'static str, String)>,
    in_query: QuerySecrets,
}

impl TokenParameters {
    /// Reads query and body together; a name in both is given twice.
    pub(super) fn read(query: &str, body: Option<&Body>) -> Result<Self, Problem> {
        let mut given = form_pairs(query)?;
        let in_query = secrets_among(&given);
        given.extend(body.map(body_pairs).transpose()?.unwrap_or_default());
        Ok(Self { values: known_values(KNOWN, given)?, in_query })
    }

    /// Reads the body of a request about a token. Nothing that is known there may stand in the query string: the
    /// contract asks for no such thing, and these are secrets (RFC 7009 section 2.1, RFC 7662 section 2.1).
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

    /// Returns a parameter that may be absent.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// Returns a parameter that must be there.
    pub(super) fn require(&self, name: &'static str) -> Result<&str, Problem> {
        self.get(name).ok_or_else(|| missing(name))
    }

    /// Tells which secrets came in the query string.
    pub(super) fn in_query(&self) -> QuerySecrets {
        self.in_query
    }
}

/// Says that a parameter is missing.
pub(super) fn missing(name: &'static str) -> Problem {
    Problem::invalid_parameters(vec![FieldError::new(name, "is required")])
}

type Given = Vec<(String, String)>;

/// Tells which secrets are among the parameters of a query string.
fn secrets_among(in_query: &Given) -> QuerySecrets {
    let has = |secret: &dyn Fn(&str) -> bool| in_query.iter().any(|(name, _)| secret(name));
    if has(&|name| name == CLIENT_SECRET) {
        QuerySecrets::ClientSecret
    } else if has(&|name| OTHER_SECRETS.contains(&name)) {
        QuerySecrets::Others
    } else {
        QuerySecrets::None
    }
}

/// Keeps what is known: each at most once, not empty, without control characters.
fn known_values(known: &[&'static str], given: Given) -> Result<Vec<(&'static str, String)>, Problem> {
    let mut values: Vec<(&'static str, String)> = Vec::new();
    for (name, value) in given {
        let Some(known) = known.iter().copied().find(|known| *known == name) else { continue };
        if values.iter().any(|(earlier, _)| *earlier == known) {
            return Err(Problem::invalid_parameter(known, crate::parameter::GIVEN_TWICE));
        }
        check_value(&value).map_err(|message| Problem::invalid_parameter(known, message))?;
        values.push((known, value));
    }
    Ok(values)
}

fn body_pairs(body: &Body) -> Result<Given, Problem> {
    match body.kind {
        BodyKind::Form => form_pairs(&body.text),
        BodyKind::Json => json::parse(&body.text).map_err(|json::NotFlatJson| {
            Problem::new(Fault::InvalidRequest)
                .detail("the body must be one JSON object of strings and numbers, each name once")
        }),
    }
}

fn form_pairs(text: &str) -> Result<Given, Problem> {
    let pairs = parse(text).map_err(ParameterError::Malformed)?;
    Ok(pairs.into_iter().map(|pair| (pair.name.into_owned(), pair.value.into_owned())).collect())
}
