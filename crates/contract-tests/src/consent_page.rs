//! The consent page, and consents that are remembered.

use crate::Harness;
use crate::consent_form::{
    URI, ask, asked, assert_code, authorizations, of_app, policies, remember, scopes, visit,
};
use crate::fixture::{client, client_id, draft, grant, now, published, seconds, secret, user, user_id};
use crate::service::{Distinct, prepare, recorded, signed_in_ago};
use application::authorization::{ConsentError, ConsentOutcome, ConsentView, PendingApp};
use application::ports::system::Entropy as _;
use domain::audit::AuditKind;
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::client::{Client, ClientKind, MetadataPolicy, RedirectUri};
use domain::grant::Grant;
use domain::id::AuthorizationRequestId;

fn view(request_id: AuthorizationRequestId) -> ConsentOutcome {
    ConsentOutcome::Ask(view_of(request_id))
}

fn view_of(request_id: AuthorizationRequestId) -> ConsentView {
    ConsentView {
        request_id,
        client_id: client_id(1),
        client_name: client(1).name,
        metadata_host: None,
        is_reviewed: true,
        client_pages: client(1).pages,
        redirect_host: "app.example".to_owned(),
        can_be_imitated: false,
        redirect_origin: "https://app.example".to_owned(),
        scopes: scopes("profile sleep"),
        granted: None,
    }
}

pub(crate) async fn the_page_shows_the_app_and_what_it_asks_for_and_has(harness: &Harness) {
    let person = &prepare(harness).await;
    // Another app has scopes already.
    harness.store_client(&client(2), &secret(2)).await;
    harness.store_grants(&[Grant { client_id: client_id(2), ..grant(2) }]).await;
    let service = authorizations(harness, MetadataPolicy::Off);
    let open = async |id| service.open(person, &visit(6), id).await.unwrap();
    let id = ask(harness, &client(1), asked()).await;
    assert_eq!(open(id).await, view(id));
    // A remembered consent to other scopes gives the app nothing.
    for earlier in ["sleep", "profile sleep supplements"] {
        remember(harness, scopes(earlier)).await;
        assert_eq!(open(id).await, view(id), "{earlier}");
    }
    // RFC 8252 section 8.6
    let uri = "http://127.0.0.1:49152/callback";
    let redirect_uris = vec![RedirectUri::parse("http://127.0.0.1/callback").unwrap()];
    let native = Client { kind: ClientKind::PublicApp, require_pkce: true, redirect_uris, ..client(1) };
    let local = AuthorizationRequest { redirect_uri: uri.to_owned(), force_consent: true, ..asked() };
    let id = ask(harness, &native, local).await;
    let expected = ConsentView {
        redirect_host: "127.0.0.1:49152".to_owned(),
        redirect_origin: "http://127.0.0.1:49152".to_owned(),
        can_be_imitated: true,
        ..view_of(id)
    };
    assert_eq!(open(id).await, ConsentOutcome::Ask(expected));

    let listed = async |policy, is_reviewed| {
        let id = ask(harness, &published(1, 60), asked()).await;
        let metadata_host = Some("app.example".to_owned());
        let expected = ConsentOutcome::Ask(ConsentView { metadata_host, is_reviewed, ..view_of(id) });
        let opened = authorizations(harness, policy).open(person, &visit(6), id).await;
        assert_eq!(opened.unwrap(), expected);
    };
    let [list, any] = policies();
    listed(list, true).await;
    listed(any, false).await;
    harness.store_grants(&[Grant { scopes: scopes("sleep"), ..grant(1) }]).await;
    let id = ask(harness, &client(1), asked()).await;
    let granted = Some(scopes("sleep"));
    assert_eq!(open(id).await, ConsentOutcome::Ask(ConsentView { granted, ..view_of(id) }));
    assert_eq!(recorded(harness).await, []);
}

/// As it does if the app asks for it, is a draft again, or has lost a scope.
pub(crate) async fn the_page_may_need_a_decision_despite_a_remembered_consent(harness: &Harness) {
    let person = &prepare(harness).await;
    let service = authorizations(harness, MetadataPolicy::Off);
    let open = async |id| service.open(person, &visit(6), id).await.unwrap();
    remember(harness, scopes("profile sleep")).await;
    let id = ask(harness, &client(1), AuthorizationRequest { force_consent: true, ..asked() }).await;
    assert_eq!(open(id).await, view(id));
    let id = ask(harness, &draft(1, 1), asked()).await;
    assert_eq!(open(id).await, ConsentOutcome::Ask(ConsentView { is_reviewed: false, ..view_of(id) }));
    let id = ask(harness, &Client { scopes: scopes("sleep"), ..client(1) }, asked()).await;
    assert_eq!(open(id).await, ConsentOutcome::Ask(ConsentView { scopes: scopes("sleep"), ..view_of(id) }));
    assert_eq!(recorded(harness).await, []);
}

pub(crate) async fn a_request_of_nobody_is_bound_to_a_later_sign_in(harness: &Harness) {
    let person = &prepare(harness).await;
    let service = authorizations(harness, MetadataPolicy::Off);
    let (earlier, later) = (signed_in_ago(person, 3600), signed_in_ago(person, 30));
    let id = ask(harness, &client(1), AuthorizationRequest { user_id: None, ..asked() }).await;
    assert_eq!(service.open(&earlier, &visit(6), id).await.unwrap(), ConsentOutcome::SignIn);
    let bound = async || harness.authorization_requests.find_authorization_request(id).await.unwrap();
    assert_eq!(bound().await.unwrap().user_id, None);
    // One that is bound needs no new sign-in.
    for person in [&later, &earlier] {
        assert_eq!(service.open(person, &visit(6), id).await.unwrap(), view(id));
        assert_eq!(bound().await.unwrap().user_id, Some(user_id(1)));
    }
}

// T34
pub(crate) async fn a_remembered_consent_decides_the_request(harness: &Harness) {
    let person = &prepare(harness).await;
    let service = authorizations(harness, MetadataPolicy::Off);
    remember(harness, scopes("profile sleep")).await;
    let id = ask(harness, &client(1), asked()).await;
    let opened = service.open(person, &visit(6), id).await.unwrap();
    let ConsentOutcome::Redirect(response) = opened else { panic!("{opened:?}") };
    assert_code(harness, &response, "profile sleep").await;
    assert_eq!(recorded(harness).await, [of_app(AuditKind::CodeIssued)]);
    let again = service.open(person, &visit(6), id).await;
    assert!(matches!(again, Err(ConsentError::Gone)), "{again:?}");
}

pub(crate) async fn only_the_browser_of_an_open_request_gets_the_waiting_app(harness: &Harness) {
    prepare(harness).await;
    let service = authorizations(harness, MetadataPolicy::Off);
    let login_hint = Some(user(1).email);
    for user_id in [None, Some(user_id(1))] {
        let request = AuthorizationRequest { user_id, login_hint: login_hint.clone(), ..asked() };
        let id = ask(harness, &client(1), request).await;
        let (name, redirect_uri, login_hint) = (client(1).name, URI.to_owned(), login_hint.clone());
        let expected = PendingApp { name, redirect_uri, login_hint };
        assert_eq!(service.find_pending_app(id, &visit(6)).await.unwrap(), Some(expected));
        assert_eq!(service.find_pending_app(id, &visit(7)).await.unwrap(), None);
    }
    let decided = AuthorizationRequest { decision: RequestState::Decided { at: now() }, ..asked() };
    let old = AuthorizationRequest { created_at: seconds(-1800), ..asked() };
    for request in [decided, old] {
        let id = ask(harness, &client(1), request).await;
        assert_eq!(service.find_pending_app(id, &visit(6)).await.unwrap(), None);
    }
    let unknown = AuthorizationRequestId::from_uuid(Distinct.uuid());
    assert_eq!(service.find_pending_app(unknown, &visit(6)).await.unwrap(), None);
}
