use super::{ADDRESS, TestStore, approved, session};
use crate::developer::{AppCommand, DeveloperAppError, IssueSandboxCode, SandboxCode};
use crate::operator::IssueCode;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{ClientWithSecrets, MockClientReader};
use crate::testing::{REDIRECT_URI, client_id, clock, entropy, noon, person, seconds, user_id};
use domain::client::{Client, ClientStatus};
use domain::code::AuthorizationCode;
use domain::id::UserId;
use domain::sandbox::{SandboxPerson, Story};
use domain::user::User;
use std::sync::{Arc, Mutex};

/// Asks user 1, the owner of the app, for a code of user 3, a sandbox person of this owner; returns it with
/// what was stored.
async fn issue(
    client: Client,
    owner: Option<UserId>,
) -> (Result<SandboxCode, DeveloperAppError>, Option<AuthorizationCode>) {
    let stored: Arc<Mutex<Option<AuthorizationCode>>> = Arc::default();
    let (mut unit, noted) = (MockUnitOfWork::default(), Arc::clone(&stored));
    unit.users.expect_find().returning(|id| Ok(Some(User { id, ..person() })));
    let locked = client.clone();
    unit.clients.expect_find().returning(move |_| Ok(Some(locked.clone())));
    unit.sandbox.expect_find().returning(move |user_id| {
        let records_until = noon().date_naive();
        Ok(Some(SandboxPerson { user_id, story: Story::Gaps, owner, records_until }))
    });
    unit.codes.expect_insert().times(..=1).returning(move |code| {
        *noted.lock().unwrap() = Some(code.clone());
        Ok(())
    });
    let prepared = TestStore::new([unit]);
    let mut clients = MockClientReader::new();
    clients
        .expect_find_with_secrets()
        .returning(move |_| Ok(Some(ClientWithSecrets { client: client.clone(), secrets: Vec::new() })));
    let issue = IssueCode::new(prepared.units.clone(), entropy(), clock());
    let use_case = IssueSandboxCode::new(Arc::new(clients), issue, entropy());
    let session = session(900);
    let command = AppCommand { session: &session, id: client_id(1), address: ADDRESS };
    let issued = use_case.run(command, user_id(3)).await;
    drop(use_case);
    let stored = stored.lock().unwrap().clone();
    (issued, stored)
}

#[tokio::test]
async fn a_code_is_for_all_scopes_of_the_app_and_its_first_redirect_uri() {
    let (issued, stored) = issue(approved(), Some(user_id(1))).await;
    let (issued, stored) = (issued.unwrap(), stored.unwrap());
    assert!(issued.verifier.is_none() && stored.challenge.is_none());
    assert_eq!((stored.user_id, stored.scopes), (user_id(3), approved().scopes));
    assert_eq!((stored.hash, stored.redirect_uri.as_str()), (issued.code.hash(), REDIRECT_URI));
    assert_eq!(issued.expires_at, noon() + seconds(600));
}

#[tokio::test]
async fn an_app_that_must_use_pkce_gets_a_verifier_that_meets_the_challenge() {
    let (issued, stored) = issue(Client { require_pkce: true, ..approved() }, Some(user_id(1))).await;
    let verifier = issued.unwrap().verifier.unwrap();
    assert!(stored.unwrap().challenge.unwrap().is_met_by(&verifier));
}

#[tokio::test]
async fn other_developers_people_and_disabled_apps_get_no_code() {
    for owner in [None, Some(user_id(2))] {
        let (refused, stored) = issue(approved(), owner).await;
        assert!(matches!(refused, Err(DeveloperAppError::NotFound)), "{refused:?}");
        assert_eq!(stored, None);
    }
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..approved() };
    let (refused, stored) = issue(disabled, Some(user_id(1))).await;
    assert!(matches!(refused, Err(DeveloperAppError::NoCode)), "{refused:?}");
    assert_eq!(stored, None);
}
