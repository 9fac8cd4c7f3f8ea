//! The access token of a request (RFC 6750 section 2.1; decisions 4).

use crate::parameter::decode_component;
use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use actix_web::http::header;

/// Returns the token in the header `Authorization`. Checks only that it is well-formed.
///
/// A missing token (no header, another scheme, only `?access_token=`) differs from an invalid one: its
/// challenge has no error code. A request with two tokens is malformed.
pub(crate) fn token(request: &HttpRequest) -> Result<&str, Problem> {
    let mut headers = request.headers().get_all(header::AUTHORIZATION);
    let Some(header) = headers.next() else { return Err(Problem::new(Fault::MissingToken)) };
    if headers.next().is_some() {
        return Err(Problem::new(Fault::InvalidRequest).detail("Authorization must be sent once."));
    }
    if names_access_token(request.query_string()) {
        return Err(Problem::new(Fault::InvalidRequest)
            .detail("Send the access token in the Authorization header only, never in the query string."));
    }
    of_header(header.as_bytes())
}

/// Returns whether a query string has the parameter `access_token`, in any spelling.
fn names_access_token(query: &str) -> bool {
    query.split('&').any(|pair| {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        decode_component(name).is_ok_and(|name| name == "access_token")
    })
}

/// Parses `Bearer`, case-insensitive, at least one space, and a token.
fn of_header(value: &[u8]) -> Result<&str, Problem> {
    let end = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
    let (scheme, rest) = value.split_at_checked(end).unwrap_or((value, &[]));
    if !scheme.eq_ignore_ascii_case(b"bearer") {
        return Err(Problem::new(Fault::MissingToken));
    }
    let text = std::str::from_utf8(rest).ok().map(|text| text.trim_matches(' '));
    text.filter(|text| is_token(text)).ok_or_else(|| Problem::new(Fault::InvalidToken))
}

/// Checks the `b64token` of RFC 6750 section 2.1, without the padding, which Restwell's tokens do not have.
fn is_token(text: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/');
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::{names_access_token, of_header};
    use crate::problem::Fault;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_header_makes_the_reader_panic(value: Vec<u8>) {
            let _ = of_header(&value);
        }

        #[test]
        fn what_follows_bearer_is_a_token_or_an_invalid_one(rest in "[ -~]{0,40}") {
            let value = format!("Bearer {rest}");
            match of_header(value.as_bytes()) {
                Ok(token) => prop_assert_eq!(token, rest.trim_matches(' ')),
                Err(problem) => prop_assert_eq!(problem.fault(), Fault::InvalidToken),
            }
        }

        #[test]
        fn no_query_makes_the_search_panic(query in ".*") {
            let _ = names_access_token(&query);
        }
    }
}
