//! Readers while a unit of work with writes is open.

use crate::Harness;
use crate::fixture::{
    browser, browser_id, catalogue_key, client, client_id, full_user, grant, grant_id, hash, import_id, link,
    log, now, page, password_hash, personal_token, persons_import, request, request_id, secret, session,
    session_id, supplement, tally, user, user_id,
};
use application::ports::storage::{
    AuditFilter, ChangePageQuery, GrantFilter, Import, PasswordLinkWithAccount, SleepPageQuery,
    SupplementPageQuery, UnitOfWork,
};
use domain::data_kind::DataKind;
use domain::grant::RevocationReason;
use domain::paging::SortDirection::Ascending;
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::supplement::Upc;
use domain::time::DateRange;
use domain::user::{User, UserStatus};
use std::time::Duration;

/// Time limit for all readers together; shorter than any lock timeout of a store.
const READ_TIMEOUT: Duration = Duration::from_secs(3);

/// Stores one record of every kind that a reader returns, all of person 1.
async fn store(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_client(&client(1), &secret(1)).await;
    harness.store_grants(&[grant(1)]).await;
    harness.store_personal_tokens(&[personal_token(1)]).await;
    harness.store_sessions(user_id(1), &[session(1, 0)]).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    harness.add_tallies(&[tally(0)]).await;
    let mut unit = harness.begin().await;
    unit.passwords().set(user_id(1), &password_hash(1), now()).await.unwrap();
    unit.password_links().insert(&link(1)).await.unwrap();
    unit.sessions().insert(&browser(1)).await.unwrap();
    unit.authorization_requests().insert(&request(1)).await.unwrap();
    unit.imports().insert(&persons_import(1)).await.unwrap();
    unit.commit().await.unwrap();
}

/// Changes the records of [`store`], and leaves the unit of work open.
async fn change(harness: &Harness) -> Box<dyn UnitOfWork> {
    let mut unit = harness.begin().await;
    assert!(unit.users().update(&full_user(1)).await.unwrap());
    assert!(unit.clients().update(&client(1)).await.unwrap());
    unit.grants().revoke(GrantFilter::default(), now(), RevocationReason::Operator).await.unwrap();
    unit.personal_tokens().revoke(user_id(1), None, now()).await.unwrap();
    unit.sessions().delete(user_id(1), browser_id(1)).await.unwrap();
    unit.password_links().consume(&hash(1)).await.unwrap();
    unit.authorization_requests().decide(request_id(1), now()).await.unwrap();
    unit.imports().update(&Import { size: 9, ..persons_import(1) }).await.unwrap();
    unit
}

pub(crate) async fn readers_respond_while_a_unit_of_work_has_uncommitted_writes(harness: &Harness) {
    store(harness).await;
    let unit = change(harness).await;
    tokio::time::timeout(READ_TIMEOUT, read_everything(harness)).await.unwrap();
    unit.rollback().await.unwrap();
}

/// Calls every reader, and checks that it returns the committed state.
async fn read_everything(harness: &Harness) {
    let person = user_id(1);
    assert_eq!(harness.profiles.find_profile(person).await.unwrap(), Some(user(1)));
    assert_eq!(harness.profiles.list_profiles(None, 9).await.unwrap(), [user(1)]);
    assert!(harness.clients.find_with_secrets(client_id(1)).await.unwrap().is_some());
    assert_eq!(harness.clients.list_clients(None, 9).await.unwrap(), [client(1)]);
    assert!(harness.grants.find_by_refresh_token(&hash(1), None).await.unwrap().is_some());
    assert_eq!(harness.grants.list_grants(GrantFilter::default(), None, 9).await.unwrap(), [grant(1)]);
    assert!(harness.access.find_access(person, grant_id(1)).await.unwrap().unwrap().is_live);
    assert!(harness.access.find_personal_access(&hash(1)).await.unwrap().unwrap().is_live);
    read_account(harness).await;
    read_data(harness).await;
    read_trails(harness).await;
}

async fn read_account(harness: &Harness) {
    let person = user_id(1);
    let tokens = harness.personal_tokens.list_personal_tokens(person).await.unwrap();
    assert_eq!(tokens.len(), 1);
    assert!(tokens[0].revoked_at.is_none());
    assert!(harness.sessions.find_session(&hash(1)).await.unwrap().is_some());
    assert_eq!(harness.sessions.list_sessions(person).await.unwrap(), [browser(1)]);
    let account = Some((user(1).email, UserStatus::Active));
    let expected = PasswordLinkWithAccount { link: link(1), account };
    assert_eq!(harness.password_links.find_password_link(&hash(1)).await.unwrap(), Some(expected));
    let requests = &harness.authorization_requests;
    assert_eq!(requests.find_authorization_request(request_id(1)).await.unwrap(), Some(request(1)));
    assert_eq!(harness.imports.find_import(import_id(1)).await.unwrap(), Some(persons_import(1)));
    assert_eq!(harness.imports.list_imports(Some(person), None, 9).await.unwrap(), [persons_import(1)]);
    assert_eq!(harness.imports.find_import_of_session(person, session_id(1)).await.unwrap(), None);
    let User { email, .. } = user(1);
    assert!(harness.credentials.find_credentials(&email).await.unwrap().unwrap().password.is_some());
}

async fn read_trails(harness: &Harness) {
    let person = user_id(1);
    assert_eq!(harness.tallies.list(person, None, 9).await.unwrap(), [tally(0)]);
    assert_eq!(harness.apps.list_connected_apps(person).await.unwrap().len(), 1);
    harness.audit.list_events(AuditFilter::default(), None, 9).await.unwrap();
    harness.signing_keys.list_signing_keys().await.unwrap();
    harness.outbox.backlog().await.unwrap();
    harness.clock.store_now().await.unwrap();
}

async fn read_data(harness: &Harness) {
    let (person, page) = (user_id(1), page(1, 10, Ascending));
    let query = SleepPageQuery {
        user_id: person,
        range: DateRange::default(),
        page,
        with_stages: true,
        with_metrics: true,
    };
    assert_eq!(harness.sleep.page(query).await.unwrap().rows.len(), 1);
    assert_eq!(harness.sleep.walk(person, None, 9).await.unwrap().len(), 1);
    assert_eq!(harness.sleep.find(person, session_id(1)).await.unwrap(), Some(session(1, 0)));
    let query = SupplementPageQuery { user_id: person, start: None, end: None, supplement_id: None, page };
    assert_eq!(harness.supplements.page(query).await.unwrap().records.len(), 1);
    assert_eq!(harness.supplements.list_logged(person).await.unwrap().len(), 1);
    assert_eq!(harness.supplements.walk_logs(person, None, 9).await.unwrap().len(), 1);
    harness.supplements.list_by_upc(&Upc::parse("12345670").unwrap()).await.unwrap();
    let kinds = DataKind::ALL.to_vec();
    let query = ChangePageQuery { user_id: person, after: None, kinds, limit: 9 };
    assert!(!harness.changes.changes(query).await.unwrap().changes.is_empty());
}

pub(crate) async fn a_link_comes_with_the_account_that_it_is_for(harness: &Harness) {
    let locked = User { status: UserStatus::Locked { at: now() }, ..user(1) };
    harness.store_user(&locked).await;
    let sign_up = PasswordLink {
        hash: hash(2),
        purpose: PasswordLinkPurpose::SignUp { email: user(1).email },
        ..link(1)
    };
    let mut unit = harness.begin().await;
    unit.password_links().insert(&link(1)).await.unwrap();
    unit.password_links().insert(&sign_up).await.unwrap();
    unit.commit().await.unwrap();
    let found = async |number| harness.password_links.find_password_link(&hash(number)).await.unwrap();
    let account = Some((locked.email, locked.status));
    assert_eq!(found(1).await, Some(PasswordLinkWithAccount { link: link(1), account }));
    assert_eq!(found(2).await, Some(PasswordLinkWithAccount { link: sign_up, account: None }));
    assert_eq!(found(3).await, None);
}
