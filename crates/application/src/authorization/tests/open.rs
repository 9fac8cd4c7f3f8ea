//! The consent page: access to it, and when it is skipped.

use super::*;
use crate::authorization::{ConsentError, ConsentOutcome, ConsentView};
use crate::ports::storage::ConnectedApp;
use crate::testing::locked;
use domain::client::{ClientKind, ClientName, ClientPages, ClientStatus, RedirectUri, Review};
use domain::id::ClientId;

type Outcome = Result<ConsentOutcome, ConsentError>;

fn connected(client: ClientId, text: &str) -> ConnectedApp {
    ConnectedApp {
        client_id: client,
        name: ClientName::parse("Night Owl").unwrap(),
        scopes: scopes(text),
        grants: 1,
        since: noon() - seconds(86_400),
        last_used_at: None,
        last_used_from: None,
        is_remembered: false,
        is_public: false,
    }
}

/// Opens the page for user 1, who signed in this many seconds ago.
async fn open_as(world: World, visit: &Secret, ago: i64) -> (Outcome, Effects) {
    let (service, effects) = world.service();
    (service.open(&signed_in(ago), visit, request_id()).await, effects)
}

/// Opens the page for a user with these connected apps.
async fn open(unit: MockUnitOfWork, connected: Vec<ConnectedApp>) -> (Outcome, Effects) {
    let mut world = World::new([unit]);
    world
        .apps
        .expect_list_connected_apps()
        .times(..=1)
        .withf(|id| *id == user_id(1))
        .return_once(move |_| Ok(connected));
    // Signed in half a minute after the request.
    open_as(world, &visit(), 30).await
}

/// Returns the error of a rejected opening, and asserts that nothing was changed.
async fn refusal(unit: MockUnitOfWork) -> ConsentError {
    let (outcome, effects) = open(unit, Vec::new()).await;
    effects.assert_rolled_back();
    outcome.unwrap_err()
}

fn unremembered(request: AuthorizationRequest, client: Client) -> MockUnitOfWork {
    let mut unit = with_request(Some(request), client);
    expect_remembered(&mut unit, None);
    unit
}

fn view() -> ConsentView {
    ConsentView {
        request_id: request_id(),
        client_id: client_id(1),
        client_name: ClientName::parse("Night Owl").unwrap(),
        metadata_host: None,
        is_reviewed: true,
        client_pages: ClientPages::default(),
        redirect_host: "owl.example".to_owned(),
        can_be_imitated: false,
        redirect_origin: "https://owl.example".to_owned(),
        scopes: scopes("profile sleep"),
        granted: None,
    }
}

#[tokio::test]
async fn the_page_shows_the_app_its_scopes_and_the_site_to_return_to() {
    let (outcome, effects) = open(unremembered(request(), app()), Vec::new()).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(view()));
    effects.assert_committed();
    assert_eq!(effects.kinds(), []);
}

// RFC 8252 section 8.6
#[tokio::test]
async fn the_page_warns_about_a_program_on_this_computer_rfc_8252_section_8_6() {
    let uri = "http://127.0.0.1:49152/callback";
    let redirect_uris = vec![RedirectUri::parse("http://127.0.0.1/callback").unwrap()];
    let native = Client { kind: ClientKind::PublicApp, require_pkce: true, redirect_uris, ..app() };
    let local = AuthorizationRequest { redirect_uri: uri.to_owned(), force_consent: true, ..request() };
    let (outcome, _) = open(with_request(Some(local), native), Vec::new()).await;
    let expected = ConsentView {
        redirect_host: "127.0.0.1:49152".to_owned(),
        redirect_origin: "http://127.0.0.1:49152".to_owned(),
        can_be_imitated: true,
        ..view()
    };
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(expected));
}

#[tokio::test]
async fn the_page_shows_what_the_app_can_already_read() {
    let connections = vec![connected(client_id(2), "profile"), connected(client_id(1), "sleep")];
    let (outcome, _) = open(unremembered(request(), app()), connections).await;
    assert_eq!(
        outcome.unwrap(),
        ConsentOutcome::Ask(ConsentView { granted: Some(scopes("sleep")), ..view() })
    );
}

#[tokio::test]
async fn a_remembered_consent_alone_gives_the_app_no_access() {
    let consented = ConnectedApp { grants: 0, is_remembered: true, ..connected(client_id(1), "sleep") };
    let (outcome, _) = open(unremembered(request(), app()), vec![consented]).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(view()));
}

#[tokio::test]
async fn an_unclaimed_request_is_bound_to_the_person() {
    let mut unit = unremembered(AuthorizationRequest { user_id: None, ..request() }, app());
    unit.authorization_requests
        .expect_assign()
        .times(1)
        .withf(|id, user| *id == request_id() && *user == user_id(1))
        .returning(|_, _| Ok(true));
    let (outcome, effects) = open(unit, Vec::new()).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(view()));
    effects.assert_committed();
}

#[tokio::test]
async fn an_unclaimed_request_is_not_bound_to_an_older_session() {
    let unassigned = AuthorizationRequest { user_id: None, ..request() };
    // The mock does not expect an assignment.
    let world = World::new([with_request(Some(unassigned), app())]);
    let (outcome, effects) = open_as(world, &visit(), 3600).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::SignIn);
    assert_eq!(effects.kinds(), []);

    // A request already assigned to the user needs no new sign-in.
    let mut world = World::new([unremembered(request(), app())]);
    world.apps.expect_list_connected_apps().times(1).returning(|_| Ok(Vec::new()));
    let (outcome, _) = open_as(world, &visit(), 3600).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(view()));
}

#[tokio::test]
async fn t29_a_request_claimed_concurrently_by_another_person_is_theirs() {
    let mut unit = with_request(Some(AuthorizationRequest { user_id: None, ..request() }), app());
    unit.authorization_requests.expect_assign().times(1).returning(|_, _| Ok(false));
    assert!(matches!(refusal(unit).await, ConsentError::NotYours));
}

#[tokio::test]
async fn t29_the_request_of_another_person_is_not_shown() {
    let of_other = AuthorizationRequest { user_id: Some(user_id(2)), ..request() };
    assert!(matches!(refusal(with_request(Some(of_other), app())).await, ConsentError::NotYours));
}

#[tokio::test]
async fn t29_the_request_of_another_browser_is_not_shown() {
    for user in [None, Some(user_id(1))] {
        let request = AuthorizationRequest { user_id: user, ..request() };
        let world = World::new([with_request(Some(request), app())]);
        let (outcome, effects) = open_as(world, &secret(SecretKind::Visit, 7), 30).await;
        assert!(matches!(outcome, Err(ConsentError::NotYours)), "{outcome:?}");
        effects.assert_rolled_back();
    }
}

#[tokio::test]
async fn an_unknown_decided_or_expired_request_is_reported_as_gone() {
    let decided = AuthorizationRequest { decision: RequestState::Decided { at: noon() }, ..request() };
    let old = AuthorizationRequest { created_at: noon() - seconds(1800), ..request() };
    for request in [None, Some(decided), Some(old)] {
        assert!(matches!(refusal(with_request(request, app())).await, ConsentError::Gone));
    }
}

#[tokio::test]
async fn a_client_since_disabled_or_without_the_redirect_uri_or_scopes_is_not_shown() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    let moved =
        Client { redirect_uris: vec![RedirectUri::parse("https://owl.example/new").unwrap()], ..app() };
    for client in [disabled, moved] {
        assert!(matches!(
            refusal(with_request(Some(request()), client)).await,
            ConsentError::ClientUnavailable
        ));
    }
    let poor = Client { scopes: scopes("supplements"), ..app() };
    assert!(matches!(refusal(with_request(Some(request()), poor)).await, ConsentError::ClientUnavailable));
}

#[tokio::test]
async fn t30_an_ended_session_is_shown_nothing_and_grants_nothing() {
    assert!(matches!(refusal(after_the_session()).await, ConsentError::AccountUnavailable));
}

#[tokio::test]
async fn a_locked_or_erased_person_sees_nothing() {
    for user in [None, Some(User { status: locked(), ..person() })] {
        assert!(matches!(refusal(with_person(user)).await, ConsentError::AccountUnavailable));
    }
}

#[tokio::test]
async fn scopes_that_the_client_lost_in_the_meantime_are_neither_offered_nor_granted() {
    let client = Client { scopes: scopes("sleep"), ..app() };
    // Remembered consents are not looked up.
    let (outcome, _) = open(with_request(Some(request()), client), Vec::new()).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(ConsentView { scopes: scopes("sleep"), ..view() }));
}

#[tokio::test]
async fn t34_a_remembered_consent_grants_the_request_and_decides_it() {
    let mut unit = with_request(Some(request()), app());
    expect_remembered(&mut unit, Some(remembered("profile sleep")));
    expect_decided(&mut unit, true);
    let stored = expect_code(&mut unit);
    let (outcome, effects) = open(unit, Vec::new()).await;
    let Ok(ConsentOutcome::Redirect(response)) = outcome else { panic!("{outcome:?}") };
    let code = captured(&stored);
    assert_carries(&response, &code, Some("abc"));
    assert_eq!((code.scopes, code.challenge), (scopes("profile sleep"), request().challenge));
    assert_eq!(effects.kinds(), [AuditKind::CodeIssued]);
    effects.assert_committed();
}

#[tokio::test]
async fn a_remembered_consent_does_not_apply_to_an_app_that_is_a_draft_again() {
    let draft = Client { review: Review::Draft { owner: user_id(1) }, ..app() };
    let (outcome, effects) = open(with_request(Some(request()), draft), Vec::new()).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(ConsentView { is_reviewed: false, ..view() }));
    assert_eq!(effects.kinds(), []);
}

#[tokio::test]
async fn only_one_of_two_pages_opened_concurrently_is_granted() {
    let mut unit = with_request(Some(request()), app());
    expect_remembered(&mut unit, Some(remembered("profile sleep")));
    expect_decided(&mut unit, false);
    assert!(matches!(refusal(unit).await, ConsentError::Gone));
}

#[tokio::test]
async fn t34_more_or_fewer_scopes_than_remembered_need_consent() {
    for earlier in ["sleep", "profile sleep supplements"] {
        let mut unit = with_request(Some(request()), app());
        expect_remembered(&mut unit, Some(remembered(earlier)));
        let (outcome, _) = open(unit, Vec::new()).await;
        assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(view()), "{earlier}");
    }
}

#[tokio::test]
async fn t34_prompt_consent_shows_the_page_despite_a_remembered_consent() {
    let forced = AuthorizationRequest { force_consent: true, ..request() };
    let mut unit = with_request(Some(forced), app());
    unit.consents.expect_find().never();
    let (outcome, _) = open(unit, Vec::new()).await;
    assert_eq!(outcome.unwrap(), ConsentOutcome::Ask(view()));
}
