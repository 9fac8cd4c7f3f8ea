//! Rejected requests for codes that are issued without a browser.

use crate::Harness;
use crate::fixture::{client, client_id, draft, now, secret, user, user_id};
use crate::service::{assert_rejected, audited, recorded};
use application::code::{CodeError, CodeIssuer, Codes, NewCode};
use domain::client::{Client, ClientKind, ClientStatus, MAX_DRAFT_USERS};
use domain::code::CodeLifetime;
use domain::sandbox::{SandboxPerson, Story};
use domain::scope::{Scope, ScopeSet};
use domain::user::{User, UserStatus};

/// Stores person 1, the locked person 2, and the sandbox people 3 of person 2 and 4 of the operator. Then
/// clients: an app, a disabled one, a service, one that requires PKCE, and a draft of person 2 with as many
/// users as it may have.
async fn prepare(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_user(&User { status: UserStatus::Locked { at: now() }, ..user(2) }).await;
    for (number, owner) in [(3, Some(user_id(2))), (4, None)] {
        let (user_id, records_until) = (user_id(number), now().date_naive());
        let person = SandboxPerson { user_id, story: Story::Gaps, owner, records_until };
        let mut unit = harness.begin().await;
        unit.users().insert(&User { email: person.email(), ..user(number) }).await.unwrap();
        unit.sandbox().insert(&person).await.unwrap();
        unit.commit().await.unwrap();
    }
    let scopes = [Scope::Sleep].into_iter().collect();
    let apps = [
        Client { scopes, ..client(1) },
        Client { status: ClientStatus::Disabled { at: now() }, ..client(2) },
        Client { kind: ClientKind::Service, ..client(3) },
        Client { require_pkce: true, ..client(4) },
        draft(5, 2),
    ];
    for (number, app) in (1..).zip(apps) {
        harness.store_client(&app, &secret(number)).await;
    }
    for number in 10..10 + u64::from(MAX_DRAFT_USERS) {
        harness.store_user(&user(number)).await;
        let mut unit = harness.begin().await;
        unit.users().find(user_id(number)).await.unwrap();
        unit.draft_users().admit(client_id(5), user_id(number), MAX_DRAFT_USERS, now()).await.unwrap();
        unit.commit().await.unwrap();
    }
}

/// Whether this is the expected rejection.
type Expected = fn(&CodeError) -> bool;

pub(crate) async fn rejected_codes_are_not_issued_and_open_no_connection(harness: &Harness) {
    prepare(harness).await;
    let codes = Codes { store: audited(harness), clients: harness.clients.clone() };
    let new = NewCode {
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: "https://app.example/back".to_owned(),
        scopes: [Scope::Sleep].into_iter().collect(),
        challenge: None,
        lifetime: CodeLifetime::DEFAULT,
    };
    let of_client = |number| NewCode { client_id: client_id(number), ..new.clone() };
    let of_person = |number| NewCode { user_id: user_id(number), ..new.clone() };
    let to = |uri: &str| NewCode { redirect_uri: uri.to_owned(), ..new.clone() };
    let of_scopes = |scopes| NewCode { scopes, ..new.clone() };
    let is_unknown = |error: &CodeError| matches!(error, CodeError::UnknownClient);
    let is_other_uri = |error: &CodeError| matches!(error, CodeError::UnknownRedirectUri);
    let is_other_scope = |error: &CodeError| matches!(error, CodeError::ScopeNotAllowed);
    let is_no_person = |error: &CodeError| matches!(error, CodeError::UnknownUser);
    let (operator, developer) = (CodeIssuer::Operator, CodeIssuer::Developer(user_id(1)));
    let cases: &[(&str, CodeIssuer, NewCode, Expected)] = &[
        ("unknown client", operator, of_client(9), is_unknown),
        ("disabled client", operator, of_client(2), is_unknown),
        ("service", operator, of_client(3), |error| matches!(error, CodeError::ServiceClient)),
        ("PKCE", operator, of_client(4), |error| matches!(error, CodeError::PkceRequired)),
        ("full draft", operator, of_client(5), |error| matches!(error, CodeError::DraftFull)),
        ("URI with a slash", operator, to("https://app.example/back/"), is_other_uri),
        ("URI in capitals", operator, to("https://APP.example/back"), is_other_uri),
        ("no URI", operator, to(""), is_other_uri),
        ("no scope", operator, of_scopes(ScopeSet::EMPTY), is_other_scope),
        ("wider scopes", operator, of_scopes(ScopeSet::CONSENTABLE), is_other_scope),
        ("unknown person", operator, of_person(9), is_no_person),
        ("locked person", operator, of_person(2), |error| matches!(error, CodeError::UserLocked)),
        ("real person", developer, new.clone(), is_no_person),
        ("another developer's person", developer, of_person(3), is_no_person),
        ("the operator's sandbox person", developer, of_person(4), is_no_person),
    ];
    for (name, issuer, new, is_expected) in cases {
        assert_rejected(harness, name, *is_expected, async || codes.issue(*issuer, new.clone()).await).await;
    }
    assert_eq!(recorded(harness).await, []);
    // What was rejected for one value is issued with another one.
    codes.issue(operator, new).await.unwrap();
}
