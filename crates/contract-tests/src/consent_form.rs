//! Decisions on the consent page.

use crate::Harness;
use crate::fixture::{client, client_id, consent, draft, now, published, request, seconds, user, user_id};
use crate::service::{
    Distinct, UNLIMITED, assert_rejected, assert_untouched, audited, event_of_person, locked, prepare,
    recorded, secret_text, signed_out,
};
use application::authorization::{Authorizations, ConsentDecision, ConsentError};
use application::ports::system::{Entropy as _, FetchedMetadata, MetadataSource};
use application::session::SignedInPerson;
use async_trait::async_trait;
use domain::audit::{AuditEvent, AuditKind};
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::authorization_response::AuthorizationResponse;
use domain::client::{
    Client, ClientStatus, MAX_DRAFT_USERS, MetadataError, MetadataPolicy, MetadataUrl, RedirectUri,
};
use domain::code::{AuthorizationCode, CodeState};
use domain::consent::RememberedConsent;
use domain::id::AuthorizationRequestId;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};
use std::sync::Arc;

pub(crate) const URI: &str = "https://app.example/back";
const BOTH: &[&str] = &["profile", "sleep"];

/// A source of no document.
struct NoDocuments;

#[async_trait]
impl MetadataSource for NoDocuments {
    async fn read(&self, _: &MetadataUrl) -> Result<FetchedMetadata, MetadataError> {
        Err(MetadataError::Busy)
    }
}

pub(crate) fn authorizations(harness: &Harness, metadata_policy: MetadataPolicy) -> Authorizations {
    Authorizations {
        store: audited(harness),
        requests: harness.authorization_requests.clone(),
        clients: harness.clients.clone(),
        apps: harness.apps.clone(),
        failures: harness.failures.clone(),
        anonymous_requests: UNLIMITED,
        metadata: Arc::new(NoDocuments),
        metadata_policy,
        issuer: "https://sleep.example".to_owned(),
    }
}

pub(crate) fn scopes(text: &str) -> ScopeSet {
    ScopeSet::parse(text).unwrap()
}

pub(crate) fn visit(number: u8) -> Secret {
    secret_text(SecretKind::Visit, number)
}

/// A request of client 1 for profile and sleep, a minute old, which was shown to person 1.
pub(crate) fn asked() -> AuthorizationRequest {
    AuthorizationRequest {
        redirect_uri: URI.to_owned(),
        scopes: scopes("profile sleep"),
        state: Some("abc".to_owned()),
        force_consent: false,
        visit_hash: visit(6).hash(),
        user_id: Some(user_id(1)),
        login_hint: None,
        created_at: seconds(-60),
        ..request(1)
    }
}

/// Stores client 1 as this, and a new request as this; returns its id.
pub(crate) async fn ask(
    harness: &Harness,
    client: &Client,
    request: AuthorizationRequest,
) -> AuthorizationRequestId {
    let id = AuthorizationRequestId::from_uuid(Distinct.uuid());
    harness.update_client(client).await;
    commit!(harness, authorization_requests().insert(&AuthorizationRequest { id, ..request }));
    id
}

pub(crate) async fn remember(harness: &Harness, scopes: ScopeSet) {
    commit!(harness, consents().remember(&RememberedConsent { scopes, ..consent(1, 1) }));
}

async fn remembered(harness: &Harness) -> Option<RememberedConsent> {
    harness.begin().await.consents().find(user_id(1), client_id(1)).await.unwrap()
}

/// Returns a parameter of a response to the registered URI from the configured issuer, still encoded.
fn parameter(response: &AuthorizationResponse, name: &str) -> Option<String> {
    let (uri, query) = response.expose().split_once('?').unwrap();
    assert_eq!(uri, URI);
    let find = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    assert_eq!((find("iss"), find("state")), (Some("https%3A%2F%2Fsleep.example"), Some("abc")));
    find(name).map(str::to_owned)
}

/// Checks that a response has a code of these scopes, which is bound to all parameters of [`asked`].
pub(crate) async fn assert_code(harness: &Harness, response: &AuthorizationResponse, granted: &str) {
    assert_eq!(parameter(response, "error"), None);
    let code = Secret::parse(SecretKind::AuthorizationCode, &parameter(response, "code").unwrap()).unwrap();
    let expected = AuthorizationCode {
        hash: code.hash(),
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: URI.to_owned(),
        scopes: scopes(granted),
        resource: asked().resource,
        challenge: asked().challenge,
        issued_at: now(),
        expires_at: seconds(60),
        state: CodeState::Issued,
    };
    assert_eq!(harness.begin().await.codes().find(&code.hash()).await.unwrap(), Some(expected));
}

const fn allow(ticked: &'static [&'static str]) -> ConsentDecision<'static> {
    ConsentDecision::Allow { ticked, remember: false }
}

const fn allow_and_remember(ticked: &'static [&'static str]) -> ConsentDecision<'static> {
    ConsentDecision::Allow { ticked, remember: true }
}

pub(crate) fn of_app(kind: AuditKind) -> AuditEvent {
    event_of_person(kind).client(client_id(1))
}

/// Whether this is the expected rejection.
type Expected = fn(&ConsentError) -> bool;

const IS_GONE: Expected = |error| matches!(error, ConsentError::Gone);
const IS_ANOTHERS: Expected = |error| matches!(error, ConsentError::NotYours);
const IS_UNAVAILABLE: Expected = |error| matches!(error, ConsentError::ClientUnavailable);

// T29, T30
pub(crate) async fn rejected_consents_store_nothing_and_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    harness.store_user(&user(3)).await;
    let service = &authorizations(harness, MetadataPolicy::Off);
    let is_over = |error: &ConsentError| matches!(error, ConsentError::AccountUnavailable);
    let moved = RedirectUri::parse("https://app.example/new").unwrap();
    let (gone, locked, app) = (signed_out(person), locked(harness, person).await, client(1));
    let disabled = Client { status: ClientStatus::Disabled { at: now() }, ..client(1) };
    let moved = Client { redirect_uris: vec![moved], ..client(1) };
    let decided = RequestState::Decided { at: now() };
    let cases: [(&str, &SignedInPerson, u8, &Client, AuthorizationRequest, Expected); 9] = [
        ("decided", person, 6, &app, AuthorizationRequest { decision: decided, ..asked() }, IS_GONE),
        ("old", person, 6, &app, AuthorizationRequest { created_at: seconds(-1800), ..asked() }, IS_GONE),
        (
            "of another person",
            person,
            6,
            &app,
            AuthorizationRequest { user_id: Some(user_id(3)), ..asked() },
            IS_ANOTHERS,
        ),
        ("of another browser", person, 7, &app, asked(), IS_ANOTHERS),
        (
            "of another browser and nobody",
            person,
            7,
            &app,
            AuthorizationRequest { user_id: None, ..asked() },
            IS_ANOTHERS,
        ),
        ("of a disabled app", person, 6, &disabled, asked(), IS_UNAVAILABLE),
        ("of an app that moved", person, 6, &moved, asked(), IS_UNAVAILABLE),
        ("after signing out", &gone, 6, &app, asked(), is_over),
        ("of a locked person", &locked, 6, &app, asked(), is_over),
    ];
    let open = async |person, visit: &Secret, id| service.open(person, visit, id).await;
    let decide = async |person, visit: &Secret, id| service.decide(person, visit, id, allow(BOTH)).await;
    for (name, person, browser, client, request, is_expected) in cases {
        let (id, visit) = (ask(harness, client, request).await, &visit(browser));
        assert_rejected(harness, name, is_expected, async || open(person, visit, id).await).await;
        assert_rejected(harness, name, is_expected, async || decide(person, visit, id).await).await;
    }
    assert_eq!(recorded(harness).await, []);
}

// T29
pub(crate) async fn a_decision_needs_a_request_that_was_shown_and_known_scopes(harness: &Harness) {
    let (person, app) = (&prepare(harness).await, client(1));
    let service = &authorizations(harness, MetadataPolicy::Off);
    let open = async |person, visit: &Secret, id| service.open(person, visit, id).await;
    let decide = async |person, visit: &Secret, id| service.decide(person, visit, id, allow(BOTH)).await;
    let (unknown, visit) = (AuthorizationRequestId::from_uuid(Distinct.uuid()), &visit(6));
    assert_rejected(harness, "unknown", IS_GONE, async || open(person, visit, unknown).await).await;
    assert_rejected(harness, "unknown", IS_GONE, async || decide(person, visit, unknown).await).await;
    let unseen = ask(harness, &app, AuthorizationRequest { user_id: None, ..asked() }).await;
    assert_rejected(harness, "not shown", IS_ANOTHERS, async || decide(person, visit, unseen).await).await;
    let poor = Client { scopes: scopes("supplements"), ..client(1) };
    let id = ask(harness, &poor, asked()).await;
    assert_rejected(harness, "without scopes", IS_UNAVAILABLE, async || open(person, visit, id).await).await;
    let is_misspelt = |error: &ConsentError| matches!(error, ConsentError::UnknownScope);
    for ticked in [&["sleep", "email"] as &[&str], &["Sleep"], &[""], &["profile sleep"]] {
        let decision = ConsentDecision::Allow { ticked, remember: false };
        assert_untouched(harness, "scope", is_misspelt, async || {
            service.decide(person, visit, unknown, decision).await
        })
        .await;
    }
    assert_eq!(recorded(harness).await, []);
}

pub(crate) async fn a_full_draft_admits_no_one_else_and_stores_nothing(harness: &Harness) {
    let (person, visit) = (&prepare(harness).await, &visit(6));
    let service = &authorizations(harness, MetadataPolicy::Off);
    let draft = draft(1, 2);
    remember(harness, scopes("sleep")).await;
    let id = ask(harness, &draft, asked()).await;
    for number in 10..10 + u64::from(MAX_DRAFT_USERS) {
        harness.store_user(&user(number)).await;
        let mut unit = harness.begin().await;
        unit.users().find(user_id(number)).await.unwrap();
        unit.draft_users().admit(draft.id, user_id(number), MAX_DRAFT_USERS, now()).await.unwrap();
        unit.commit().await.unwrap();
    }
    let is_full = |error: &ConsentError| matches!(error, ConsentError::DraftFull);
    assert_rejected(harness, "full draft", is_full, async || {
        service.decide(person, visit, id, allow(BOTH)).await
    })
    .await;
    assert_eq!(recorded(harness).await, []);
    assert_eq!(remembered(harness).await, Some(consent(1, 1)));
    // The request is still open.
    service.decide(person, visit, id, ConsentDecision::Deny).await.unwrap();
}

// T29
pub(crate) async fn only_scopes_that_are_ticked_asked_for_and_allowed_are_granted(harness: &Harness) {
    let person = &prepare(harness).await;
    let service = authorizations(harness, MetadataPolicy::Off);
    let everything = Client { scopes: scopes("profile sleep supplements sleep:write"), ..client(1) };
    let poorer = Client { scopes: scopes("sleep"), ..client(1) };
    // Even a stored request cannot let a user grant a write scope.
    let odd = AuthorizationRequest { scopes: scopes("sleep sleep:write"), ..asked() };
    for (client, request, ticked, expected) in [
        (&client(1), asked(), BOTH, "profile sleep"),
        (&client(1), asked(), &["sleep", "sleep"] as &[&str], "sleep"),
        (&everything, asked(), &["sleep", "supplements", "sleep:write"], "sleep"),
        (&poorer, asked(), BOTH, "sleep"),
        (&everything, odd, &["sleep", "sleep:write"], "sleep"),
        // The owner of a draft is not counted among its users.
        (&draft(1, 1), asked(), BOTH, "profile sleep"),
    ] {
        remember(harness, scopes("sleep")).await;
        let id = ask(harness, client, request).await;
        let decision = ConsentDecision::Allow { ticked, remember: false };
        let response = service.decide(person, &visit(6), id, decision).await.unwrap();
        assert_code(harness, &response, expected).await;
        let given = of_app(AuditKind::ConsentGiven).scopes(scopes(expected));
        assert_eq!(recorded(harness).await, [given, of_app(AuditKind::CodeIssued)]);
        assert_eq!(remembered(harness).await, None);
        let again = service.decide(person, &visit(6), id, decision).await;
        assert!(matches!(again, Err(ConsentError::Gone)), "{again:?}");
    }
    assert_eq!(harness.clients.count_draft_users(client_id(1)).await.unwrap(), 0);
}

// T23
pub(crate) async fn a_denial_is_returned_to_the_app_and_ends_its_consent(harness: &Harness) {
    let person = &prepare(harness).await;
    let service = authorizations(harness, MetadataPolicy::Off);
    for client in [client(1), draft(1, 2)] {
        for decision in [ConsentDecision::Deny, allow(&[]), allow(&["supplements"])] {
            remember(harness, scopes("sleep")).await;
            let id = ask(harness, &client, asked()).await;
            let response = service.decide(person, &visit(6), id, decision).await.unwrap();
            assert_eq!(parameter(&response, "error").unwrap(), "access_denied");
            assert!(!parameter(&response, "error_description").unwrap().is_empty());
            assert_eq!(parameter(&response, "code"), None);
            assert_eq!(recorded(harness).await, [of_app(AuditKind::ConsentDenied)]);
            assert_eq!(remembered(harness).await, None);
        }
    }
    assert_eq!(harness.clients.count_draft_users(client_id(1)).await.unwrap(), 0);
}

/// A policy that lists the host of [`published`], and one that accepts any.
pub(crate) fn policies() -> [MetadataPolicy; 2] {
    [MetadataPolicy::Listed(vec!["app.example".to_owned()]), MetadataPolicy::Any(Vec::new())]
}

// T34
pub(crate) async fn a_whole_consent_to_a_reviewed_app_is_remembered(harness: &Harness) {
    let person = &prepare(harness).await;
    let poorer = Client { scopes: scopes("sleep"), ..client(1) };
    let [listed, any] = policies();
    for (policy, client, decision, is_remembered) in [
        (MetadataPolicy::Off, client(1), allow_and_remember(BOTH), true),
        (MetadataPolicy::Off, client(1), allow(BOTH), false),
        (MetadataPolicy::Off, client(1), allow_and_remember(&["sleep"]), false),
        (MetadataPolicy::Off, poorer, allow_and_remember(&["sleep"]), false),
        (listed, published(1, 60), allow_and_remember(BOTH), true),
        (any, published(1, 60), allow_and_remember(BOTH), false),
        // Admits the person among the draft's users.
        (MetadataPolicy::Off, draft(1, 2), allow_and_remember(BOTH), false),
    ] {
        remember(harness, scopes("sleep")).await;
        let service = authorizations(harness, policy);
        let id = ask(harness, &client, asked()).await;
        service.decide(person, &visit(6), id, decision).await.unwrap();
        let scopes = scopes("profile sleep");
        let expected = is_remembered.then(|| RememberedConsent { scopes, ..consent(1, 1) });
        assert_eq!(remembered(harness).await, expected);
    }
    assert_eq!(harness.clients.count_draft_users(client_id(1)).await.unwrap(), 1);
}
