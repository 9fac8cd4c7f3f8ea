//! Parameters of a token request: the union of query and body, each known one at most once. Requests about a
//! token use the body alone.

use super::json;
use crate::body::{Body, BodyKind};
use crate::parameter::{ParameterError, check_value, parse};
use crate::problem::{Fault, FieldError, Problem};
use application::token::QuerySecrets;
use std::collections::HashSet;

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
    fault: Option<Problem>,
}

impl TokenParameters {
    /// Parses query and body together; a name in both is a duplicate. The rest is read although a parameter
    /// is invalid, so that the client is known: see [`Self::take_fault`].
    pub(super) fn read(query: &str, body: Option<&Body>) -> Result<Self, Problem> {
        let mut given = form_pairs(query)?;
        let in_query = secrets_among(&given);
        given.extend(body.map(body_pairs).transpose()?.unwrap_or_default());
        let (values, fault) = known_values(KNOWN, given);
        Ok(Self { values, in_query, fault })
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
        let (values, fault) = known_values(KNOWN_WITH_TOKEN, given);
        fault.map_or(Ok(Self { values, in_query: QuerySecrets::None, fault: None }), Err)
    }

    /// Fails if a parameter is invalid.
    pub(super) fn take_fault(&mut self) -> Result<(), Problem> {
        self.fault.take().map_or(Ok(()), Err)
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

/// Returns the known parameters that are unique, not empty and free of control characters, and the fault of
/// the first that is not.
fn known_values(
    known: &[&'static str],
    given: ParameterPairs,
) -> (Vec<(&'static str, String)>, Option<Problem>) {
    let (mut values, mut fault): (Vec<(&'static str, String)>, _) = (Vec::new(), None);
    let mut seen = HashSet::new();
    for (name, value) in given {
        let Some(known) = known.iter().copied().find(|known| *known == name) else { continue };
        let checked =
            if seen.insert(known) { check_value(&value) } else { Err(crate::parameter::REPEATED_PARAMETER) };
        match checked {
            Ok(()) => values.push((known, value)),
            Err(message) => {
                // No value of it counts, neither an earlier nor a later one.
                values.retain(|(earlier, _)| *earlier != known);
                fault.get_or_insert_with(|| Problem::invalid_parameter(known, message));
            }
        }
    }
    (values, fault)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> TokenParameters {
        TokenParameters::read(query, None).unwrap_or_else(|_| panic!("{query} is well formed"))
    }

    #[test]
    fn a_parameter_given_several_times_counts_nowhere() {
        for times in 2..6 {
            let mut parameters = read(&"client_secret=a&".repeat(times));
            assert_eq!(parameters.get("client_secret"), None, "given {times} times");
            assert!(parameters.take_fault().is_err());
        }
    }

    #[test]
    fn a_parameter_with_a_faulty_value_counts_nowhere() {
        for query in ["client_id=&client_id=a", "client_id=a&client_id=%00&client_id=a"] {
            let mut parameters = read(query);
            assert_eq!(parameters.get("client_id"), None, "{query}");
            assert!(parameters.take_fault().is_err());
        }
    }
}
