use super::{CodeError, CodeIssuer, Codes, NewCode, SandboxCode};
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::MockClientReader;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::testing::{
    REDIRECT_URI, app, client_id, client_reader, issued_code, noon, one, person, scopes, seconds, store,
    user_id, without_secrets,
};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, Review};
use domain::code::{AuthorizationCode, CodeLifetime, PkceChallenge};
use domain::sandbox::{SandboxPerson, Story};
use domain::secret::SecretKind;
use mockall::Sequence;
use std::sync::{Arc, Mutex};

fn new() -> NewCode {
    NewCode {
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: REDIRECT_URI.to_owned(),
        scopes: scopes("sleep"),
        challenge: None,
        lifetime: CodeLifetime::DEFAULT,
    }
}

fn codes(units: &Arc<PreparedUnitsOfWork>) -> Codes {
    Codes { store: store(units), clients: Arc::new(MockClientReader::new()) }
}

/// A unit of work that locks the user and then finds the client, in the order of the consent pages, and
/// stores a code.
fn issuing(client: Client) -> (MockUnitOfWork, Arc<Mutex<Option<AuthorizationCode>>>) {
    let mut order = Sequence::new();
    let mut unit = MockUnitOfWork::default();
    unit.users
        .expect_find()
        .times(1)
        .in_sequence(&mut order)
        .withf(|id| *id == user_id(1))
        .return_once(move |_| Ok(Some(person())));
    unit.clients
        .expect_find()
        .times(1)
        .in_sequence(&mut order)
        .withf(|id| *id == client_id(1))
        .return_once(move |_| Ok(Some(client)));
    let stored: Arc<Mutex<Option<AuthorizationCode>>> = Arc::default();
    let noted = Arc::clone(&stored);
    unit.codes.expect_insert().times(1).returning(move |code| {
        *noted.lock().unwrap() = Some(code.clone());
        Ok(())
    });
    (unit, stored)
}

/// Like [`issuing`], for user 1 as a sandbox person of user 7.
fn issuing_to_sandbox(client: Client) -> (MockUnitOfWork, Arc<Mutex<Option<AuthorizationCode>>>) {
    let (mut unit, stored) = issuing(client);
    let (owner, records_until) = (Some(user_id(7)), noon().date_naive());
    let person = SandboxPerson { user_id: user_id(1), story: Story::Gaps, owner, records_until };
    unit.sandbox.expect_find().times(1).returning(move |_| Ok(Some(person)));
    (unit, stored)
}

#[tokio::test]
async fn a_code_is_stored_as_a_hash_with_everything_it_is_bound_to() {
    let (unit, stored) = issuing(app());
    let (units, endings) = one(unit);
    let issued = codes(&units).issue(CodeIssuer::Operator, new()).await.unwrap();

    assert_eq!(issued.code.kind(), SecretKind::AuthorizationCode);
    assert_eq!(issued.expires_at, noon() + seconds(60));
    assert_eq!(stored.lock().unwrap().clone(), Some(issued_code(issued.code.hash())));
    assert_eq!(endings.committed(), 1);
    let issued_event =
        event(AuditActor::Operator, AuditKind::CodeIssued).user(user_id(1)).client(client_id(1));
    assert_events(&units.events(), &[issued_event]);
}

#[tokio::test]
async fn a_sandbox_person_is_not_counted_among_the_users_of_a_draft() {
    // Counting would panic: the mock does not expect it.
    let (unit, _) = issuing_to_sandbox(Client { review: Review::Draft { owner: user_id(7) }, ..app() });
    let (units, endings) = one(unit);
    codes(&units).issue(CodeIssuer::Operator, new()).await.unwrap();
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn a_client_that_requires_pkce_gets_a_code_with_a_challenge() {
    let (unit, stored) = issuing(Client { require_pkce: true, ..app() });
    let challenge = PkceChallenge::parse(&"A".repeat(43)).ok();
    assert!(challenge.is_some());
    codes(&one(unit).0).issue(CodeIssuer::Operator, NewCode { challenge, ..new() }).await.unwrap();
    assert_eq!(stored.lock().unwrap().clone().unwrap().challenge, challenge);
}

/// Issues a code of user 1, a sandbox person of user 7, for an app of this developer.
async fn issue_for_sandbox(
    client: Client,
    unit: MockUnitOfWork,
) -> (Result<Option<SandboxCode>, CodeError>, Arc<PreparedUnitsOfWork>) {
    let (units, _) = one(unit);
    let clients = client_reader(.., move |_| Ok(Some(without_secrets(client.clone()))));
    let codes = Codes { clients: Arc::new(clients), ..codes(&units) };
    (codes.issue_for_sandbox(user_id(7), client_id(1), user_id(1)).await, units)
}

fn registered() -> Client {
    Client { review: Review::Approved { owner: Some(user_id(7)) }, ..app() }
}

#[tokio::test]
async fn a_sandbox_code_is_for_all_scopes_of_the_app_and_its_first_redirect_uri() {
    let (unit, stored) = issuing_to_sandbox(registered());
    let (sandbox, units) = issue_for_sandbox(registered(), unit).await;
    let (sandbox, stored) = (sandbox.unwrap().unwrap(), stored.lock().unwrap().clone().unwrap());
    assert!(sandbox.verifier.is_none() && stored.challenge.is_none());
    assert_eq!((stored.user_id, stored.scopes), (user_id(1), app().scopes));
    assert_eq!((stored.hash, stored.redirect_uri.as_str()), (sandbox.issued.code.hash(), REDIRECT_URI));
    assert_eq!(sandbox.issued.expires_at, noon() + seconds(600));
    assert_events(
        &units.events(),
        &[event(AuditActor::Person, AuditKind::CodeIssued).user(user_id(1)).client(client_id(1))],
    );
    assert_eq!(units.endings().committed(), 1);
}

#[tokio::test]
async fn an_app_that_must_use_pkce_gets_a_verifier_that_meets_the_challenge() {
    let client = Client { require_pkce: true, ..registered() };
    let (unit, stored) = issuing_to_sandbox(client.clone());
    let (sandbox, _) = issue_for_sandbox(client, unit).await;
    let verifier = sandbox.unwrap().unwrap().verifier.unwrap();
    assert!(stored.lock().unwrap().clone().unwrap().challenge.unwrap().is_met_by(&verifier));
}

#[tokio::test]
async fn an_app_of_another_developer_or_without_redirect_uris_gets_no_sandbox_code() {
    let (sandbox, units) = issue_for_sandbox(app(), MockUnitOfWork::default()).await;
    assert!(matches!(sandbox, Ok(None)), "{sandbox:?}");
    assert_eq!(units.endings().opened(), 0);
    let without_uris = Client { redirect_uris: Vec::new(), ..registered() };
    let (sandbox, units) = issue_for_sandbox(without_uris, MockUnitOfWork::default()).await;
    assert!(matches!(sandbox, Err(CodeError::UnknownRedirectUri)), "{sandbox:?}");
    assert_eq!(units.endings().opened(), 0);
}
