use super::one;
use crate::audit::testing::{assert_events, event};
use crate::operator::{CodeIssuer, IssueCode, IssueCodeCommand, IssueCodeError};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{
    REDIRECT_URI, app, client_id, clock, entropy, issued_code, locked, noon, person, scopes, seconds,
    service, user_id,
};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientStatus, Review};
use domain::code::{AuthorizationCode, CodeLifetime, PkceChallenge};
use domain::id::UserId;
use domain::sandbox::{SandboxPerson, Story};
use domain::secret::SecretKind;
use domain::user::User;
use mockall::Sequence;
use std::sync::{Arc, Mutex};

fn command() -> IssueCodeCommand {
    IssueCodeCommand {
        issuer: CodeIssuer::Operator,
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: REDIRECT_URI.to_owned(),
        scopes: scopes("sleep"),
        challenge: None,
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
async fn a_full_draft_gets_no_code_for_anyone_else() {
    let draft = Client { review: Review::Draft { owner: user_id(2) }, ..app() };
    let mut unit = finding(Some(draft), Some(person()));
    unit.sandbox.expect_find().times(1).returning(|_| Ok(None));
    unit.draft_users.expect_admit().times(1).returning(|_, _, _, _| Ok(false));
    let (units, endings) = one(unit);
    let refused = IssueCode::new(units, entropy(), clock()).run(command()).await;
    assert!(matches!(refused, Err(IssueCodeError::DraftFull)), "{refused:?}");
    assert_eq!(endings.committed(), 0);
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
    assert_eq!(stored.lock().unwrap().clone(), Some(issued_code(issued.code.hash())));
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
async fn a_client_that_requires_pkce_gets_no_code_without_a_challenge() {
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

#[tokio::test]
async fn a_sandbox_person_is_not_counted_among_the_users_of_a_draft() {
    let draft = Client { review: Review::Draft { owner: user_id(2) }, ..app() };
    let mut unit = finding(Some(draft), Some(person()));
    unit.sandbox.expect_find().times(1).returning(|_| Ok(Some(sandbox_person(Some(user_id(2))))));
    unit.draft_users.expect_admit().never();
    unit.codes.expect_insert().times(1).returning(|_| Ok(()));
    let (units, endings) = one(unit);
    IssueCode::new(units, entropy(), clock()).run(command()).await.unwrap();
    assert_eq!(endings.committed(), 1);
}

/// A sandbox person of a developer, with the id of the command.
fn sandbox_person(owner: Option<UserId>) -> SandboxPerson {
    SandboxPerson { user_id: user_id(1), story: Story::Gaps, owner, records_until: noon().date_naive() }
}

#[tokio::test]
async fn a_developer_gets_a_code_for_a_sandbox_person_of_theirs() {
    let developer = user_id(7);
    let mut unit = finding(Some(app()), Some(person()));
    let owned = sandbox_person(Some(developer));
    unit.sandbox.expect_find().times(1).returning(move |_| Ok(Some(owned)));
    unit.codes.expect_insert().times(1).returning(|_| Ok(()));
    let (units, endings) = one(unit);
    let events = units.events();
    let command = IssueCodeCommand { issuer: CodeIssuer::Developer(developer), ..command() };
    IssueCode::new(units, entropy(), clock()).run(command).await.unwrap();
    assert_events(
        &events,
        &[event(AuditActor::Person, AuditKind::CodeIssued).user(user_id(1)).client(client_id(1))],
    );
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn a_developer_gets_no_code_for_a_real_person_or_another_owners_sandbox_person() {
    for found in [None, Some(sandbox_person(None)), Some(sandbox_person(Some(user_id(8))))] {
        let mut unit = finding(Some(app()), Some(person()));
        unit.sandbox.expect_find().times(1).returning(move |_| Ok(found));
        let (units, endings) = one(unit);
        let command = IssueCodeCommand { issuer: CodeIssuer::Developer(user_id(7)), ..command() };
        let error = IssueCode::new(units, entropy(), clock()).run(command).await.unwrap_err();
        assert!(matches!(error, IssueCodeError::UnknownUser), "{error:?}");
        assert_eq!(endings.committed(), 0);
    }
}

#[tokio::test]
async fn a_client_that_requires_pkce_gets_a_code_with_a_challenge() {
    let client = Client { require_pkce: true, ..app() };
    let mut unit = finding(Some(client), Some(person()));
    let challenge = PkceChallenge::parse(&"A".repeat(43)).ok();
    assert!(challenge.is_some());
    let expected = challenge;
    unit.codes.expect_insert().times(1).withf(move |code| code.challenge == expected).returning(|_| Ok(()));
    let (units, endings) = one(unit);
    let command = IssueCodeCommand { challenge, ..command() };
    IssueCode::new(units, entropy(), clock()).run(command).await.unwrap();
    assert_eq!(endings.committed(), 1);
}
