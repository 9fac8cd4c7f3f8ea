//! Consent decisions.

use super::*;
use crate::authorization::{ConsentDecision, ConsentError};
use crate::ports::storage::StorageError;
use crate::testing::locked;
use domain::client::{ClientStatus, RedirectUri, Review};
use domain::scope::ScopeSet;

type Outcome = Result<AuthorizationResponse, ConsentError>;

const BOTH: &[&str] = &["profile", "sleep"];

async fn decide_as(
    unit: MockUnitOfWork,
    visit: &Secret,
    decision: ConsentDecision<'_>,
) -> (Outcome, Effects) {
    let (service, effects) = World::new([unit]).service();
    (service.decide(&signed_in(30), visit, request_id(), decision).await, effects)
}

async fn decide(unit: MockUnitOfWork, decision: ConsentDecision<'_>) -> (Outcome, Effects) {
    decide_as(unit, &visit(), decision).await
}

const fn allow(ticked: &'static [&'static str]) -> ConsentDecision<'static> {
    ConsentDecision::Allow { ticked, remember: false }
}

/// Returns the error of a rejected decision, and asserts that nothing was stored.
async fn refusal(unit: MockUnitOfWork) -> ConsentError {
    let (outcome, effects) = decide(unit, allow(BOTH)).await;
    effects.assert_rolled_back();
    outcome.unwrap_err()
}

/// A unit of work in which the request is decided.
fn deciding(request: AuthorizationRequest, client: Client) -> MockUnitOfWork {
    let mut unit = with_request(Some(request), client);
    expect_decided(&mut unit, true);
    unit
}

fn expect_forgotten(unit: &mut MockUnitOfWork) {
    unit.consents
        .expect_forget()
        .times(1)
        .withf(|user, client| *user == Some(user_id(1)) && *client == Some(client_id(1)))
        .returning(|_, _| Ok(0));
}

/// Returns the scopes of the code after the request was allowed.
async fn granted(request: AuthorizationRequest, client: Client, ticked: &'static [&'static str]) -> String {
    let mut unit = deciding(request, client);
    expect_forgotten(&mut unit);
    let stored = expect_code(&mut unit);
    let (outcome, effects) = decide(unit, allow(ticked)).await;
    assert_carries(&outcome.unwrap(), &captured(&stored), Some("abc"));
    assert_eq!(effects.kinds(), [AuditKind::ConsentGiven, AuditKind::CodeIssued]);
    assert_eq!(allowed(&effects), [Some(captured(&stored).scopes), None]);
    effects.assert_committed();
    captured(&stored).scopes.to_string()
}

fn draft_of(owner: u128) -> Client {
    Client { review: Review::Draft { owner: user_id(owner) }, ..app() }
}

/// A unit of work that decides the request of a draft, and admits user 1 or not.
fn deciding_about_a_draft(is_admitted: bool) -> MockUnitOfWork {
    let mut unit = deciding(request(), draft_of(2));
    unit.sandbox.expect_find().times(1).returning(|_| Ok(None));
    unit.draft_users
        .expect_admit()
        .times(1)
        .withf(|client, user, limit, at| {
            (*client, *user, *limit, *at) == (client_id(1), user_id(1), 10, noon())
        })
        .returning(move |_, _, _, _| Ok(is_admitted));
    unit
}

#[tokio::test]
async fn a_full_draft_admits_nobody_else_and_stores_nothing() {
    let error = refusal(deciding_about_a_draft(false)).await;
    assert!(matches!(error, ConsentError::DraftFull), "{error:?}");
}

#[tokio::test]
async fn an_admitted_user_of_a_draft_grants_access_which_is_not_remembered() {
    let mut unit = deciding_about_a_draft(true);
    expect_forgotten(&mut unit);
    expect_code(&mut unit);
    let (outcome, effects) = decide(unit, ConsentDecision::Allow { ticked: BOTH, remember: true }).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    effects.assert_committed();
}

#[tokio::test]
async fn the_owner_of_a_draft_is_not_counted_among_its_users() {
    assert_eq!(granted(request(), draft_of(1), BOTH).await, "profile sleep");
}

#[tokio::test]
async fn a_denial_does_not_add_a_user_to_a_draft() {
    let mut unit = deciding(request(), draft_of(2));
    expect_forgotten(&mut unit);
    let (outcome, effects) = decide(unit, ConsentDecision::Deny).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(effects.kinds(), [AuditKind::ConsentDenied]);
}

/// Returns the scopes in the audit events.
fn allowed(effects: &Effects) -> Vec<Option<ScopeSet>> {
    effects.events.all().into_iter().map(|event| event.scopes).collect()
}

#[tokio::test]
async fn an_allowed_request_returns_a_code_bound_to_all_of_its_parameters() {
    let mut unit = deciding(request(), app());
    expect_forgotten(&mut unit);
    let stored = expect_code(&mut unit);
    let (outcome, effects) = decide(unit, allow(&["sleep"])).await;
    let code = captured(&stored);
    assert_carries(&outcome.unwrap(), &code, Some("abc"));
    let expected = AuthorizationCode { challenge: request().challenge, ..issued_code(code.hash) };
    assert_eq!(code, expected);
    assert_eq!(effects.kinds(), [AuditKind::ConsentGiven, AuditKind::CodeIssued]);
    effects.assert_committed();
}

#[tokio::test]
async fn t29_only_scopes_that_are_ticked_requested_and_still_allowed_are_granted() {
    assert_eq!(granted(request(), app(), BOTH).await, "profile sleep");
    assert_eq!(granted(request(), app(), &["sleep", "sleep"]).await, "sleep");
    let everything = Client { scopes: scopes("profile sleep supplements sleep:write"), ..app() };
    assert_eq!(
        granted(request(), everything.clone(), &["sleep", "supplements", "sleep:write"]).await,
        "sleep"
    );
    let poorer = Client { scopes: scopes("sleep"), ..app() };
    assert_eq!(granted(request(), poorer, BOTH).await, "sleep");
    // Even a stored request cannot let a user grant a write scope.
    let odd = AuthorizationRequest { scopes: scopes("sleep sleep:write"), ..request() };
    assert_eq!(granted(odd, everything, &["sleep", "sleep:write"]).await, "sleep");
}

#[tokio::test]
async fn t23_a_denial_is_returned_to_the_app() {
    let decisions = [ConsentDecision::Deny, allow(&[]), allow(&["supplements"])];
    for decision in decisions {
        let mut unit = deciding(request(), app());
        expect_forgotten(&mut unit);
        let (outcome, effects) = decide(unit, decision).await;
        assert_eq!(error_of(&outcome.unwrap()), ("access_denied", Some("abc")));
        assert_eq!(effects.kinds(), [AuditKind::ConsentDenied]);
        effects.assert_committed();
    }
}

#[tokio::test]
async fn t34_consent_is_remembered_if_everything_was_allowed() {
    let mut unit = deciding(request(), app());
    let note = Captured::default();
    let stored = Arc::clone(&note);
    unit.consents.expect_remember().times(1).returning(move |consent| {
        *stored.lock().unwrap() = Some(*consent);
        Ok(())
    });
    expect_code(&mut unit);
    let (outcome, effects) = decide(unit, ConsentDecision::Allow { ticked: BOTH, remember: true }).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(captured(&note), RememberedConsent { remembered_at: noon(), ..remembered("profile sleep") });
    effects.assert_committed();
}

#[tokio::test]
async fn t34_remembered_consent_ends_if_only_a_part_is_allowed_or_the_box_is_not_ticked() {
    let part = ConsentDecision::Allow { ticked: &["sleep"], remember: true };
    for decision in [part, allow(BOTH)] {
        let mut unit = deciding(request(), app());
        unit.consents.expect_remember().never();
        expect_forgotten(&mut unit);
        expect_code(&mut unit);
        assert!(decide(unit, decision).await.0.is_ok());
    }
}

#[tokio::test]
async fn t34_consent_is_not_remembered_if_the_client_lost_a_requested_scope() {
    let mut unit = deciding(request(), Client { scopes: scopes("sleep"), ..app() });
    unit.consents.expect_remember().never();
    expect_forgotten(&mut unit);
    expect_code(&mut unit);
    let decision = ConsentDecision::Allow { ticked: &["sleep"], remember: true };
    assert!(decide(unit, decision).await.0.is_ok());
}

#[tokio::test]
async fn t29_a_request_is_decided_once() {
    let mut unit = with_request(Some(request()), app());
    expect_decided(&mut unit, false);
    assert!(matches!(refusal(unit).await, ConsentError::Gone));
}

#[tokio::test]
async fn t29_an_unknown_decided_or_expired_request_is_reported_as_gone() {
    let decided = AuthorizationRequest { decision: RequestState::Decided { at: noon() }, ..request() };
    let old = AuthorizationRequest { created_at: noon() - seconds(1800), ..request() };
    for request in [None, Some(decided), Some(old)] {
        assert!(matches!(refusal(with_request(request, app())).await, ConsentError::Gone));
    }
}

#[tokio::test]
async fn t29_only_the_person_who_was_shown_the_page_can_decide() {
    for user in [Some(user_id(2)), None] {
        let request = AuthorizationRequest { user_id: user, ..request() };
        assert!(matches!(refusal(with_request(Some(request), app())).await, ConsentError::NotYours));
    }
}

#[tokio::test]
async fn t29_a_request_cannot_be_decided_in_another_browser() {
    let other = secret(SecretKind::Visit, 7);
    let (outcome, effects) = decide_as(with_request(Some(request()), app()), &other, allow(BOTH)).await;
    assert!(matches!(outcome, Err(ConsentError::NotYours)), "{outcome:?}");
    effects.assert_rolled_back();
}

#[tokio::test]
async fn a_client_since_disabled_or_without_the_redirect_uri_gets_nothing() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    let moved =
        Client { redirect_uris: vec![RedirectUri::parse("https://owl.example/new").unwrap()], ..app() };
    for client in [disabled, moved] {
        let error = refusal(with_request(Some(request()), client)).await;
        assert!(matches!(error, ConsentError::ClientUnavailable), "{error}");
    }
}

#[tokio::test]
async fn t30_an_ended_session_cannot_decide() {
    assert!(matches!(refusal(after_the_session()).await, ConsentError::AccountUnavailable));
}

#[tokio::test]
async fn a_locked_or_erased_person_decides_nothing() {
    for user in [None, Some(User { status: locked(), ..person() })] {
        assert!(matches!(refusal(with_person(user)).await, ConsentError::AccountUnavailable));
    }
}

#[tokio::test]
async fn t29_an_unknown_scope_name_is_rejected_before_any_lookup() {
    for ticked in [&["sleep", "email"] as &[&str], &["Sleep"], &[""], &["profile sleep"]] {
        let (service, effects) = World::new([]).service();
        let decision = ConsentDecision::Allow { ticked, remember: false };
        let outcome = service.decide(&signed_in(30), &visit(), request_id(), decision).await;
        assert!(matches!(outcome, Err(ConsentError::UnknownScope)), "{outcome:?}");
        effects.assert_untouched();
    }
}

#[tokio::test]
async fn a_decision_that_cannot_be_stored_returns_no_code() {
    let mut unit = deciding(request(), app());
    expect_forgotten(&mut unit);
    unit.codes.expect_insert().times(1).returning(|_| Err(StorageError::Unavailable));
    let (outcome, effects) = decide(unit, allow(BOTH)).await;
    assert!(matches!(outcome, Err(ConsentError::Storage(_))), "{outcome:?}");
    assert_eq!(effects.endings.committed(), 0);
}
