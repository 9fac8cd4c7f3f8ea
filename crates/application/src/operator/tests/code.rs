use super::one;
use crate::audit::testing::{assert_events, event};
use crate::operator::{IssueCode, IssueCodeCommand, IssueCodeError};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{
    REDIRECT_URI, app, client_id, clock, entropy, locked, noon, person, scopes, seconds, service, user_id,
};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientStatus};
use domain::code::{AuthorizationCode, CodeLifetime, CodeState};
use domain::secret::SecretKind;
use domain::user::User;
use mockall::Sequence;
use std::sync::{Arc, Mutex};

fn command() -> IssueCodeCommand {
    IssueCodeCommand {
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: REDIRECT_URI.to_owned(),
        scopes: scopes("sleep"),
        lifetime: CodeLifetime::DEFAULT,
    }
}

/// A unit of work that locks the user and then finds the client, in the order of the consent pages.
fn finding(client: Option<Client>, user: Option<User>) -> MockUnitOfWork {
    let mut order = Sequence::new();
    let mut unit = MockUnitOfWork::default();
    unit.users
        .expect_find()
        .times(1)
        .in_sequence(&mut order)
        .withf(|id| *id == user_id(1))
        .return_once(move |_| Ok(user));
    unit.clients
        .expect_find()
        .times(1)
        .in_sequence(&mut order)
        .withf(|id| *id == client_id(1))
        .return_once(move |_| Ok(client));
    unit
}

/// Returns the error of a rejected command; the mock expects no insert.
async fn refusal(client: Option<Client>, user: Option<User>, command: IssueCodeCommand) -> IssueCodeError {
    let (units, endings) = one(finding(client, user));
    let events = units.events();
    let error = IssueCode::new(units, entropy(), clock()).run(command).await.unwrap_err();
    assert_eq!(endings.committed(), 0);
    assert_events(&events, &[]);
    error
}

#[tokio::test]
async fn a_code_is_stored_as_a_hash_with_everything_it_is_bound_to() {
    let stored: Arc<Mutex<Option<AuthorizationCode>>> = Arc::default();
    let noted = Arc::clone(&stored);
    let mut unit = finding(Some(app()), Some(person()));
    unit.codes.expect_insert().times(1).returning(move |code| {
        *noted.lock().unwrap() = Some(code.clone());
        Ok(())
    });
    let (units, endings) = one(unit);
    let events = units.events();
    let issued = IssueCode::new(units, entropy(), clock()).run(command()).await.unwrap();

    assert_eq!(issued.code.kind(), SecretKind::AuthorizationCode);
    assert_eq!(issued.expires_at, noon() + seconds(60));
    let expected = AuthorizationCode {
        hash: issued.code.hash(),
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: REDIRECT_URI.to_owned(),
        scopes: scopes("sleep"),
        challenge: None,
        issued_at: noon(),
        expires_at: noon() + seconds(60),
        state: CodeState::Issued,
    };
    assert_eq!(stored.lock().unwrap().clone(), Some(expected));
    assert_eq!(endings.committed(), 1);
    let issued_event =
        event(AuditActor::Operator, AuditKind::CodeIssued).user(user_id(1)).client(client_id(1));
    assert_events(&events, &[issued_event]);
}

#[tokio::test]
async fn an_unknown_or_disabled_client_gets_no_code() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    for client in [None, Some(disabled)] {
        let error = refusal(client, Some(person()), command()).await;
        assert!(matches!(error, IssueCodeError::UnknownClient), "{error}");
    }
}

#[tokio::test]
async fn a_service_client_gets_no_code() {
    let error = refusal(Some(service()), Some(person()), command()).await;
    assert!(matches!(error, IssueCodeError::ServiceClient), "{error}");
}

#[tokio::test]
async fn a_client_that_must_use_pkce_gets_no_code_made_by_hand() {
    let strict = Client { require_pkce: true, ..app() };
    let error = refusal(Some(strict), Some(person()), command()).await;
    assert!(matches!(error, IssueCodeError::PkceRequired), "{error}");
}

#[tokio::test]
async fn the_redirect_uri_must_match_letter_by_letter() {
    for other in ["https://owl.example/callback/", "https://OWL.example/callback", "https://owl.example", ""]
    {
        let command = IssueCodeCommand { redirect_uri: other.to_owned(), ..command() };
        let error = refusal(Some(app()), Some(person()), command).await;
        assert!(matches!(error, IssueCodeError::UnknownRedirectUri), "{other}");
    }
}

#[tokio::test]
async fn scopes_must_be_some_of_the_clients() {
    for scope in ["", "supplements", "sleep supplements", "sleep:write"] {
        let command = IssueCodeCommand { scopes: scopes(scope), ..command() };
        let error = refusal(Some(app()), Some(person()), command).await;
        assert!(matches!(error, IssueCodeError::ScopeNotAllowed), "{scope}");
    }
}

#[tokio::test]
async fn there_is_no_code_for_an_unknown_or_locked_person() {
    let error = refusal(Some(app()), None, command()).await;
    assert!(matches!(error, IssueCodeError::UnknownUser), "{error}");
    let error = refusal(Some(app()), Some(User { status: locked(), ..person() }), command()).await;
    assert!(matches!(error, IssueCodeError::UserLocked), "{error}");
}
