//! Row T104: any input gets one of the endpoint's own errors, and consumes nothing.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

/// Sends a request to a fresh store and checks that the response is a client error.
fn assert_harmless(request: TestRequest) -> Result<(), TestCaseError> {
    let (store, state) = fresh();
    let answer = actix_web::rt::System::new().block_on(async { send(&state, request).await });
    prop_assert!(answer.status.is_client_error(), "{}", answer.text());
    prop_assert!(answer.json()["error"].is_string());
    prop_assert!(store.code_is_unused());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_query(query in "(code|client_id|client_secret|redirect_uri|grant_type|x)?[=&%+a-f0-9.]{0,80}") {
        assert_harmless(get("/api/token", &query))?;
    }

    #[test]
    fn any_form(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        assert_harmless(post_form("/api/token", body))?;
    }

    #[test]
    fn any_json(body in r#"[\[\]{}",:a-z0-9\\u.-]{0,60}"#) {
        assert_harmless(post_json("/api/refresh", body))?;
    }

    #[test]
    fn any_json_value(name in ".*", value in ".*") {
        assert_harmless(post_json("/api/refresh", serde_json::json!({ name: value }).to_string()))?;
    }

    #[test]
    fn any_basic_credentials(pair in proptest::collection::vec(any::<u8>(), 0..80)) {
        let header = ("authorization", format!("Basic {}", STANDARD.encode(pair)));
        assert_harmless(get("/api/refresh", "refresh_token=a&user_id=b").insert_header(header))?;
    }

    #[test]
    fn any_authorization_and_content_type(text in "[ -~]{0,60}") {
        let request = post("/api/token", &text, code_query());
        assert_harmless(request.insert_header(("authorization", format!("{text} x"))))?;
    }
}
