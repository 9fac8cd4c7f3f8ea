use super::*;
use crate::secret::{SecretBytes, SecretKind};
use proptest::prelude::*;
use url::Url;

const ISSUER: &str = "https://sleep.example/restwell";

fn uri(text: &str) -> RedirectUri {
    RedirectUri::parse(text).unwrap()
}

fn code() -> Secret {
    Secret::from_bytes(SecretKind::AuthorizationCode, &SecretBytes::new([5; 32]))
}

fn response_url(redirect_uri: &str, state: Option<&str>) -> String {
    let redirect_uri = uri(redirect_uri);
    let target = ResponseTarget { redirect_uri: &redirect_uri, state, issuer: ISSUER };
    AuthorizationResponse::code(target, &code()).expose().to_owned()
}

/// Decodes the query as a form.
fn parameters(uri: &str) -> Vec<(String, String)> {
    Url::parse(uri).unwrap().query_pairs().into_owned().collect()
}

/// Decodes percent signs only; `+` stays `+`.
fn percent_decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        decoded.push(if byte == b'%' {
            let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
            u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
        } else {
            byte
        });
    }
    String::from_utf8(decoded).unwrap()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn a_response_contains_code_state_and_issuer() {
    let answer = response_url("https://owl.example/callback", Some("abc"));
    assert_eq!(
        parameters(&answer),
        [pair("code", code().expose()), pair("state", "abc"), pair("iss", ISSUER)]
    );
}

#[test]
fn t25_without_a_state_none_is_added() {
    let answer = response_url("https://owl.example/callback", None);
    assert_eq!(parameters(&answer), [pair("code", code().expose()), pair("iss", ISSUER)]);
}

#[test]
fn an_error_response_contains_code_description_state_and_issuer() {
    let redirect_uri = uri("https://owl.example/callback");
    let target = ResponseTarget { redirect_uri: &redirect_uri, state: Some("abc"), issuer: ISSUER };
    let error = AuthorizationErrorCode::AccessDenied;
    let answer = AuthorizationResponse::error(target, error, "the person refused");
    assert_eq!(
        answer.expose(),
        "https://owl.example/callback?error=access_denied&error_description=the%20person%20refused&state=abc\
         &iss=https%3A%2F%2Fsleep.example%2Frestwell"
    );
}

#[test]
fn the_query_of_the_registered_uri_is_kept_as_it_is() {
    for (registered, begins) in [
        ("https://owl.example/cb?tenant=a%2Fb", "https://owl.example/cb?tenant=a%2Fb&code="),
        ("https://owl.example/cb?tenant=1&", "https://owl.example/cb?tenant=1&code="),
        ("https://owl.example/cb?", "https://owl.example/cb?code="),
        ("http://localhost:3000", "http://localhost:3000?code="),
        ("https://OWL.example/cb/../x", "https://OWL.example/cb/../x?code="),
    ] {
        let answer = response_url(registered, Some("abc"));
        assert!(answer.starts_with(begins), "{answer}");
    }
}

#[test]
fn t25_a_state_with_special_characters_is_returned_unchanged() {
    for state in [
        "&=%+ \"<>",
        "a\r\nb",
        "%26",
        "#fragment?query",
        "\u{1f634}",
        "\u{0}",
        &"x".repeat(1024),
        "&iss=https://evil.example&code=1",
    ] {
        let answer = response_url("https://owl.example/callback?tenant=1", Some(state));
        assert!(answer.is_ascii() && !answer.contains(['\r', '\n', ' ', '#', '"', '<', '>']), "{answer}");
        let expected =
            [pair("tenant", "1"), pair("code", code().expose()), pair("state", state), pair("iss", ISSUER)];
        assert_eq!(parameters(&answer), expected);
    }
}

#[test]
fn debug_output_never_shows_the_code() {
    let redirect_uri = uri("https://owl.example/callback");
    let target = ResponseTarget { redirect_uri: &redirect_uri, state: None, issuer: ISSUER };
    assert_eq!(format!("{:?}", AuthorizationResponse::code(target, &code())), "AuthorizationResponse(..)");
}

proptest! {
    #[test]
    fn t25_any_state_is_returned_unchanged(state in any::<String>()) {
        let answer = response_url("https://owl.example/callback?tenant=1", Some(&state));
        prop_assert!(answer.bytes().all(|byte| byte.is_ascii_graphic()));
        let expected =
            [pair("tenant", "1"), pair("code", code().expose()), pair("state", &state), pair("iss", ISSUER)];
        prop_assert_eq!(parameters(&answer), expected);
        // Also read without treating `+` as a space.
        let value = answer.split('&').find_map(|pair| pair.strip_prefix("state=")).unwrap();
        prop_assert_eq!(percent_decoded(value), state);
    }

    #[test]
    fn no_state_changes_the_target_of_the_response(state in any::<String>(), tenant in "[a-b0-9%=&+]{0,12}") {
        let registered = format!("https://owl.example/callback?t={}", tenant.replace('%', "%25"));
        let answer = response_url(&registered, Some(&state));
        prop_assert!(answer.starts_with(&registered));
        let url = Url::parse(&answer).unwrap();
        prop_assert_eq!((url.host_str(), url.path()), (Some("owl.example"), "/callback"));
        prop_assert_eq!(url.fragment(), None);
    }
}
