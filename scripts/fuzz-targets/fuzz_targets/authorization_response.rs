//! Authorization responses go to the registered URI and carry each parameter exactly once.
//!
//! The input is a redirect URI and, after a line break, a state.
#![no_main]

use domain::authorization_response::{AuthorizationErrorCode, AuthorizationResponse, ResponseTarget};
use domain::client::RedirectUri;
use domain::secret::{Secret, SecretBytes, SecretKind};
use libfuzzer_sys::fuzz_target;
use url::Url;

const ISSUER: &str = "https://sleep.example/restwell";

fuzz_target!(|text: &str| {
    let (registered, state) = text.split_once('\n').map_or((text, None), |(uri, state)| (uri, Some(state)));
    let Ok(redirect_uri) = RedirectUri::parse(registered) else { return };
    let target = ResponseTarget { redirect_uri: &redirect_uri, state, issuer: ISSUER };
    let code = Secret::from_bytes(SecretKind::AuthorizationCode, &SecretBytes::new([5; 32]));
    let good = AuthorizationResponse::code(target, &code);
    assert_carries(&good, registered, state, &[("code", code.expose())]);
    let bad =
        AuthorizationResponse::error(target, AuthorizationErrorCode::AccessDenied, "the person refused");
    let error = [("error", "access_denied"), ("error_description", "the person refused")];
    assert_carries(&bad, registered, state, &error);
});

fn assert_carries(
    answer: &AuthorizationResponse,
    registered: &str,
    state: Option<&str>,
    own: &[(&str, &str)],
) {
    let answer = answer.expose();
    assert!(answer.starts_with(registered) && answer.bytes().all(|byte| byte.is_ascii_graphic()));
    let (before, after) = (Url::parse(registered).unwrap(), Url::parse(answer).unwrap());
    assert_eq!((before.origin(), before.path()), (after.origin(), after.path()));
    assert_eq!(after.fragment(), None);
    let added = own.iter().copied().chain(state.map(|state| ("state", state))).chain([("iss", ISSUER)]);
    let added: Vec<_> = added.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let kept: Vec<_> = before.query_pairs().into_owned().collect();
    let found: Vec<_> = after.query_pairs().into_owned().collect();
    assert_eq!(found, [kept, added.clone()].concat());
    for (name, _) in added {
        assert_eq!(found.iter().filter(|(other, _)| *other == name).count(), 1, "{name} comes once");
    }
}
