//! Bearer tokens: an accepted token is the rest of the header, of the right alphabet, and the only token.
//!
//! The input is the value of `Authorization` and, after a line break, the query string.
#![no_main]

use actix_web::http::Uri;
use actix_web::http::header::{AUTHORIZATION, HeaderValue};
use actix_web::test::TestRequest;
use http_adapter::problem::Fault;
use http_adapter::test_support::bearer_token;
use libfuzzer_sys::fuzz_target;
use url::form_urlencoded;

fuzz_target!(|data: &[u8]| {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    let Ok(value) = HeaderValue::from_bytes(lines.next().unwrap_or_default()) else { return };
    let query = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let Ok(uri) = format!("/api/v1/sleep?{query}").parse::<Uri>() else { return };
    let sent = || TestRequest::default().uri(&uri.to_string()).insert_header((AUTHORIZATION, value.clone()));
    let request = sent().to_http_request();
    match bearer_token(&request) {
        Ok(token) => {
            let text = value.to_str().unwrap();
            assert!(text.get(..7).unwrap().eq_ignore_ascii_case("bearer "));
            assert_eq!(text.get(7..).unwrap().trim_matches(' '), token);
            assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte)));
            assert!(!token.is_empty());
            let query = request.query_string();
            assert!(form_urlencoded::parse(query.as_bytes()).all(|(name, _)| name != "access_token"));
            let twice = sent().append_header((AUTHORIZATION, value.clone())).to_http_request();
            assert_eq!(bearer_token(&twice).map_err(|problem| problem.fault()), Err(Fault::InvalidRequest));
        }
        Err(problem) => assert!(matches!(
            problem.fault(),
            Fault::MissingToken | Fault::InvalidToken | Fault::InvalidRequest
        )),
    }
});
