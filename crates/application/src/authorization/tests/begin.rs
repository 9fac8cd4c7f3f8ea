//! Valid requests, and errors that are shown on a page.

use super::*;
use crate::authorization::{
    AuthorizationParameters, AuthorizationStep, AuthorizationVisitor, BeginAuthorizationError,
    MALFORMED_CLIENT_ID, NOT_ACTIVE, ParameterValue, STATE_TOO_LONG, UNKNOWN_CLIENT, UNKNOWN_REDIRECT_URI,
};
use crate::session::SignedInPerson;
use crate::testing::{locked, service};
use domain::client::{ClientStatus, Review};
use domain::id::UserId;
use domain::user::Email;
use std::collections::HashSet;

pub(super) type Outcome = Result<AuthorizationStep, BeginAuthorizationError>;

/// A request for sleep with a state.
pub(super) fn good() -> AuthorizationParameters<'static> {
    AuthorizationParameters {
        client_id: Some(CLIENT),
        redirect_uri: Some(REDIRECT_URI),
        response_type: ParameterValue::Once("code"),
        scope: ParameterValue::Once("sleep"),
        state: ParameterValue::Once("abc"),
        ..AuthorizationParameters::default()
    }
}

pub(super) async fn begin(
    world: World,
    parameters: AuthorizationParameters<'_>,
    user: Option<UserId>,
) -> (Outcome, Effects) {
    let (service, effects) = world.service();
    let person = user.map(|user_id| SignedInPerson { user_id, ..signed_in(30) });
    let visitor = AuthorizationVisitor { visit: &visit(), signed_in: person.as_ref(), address: ADDRESS };
    (service.begin(visitor, &parameters).await, effects)
}

/// Begins with a known client and no signed-in person; nothing may be counted or stored.
pub(super) async fn begin_without_storing(
    client: Client,
    parameters: AuthorizationParameters<'_>,
) -> Outcome {
    let (outcome, effects) = begin(World::new([]).with_client(Some(client)), parameters, None).await;
    effects.assert_untouched();
    outcome
}

#[tokio::test]
async fn a_request_is_stored_completely_until_a_person_signs_in() {
    let mut unit = MockUnitOfWork::default();
    let stored = expect_request(&mut unit);
    let parameters = AuthorizationParameters {
        code_challenge: ParameterValue::Once(CHALLENGE),
        code_challenge_method: ParameterValue::Once("S256"),
        response_mode: ParameterValue::Once("query"),
        login_hint: ParameterValue::Once("robin@example.org"),
        ..good()
    };
    let (outcome, effects) =
        begin(World::new([unit]).with_client(Some(app())).counting(1), parameters, None).await;
    let Ok(AuthorizationStep::SignIn { request_id }) = outcome else { panic!("{outcome:?}") };
    let expected = AuthorizationRequest {
        id: request_id,
        scopes: scopes("sleep"),
        user_id: None,
        login_hint: Some(Email::parse("robin@example.org").unwrap()),
        created_at: noon(),
        ..request()
    };
    assert_eq!(captured(&stored), expected);
    effects.assert_committed();
}

#[tokio::test]
async fn a_request_of_a_signed_in_user_is_theirs_and_pushes_out_their_oldest() {
    let mut unit = with_person(Some(person()));
    expect_remembered(&mut unit, None);
    let stored = expect_request(&mut unit);
    let (outcome, effects) =
        begin(World::new([unit]).with_client(Some(app())), good(), Some(user_id(1))).await;
    let Ok(AuthorizationStep::Consent { request_id }) = outcome else { panic!("{outcome:?}") };
    let stored = captured(&stored);
    assert_eq!((stored.id, stored.user_id), (request_id, Some(user_id(1))));
    assert_eq!((stored.challenge, stored.force_consent), (None, false));
    effects.assert_committed();
}

#[tokio::test]
async fn a_session_of_a_locked_or_erased_person_is_ignored() {
    for user in [None, Some(User { status: locked(), ..person() })] {
        let mut second = MockUnitOfWork::default();
        let stored = expect_request(&mut second);
        let world = World::new([with_person(user), second]).with_client(Some(app())).counting(1);
        let (outcome, effects) = begin(world, good(), Some(user_id(1))).await;
        assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");
        assert_eq!(captured(&stored).user_id, None);
        assert_eq!((effects.endings.opened(), effects.endings.committed()), (2, 2));
    }
}

#[tokio::test]
async fn t30_an_ended_session_is_not_signed_in() {
    let mut second = MockUnitOfWork::default();
    let stored = expect_request(&mut second);
    let world = World::new([after_the_session(), second]).with_client(Some(app())).counting(1);
    let (outcome, _) = begin(world, good(), Some(user_id(1))).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");
    assert_eq!(captured(&stored).user_id, None);
}

#[tokio::test]
async fn t22_errors_of_an_app_that_is_not_reviewed_are_shown_on_a_page() {
    let draft = Client { review: Review::Draft { owner: user_id(9) }, ..app() };
    let invalid = AuthorizationParameters { response_type: ParameterValue::Once("x"), ..good() };
    let silent = AuthorizationParameters { prompt: ParameterValue::Once("none"), ..good() };
    for parameters in [invalid, silent] {
        let outcome = begin_without_storing(draft.clone(), parameters).await;
        assert!(matches!(outcome, Err(BeginAuthorizationError::NotReviewed { .. })), "{outcome:?}");
        let outcome = begin_without_storing(app(), parameters).await;
        assert!(matches!(outcome, Ok(AuthorizationStep::Redirect(_))), "{outcome:?}");
    }
}

#[tokio::test]
async fn the_developer_of_a_draft_does_not_learn_who_is_signed_in() {
    let draft = Client { review: Review::Draft { owner: user_id(9) }, ..app() };
    let silent = AuthorizationParameters { prompt: ParameterValue::Once("none"), ..good() };
    for signed_in in [None, Some(user_id(1))] {
        let world = World::new([]).with_client(Some(draft.clone()));
        let (outcome, effects) = begin(world, silent, signed_in).await;
        let rejected = outcome.unwrap_err().rejected_client();
        assert_eq!(rejected, Some((client_id(1), "the user must give consent")), "{signed_in:?}");
        effects.assert_untouched();
    }
}

#[tokio::test]
async fn t22_an_unknown_client_is_shown_on_a_page() {
    assert_eq!(client_id(1).to_string(), CLIENT);
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    let service = Client { redirect_uris: app().redirect_uris, ..service() };
    for client in [None, Some(disabled), Some(service)] {
        let (outcome, effects) = begin(World::new([]).with_client(client), good(), None).await;
        assert!(
            matches!(
                outcome,
                Err(BeginAuthorizationError::Rejected { reason: UNKNOWN_CLIENT | NOT_ACTIVE, .. })
            ),
            "{outcome:?}"
        );
        effects.assert_untouched();
    }
}

#[tokio::test]
async fn t22_t24_a_client_id_that_is_missing_repeated_or_none_is_shown_on_a_page() {
    for client_id in [None, Some(""), Some("night-owl"), Some("00000000000000000000000c11e00001")] {
        let (outcome, effects) =
            begin(World::new([]), AuthorizationParameters { client_id, ..good() }, Some(user_id(1))).await;
        assert!(
            matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: MALFORMED_CLIENT_ID, .. })),
            "{outcome:?}"
        );
        effects.assert_untouched();
    }
}

/// RFC 9700 section 4.1.3.
#[tokio::test]
async fn t20_a_redirect_uri_that_differs_by_a_letter_is_shown_on_a_page() {
    for text in ["https://owl.example/callback/", "https://OWL.example/callback", "https://evil.example/", ""]
    {
        let parameters = AuthorizationParameters { redirect_uri: Some(text), ..good() };
        let outcome = begin_without_storing(app(), parameters).await;
        assert!(
            matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: UNKNOWN_REDIRECT_URI, .. })),
            "{text:?}: {outcome:?}"
        );
    }
}

/// Even if only one is registered.
#[tokio::test]
async fn t24_a_redirect_uri_that_is_missing_or_repeated_is_shown_on_a_page() {
    let outcome =
        begin_without_storing(app(), AuthorizationParameters { redirect_uri: None, ..good() }).await;
    assert!(
        matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: UNKNOWN_REDIRECT_URI, .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn t25_a_state_above_2_kib_is_shown_on_a_page_before_any_other_fault() {
    let long = "\u{e9}".repeat(1024) + "x";
    let parameters = AuthorizationParameters {
        state: ParameterValue::Once(&long),
        response_type: ParameterValue::Faulty,
        ..good()
    };
    let outcome = begin_without_storing(app(), parameters).await;
    assert!(
        matches!(outcome, Err(BeginAuthorizationError::Rejected { reason: STATE_TOO_LONG, .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn t25_a_state_of_2_kib_is_kept() {
    let state = "\u{e9}".repeat(1024);
    let mut unit = MockUnitOfWork::default();
    let stored = expect_request(&mut unit);
    let parameters = AuthorizationParameters { state: ParameterValue::Once(&state), ..good() };
    let (outcome, _) = begin(World::new([unit]).with_client(Some(app())).counting(1), parameters, None).await;
    assert!(outcome.is_ok());
    assert_eq!(captured(&stored).state, Some(state));
}

#[tokio::test]
async fn an_address_can_store_at_most_300_requests() {
    let mut unit = MockUnitOfWork::default();
    expect_request(&mut unit);
    let (outcome, _) = begin(World::new([unit]).with_client(Some(app())).counting(300), good(), None).await;
    assert!(matches!(outcome, Ok(AuthorizationStep::SignIn { .. })), "{outcome:?}");

    let (outcome, effects) = begin(World::new([]).with_client(Some(app())).counting(301), good(), None).await;
    let Err(BeginAuthorizationError::TooManyRequests { retry_after_seconds }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(retry_after_seconds, 90);
    effects.assert_untouched();
}

#[tokio::test]
async fn requests_are_counted_by_ipv4_address_or_ipv6_network() {
    let mut keys = Vec::new();
    for address in ["192.0.2.7", "192.0.2.8", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"] {
        let mut unit = MockUnitOfWork::default();
        expect_request(&mut unit);
        let mut world = World::new([unit]).with_client(Some(app()));
        let note = Captured::default();
        let key = Arc::clone(&note);
        world.failures = counters(1, move |keys, at, _| {
            *key.lock().unwrap() = Some(keys[0]);
            Ok(vec![FailureCount { count: 1, window_ends_at: at }])
        });
        let visitor =
            AuthorizationVisitor { visit: &visit(), signed_in: None, address: address.parse().unwrap() };
        world.service().0.begin(visitor, &good()).await.unwrap();
        keys.push(captured(&note));
    }
    assert_eq!(keys[2], keys[3]);
    assert_eq!(keys.into_iter().collect::<HashSet<_>>().len(), 4);
}

#[tokio::test]
async fn a_request_that_cannot_be_counted_is_not_stored() {
    let mut world = World::new([]).with_client(Some(app()));
    world.failures = counters(1, |_, _, _| Err(StorageError::Unavailable));
    let (outcome, effects) = begin(world, good(), None).await;
    assert!(matches!(outcome, Err(BeginAuthorizationError::Storage(_))), "{outcome:?}");
    effects.assert_untouched();
}
