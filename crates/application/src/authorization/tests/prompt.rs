//! The `prompt` and `login_hint` parameters.

use super::begin::{Outcome, begin, begin_without_storing, good};
use super::*;
use crate::authorization::{AuthorizationParameters, AuthorizationStep, ParameterValue};
use domain::client::{ClientKind, RedirectUri};

fn prompting(prompt: &str) -> AuthorizationParameters<'_> {
    AuthorizationParameters { prompt: ParameterValue::Once(prompt), ..good() }
}

fn error_reported(outcome: Outcome) -> String {
    let Ok(AuthorizationStep::Redirect(response)) = outcome else { panic!("{outcome:?}") };
    let (error, state) = error_of(&response);
    assert_eq!(state, Some("abc"));
    error.to_owned()
}

#[tokio::test]
async fn t34_prompt_none_requires_a_signed_in_person() {
    assert_eq!(error_reported(begin_without_storing(app(), prompting("none")).await), "login_required");
}

#[tokio::test]
async fn t34_prompt_none_requires_a_remembered_consent() {
    for consent in [None, Some(remembered("profile")), Some(remembered("profile sleep"))] {
        let mut unit = with_person(Some(person()));
        expect_remembered(&mut unit, consent);
        let world = World::new([unit]).with_client(Some(app()));
        let (outcome, effects) = begin(world, prompting("none"), Some(user_id(1))).await;
        assert_eq!(error_reported(outcome), "consent_required");
        assert_eq!(effects.kinds(), []);
    }
}

#[tokio::test]
async fn t34_without_a_page_a_locked_person_has_not_signed_in() {
    let locked = User { status: crate::testing::locked(), ..person() };
    let world = World::new([with_person(Some(locked))]).with_client(Some(app()));
    let (outcome, effects) = begin(world, prompting("none"), Some(user_id(1))).await;
    assert_eq!(error_reported(outcome), "login_required");
    assert_eq!(effects.kinds(), []);
}

#[tokio::test]
async fn prompt_none_cannot_be_combined_with_another_value() {
    for prompt in ["none login", "consent none", "none select_account", "none whim"] {
        assert_eq!(
            error_reported(begin_without_storing(app(), prompting(prompt)).await),
            "invalid_request",
            "{prompt}"
        );
    }
}

#[tokio::test]
async fn a_signed_in_person_signs_in_again_if_the_app_requests_it() {
    for prompt in ["login", "select_account", "login consent", " consent  login "] {
        let mut unit = MockUnitOfWork::default();
        let stored = expect_request(&mut unit);
        // Counted like an anonymous request, because no other limit applies.
        let world = World::new([unit]).with_client(Some(app())).counting(1);
        let (outcome, effects) = begin(world, prompting(prompt), Some(user_id(1))).await;
        assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");
        let stored = captured(&stored);
        assert_eq!((stored.user_id, stored.force_consent), (None, prompt.contains("consent")), "{prompt}");
        effects.assert_committed();
    }
}

#[tokio::test]
async fn the_page_is_shown_if_the_app_requests_it_despite_a_remembered_consent() {
    // The unit of work expects no look-up of a consent.
    let mut unit = with_person(Some(person()));
    let stored = expect_request(&mut unit);
    let world = World::new([unit]).with_client(Some(app()));
    let (outcome, _) = begin(world, prompting("consent"), Some(user_id(1))).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::Consent { .. })), "{outcome:?}");
    assert!(captured(&stored).force_consent);
}

#[tokio::test]
async fn an_unknown_prompt_is_ignored() {
    let mut unit = with_person(Some(person()));
    expect_remembered(&mut unit, None);
    let stored = expect_request(&mut unit);
    let world = World::new([unit]).with_client(Some(app()));
    let (outcome, _) = begin(world, prompting("create NONE"), Some(user_id(1))).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::Consent { .. })), "{outcome:?}");
    assert!(!captured(&stored).force_consent);
}

#[tokio::test]
async fn t33_a_login_hint_that_is_not_an_address_is_dropped() {
    for hint in ["robin", "<script>alert(1)</script>", "robin@example.org\r\nx", ""] {
        let mut unit = MockUnitOfWork::default();
        let stored = expect_request(&mut unit);
        let parameters = AuthorizationParameters { login_hint: ParameterValue::Once(hint), ..good() };
        let world = World::new([unit]).with_client(Some(app())).counting(1);
        let (outcome, _) = begin(world, parameters, None).await;
        assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");
        assert_eq!(captured(&stored).login_hint, None);
    }
}

// RFC 8252 section 8.6
#[tokio::test]
async fn a_remembered_consent_never_applies_to_a_public_app_on_this_computer() {
    let uri = "http://localhost:9000/callback";
    let redirect_uris = vec![RedirectUri::parse(uri).unwrap()];
    let native = Client { kind: ClientKind::PublicApp, redirect_uris, ..app() };
    let parameters = AuthorizationParameters { redirect_uri: Some(uri), ..good() };
    // The unit of work expects no look-up of a consent.
    let mut unit = with_person(Some(person()));
    let stored = expect_request(&mut unit);
    let (outcome, _) =
        begin(World::new([unit]).with_client(Some(native)), parameters, Some(user_id(1))).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::Consent { .. })), "{outcome:?}");
    assert!(captured(&stored).force_consent);
}
