//! Data that remains after an erasure.

use crate::Harness;
use crate::fixture::{
    added, browser, catalogue_key, client, client_id, code, conflict, consent, erasure_id, event, grant,
    grant_id, hash, import, import_id, link, log, log_id, now, passkey, password_hash, pending_sign_in,
    personal_token, request, request_id, seconds, secret, session, session_id, supplement, tally, token_id,
    user, user_id,
};
use application::ports::storage::{
    AuditFilter, ChangePageQuery, Erasure, Import, RecordReference, RecordVersion, UniqueKey,
};
use domain::authorization_request::AuthorizationRequest;
use domain::code::AuthorizationCode;
use domain::data_kind::DataKind;
use domain::grant::Grant;
use domain::passkey::Passkey;
use domain::password_link::PasswordLinkPurpose;
use domain::pending_sign_in::PendingSignIn;
use domain::read_tally::{ReadTally, Reader, TallyKey};
use domain::second_factor::{SealedTotpSecret, Totp, TotpStep};
use domain::user::{Email, User};

/// Stores a person with one record of each kind for sign-in, consent and personal tokens.
async fn store(harness: &Harness, number: u64) {
    let id = user_id(number);
    let person = user(number);
    harness.store_user(&person).await;
    let mut link = link(number);
    link.purpose = PasswordLinkPurpose::Reset { user_id: id };
    let (mut session, mut token, mut tally) = (browser(number), personal_token(number), tally(0));
    (session.user_id, token.user_id, tally.key.user_id) = (id, id, id);
    let request = AuthorizationRequest { user_id: Some(id), ..request(number) };
    let mut unit = harness.begin().await;
    unit.passwords().set(id, &password_hash(number), person.created_at).await.unwrap();
    unit.password_links().insert(&link).await.unwrap();
    unit.sessions().insert(&session).await.unwrap();
    let pending = PendingSignIn { user_id: id, ..pending_sign_in(number) };
    unit.pending_sign_ins().insert(&pending).await.unwrap();
    let (secret, last_step) = (SealedTotpSecret::new(vec![1]), TotpStep::new(1));
    let totp = Totp { secret, last_step, set_at: person.created_at };
    unit.second_factors().set(id, &totp).await.unwrap();
    unit.second_factors().replace_recovery_codes(id, &[hash(number)]).await.unwrap();
    unit.passkeys().insert(&Passkey { user_id: id, ..passkey(number) }).await.unwrap();
    unit.authorization_requests().insert(&request).await.unwrap();
    unit.consents().remember(&consent(number, 1)).await.unwrap();
    unit.personal_tokens().insert(&token).await.unwrap();
    unit.audit().append(&event(number, 0).user(id).client(client_id(1))).await.unwrap();
    unit.commit().await.unwrap();
    harness.add_tallies(&[tally]).await;
}

/// Returns which kinds of records a person has: credentials, password, link, session, request, consent,
/// token, access by it, read counts, pending sign-in, authenticator app, recovery codes, passkey.
async fn stored_of(harness: &Harness, number: u64) -> [bool; 13] {
    let (id, hash) = (user_id(number), hash(number));
    let User { email, .. } = user(number);
    let credentials = harness.credentials.find_credentials(&email).await.unwrap();
    let session = harness.sessions.find_session(&hash).await.unwrap();
    let access = harness.access.find_personal_access(&hash).await.unwrap();
    let tallies = harness.tallies.list(id, None, 9).await.unwrap();
    let sessions = harness.sessions.list_sessions(id).await.unwrap();
    let pending = harness.pending_sign_ins.find_pending_sign_in(&hash).await.unwrap();
    let tokens = harness.personal_tokens.list_personal_tokens(id).await.unwrap();
    let mut unit = harness.begin().await;
    [
        credentials.is_some(),
        unit.passwords().find(id).await.unwrap().is_some(),
        unit.password_links().find(&hash).await.unwrap().is_some(),
        session.is_some() && !sessions.is_empty(),
        unit.authorization_requests().find(request_id(number)).await.unwrap().is_some(),
        unit.consents().find(id, client_id(1)).await.unwrap().is_some(),
        !tokens.is_empty(),
        access.is_some(),
        !tallies.is_empty(),
        pending.is_some(),
        unit.second_factors().find(id).await.unwrap().is_some(),
        unit.second_factors().count_recovery_codes(id).await.unwrap() > 0,
        harness.passkeys.find_passkey(&passkey(number).credential_id).await.unwrap().is_some(),
    ]
}

pub(crate) async fn an_erased_person_leaves_nothing_but_the_audit_trail(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    store(harness, 1).await;
    store(harness, 2).await;
    assert_eq!(stored_of(harness, 1).await, [true; 13]);
    assert!(commit!(harness, users().delete(user_id(1))));
    assert_eq!(stored_of(harness, 1).await, [false; 13]);
    assert_eq!(stored_of(harness, 2).await, [true; 13]);
    for number in [1, 2] {
        let filter = AuditFilter { user_id: Some(user_id(number)), ..AuditFilter::default() };
        let events = harness.audit.list_events(filter, None, 9).await.unwrap();
        assert_eq!(events, [event(number, 0).user(user_id(number)).client(client_id(1))]);
    }
}

pub(crate) async fn an_erasure_that_is_rolled_back_leaves_everything(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    store(harness, 1).await;
    let mut unit = harness.begin().await;
    assert!(unit.users().delete(user_id(1)).await.unwrap());
    unit.rollback().await.unwrap();
    assert_eq!(stored_of(harness, 1).await, [true; 13]);
}

pub(crate) async fn a_link_to_sign_up_survives_the_deletion_of_its_address(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let mut link = link(1);
    link.purpose = PasswordLinkPurpose::SignUp { email: user(1).email };
    let mut unit = harness.begin().await;
    unit.password_links().insert(&link).await.unwrap();
    assert!(unit.users().delete(user_id(1)).await.unwrap());
    assert_eq!(unit.password_links().find(&hash(1)).await.unwrap(), Some(link));
}

/// Returns the receipt of an erasure this many seconds after [`now`].
fn receipt(number: u64, at: i64) -> Erasure {
    Erasure { id: erasure_id(number), at: seconds(at) }
}

async fn erase(harness: &Harness, number: u64, erasure: Erasure) -> bool {
    commit!(harness, erasures().erase(user_id(number), erasure))
}

/// Stores a person with records of every kind.
async fn store_everything(harness: &Harness, number: u64) {
    store(harness, number).await;
    harness.store_sessions(user_id(number), &[session(number, 0), session(number + 10, 600)]).await;
    let mut unit = harness.begin().await;
    let import = Import { user_id: Some(user_id(number)), ..import(number) };
    unit.imports().insert(&import).await.unwrap();
    let record = RecordReference::Session(session_id(number));
    let change = added(record, RecordVersion::from_bytes([7; 16]));
    unit.import_journal().note(import.id, import.user_id, &[change]).await.unwrap();
    unit.uploads().add_part(import.id, 0, b"part").await.unwrap();
    unit.sleep().delete(user_id(number), &[session_id(number + 10)]).await.unwrap();
    let mut link = link(number + 20);
    let address = user(number).email.as_str().to_uppercase();
    link.purpose = PasswordLinkPurpose::SignUp { email: Email::parse(&address).unwrap() };
    unit.password_links().insert(&link).await.unwrap();
    unit.commit().await.unwrap();
}

/// Returns which further kinds of records a person has: events, changes, the person, import, notes, part,
/// sign-up link.
async fn kept_of(harness: &Harness, number: u64) -> [bool; 7] {
    let id = user_id(number);
    let filter = AuditFilter { user_id: Some(id), ..AuditFilter::default() };
    let events = harness.audit.list_events(filter, None, 9).await.unwrap();
    let query = ChangePageQuery { user_id: id, after: None, kinds: DataKind::ALL.to_vec(), limit: 9 };
    let changes = harness.changes.changes(query).await.unwrap().changes;
    let mut unit = harness.begin().await;
    [
        !events.is_empty(),
        !changes.is_empty(),
        unit.users().find(id).await.unwrap().is_some(),
        unit.imports().find(import_id(number)).await.unwrap().is_some(),
        harness.imports.has_notes(import_id(number)).await.unwrap(),
        harness.imports.find_upload_part(import_id(number), 0).await.unwrap().is_some(),
        unit.password_links().find(&hash(number + 20)).await.unwrap().is_some(),
    ]
}

pub(crate) async fn an_erasure_leaves_no_trace_but_the_receipt(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    for number in [1, 2] {
        store_everything(harness, number).await;
    }
    assert!(erase(harness, 1, receipt(7, 0)).await);
    assert_eq!((stored_of(harness, 1).await, kept_of(harness, 1).await), ([false; 13], [false; 7]));
    assert_eq!((stored_of(harness, 2).await, kept_of(harness, 2).await), ([true; 13], [true; 7]));
    let mut unit = harness.begin().await;
    assert!(unit.erasures().was_erased(user_id(1)).await.unwrap());
    assert!(!unit.erasures().was_erased(user_id(2)).await.unwrap());
    assert_eq!(unit.erasures().list(9).await.unwrap(), [receipt(7, 0)]);
}

pub(crate) async fn erasing_an_unknown_person_stores_nothing(harness: &Harness) {
    assert!(!erase(harness, 1, receipt(7, 0)).await);
    let mut unit = harness.begin().await;
    assert!(!unit.erasures().was_erased(user_id(1)).await.unwrap());
    assert_eq!(unit.erasures().list(9).await.unwrap(), []);
    unit.users().insert(&user(1)).await.unwrap();
    assert!(unit.erasures().erase(user_id(1), receipt(7, 0)).await.unwrap());
    unit.rollback().await.unwrap();
    assert!(!harness.begin().await.erasures().was_erased(user_id(1)).await.unwrap());
    harness.store_user(&user(1)).await;
}

pub(crate) async fn an_erased_id_is_never_used_again(harness: &Harness) {
    harness.store_user(&user(1)).await;
    assert!(erase(harness, 1, receipt(7, 0)).await);
    assert!(!erase(harness, 1, receipt(8, 0)).await);
    let mut unit = harness.begin().await;
    assert_eq!(conflict(unit.users().insert(&user(1)).await), UniqueKey::UserId);
    // Only the id is blocked; the address may be used by another person.
    let heir = User { email: user(1).email, ..user(2) };
    unit.users().insert(&heir).await.unwrap();
    unit.commit().await.unwrap();
    // A person who was deleted without an erasure may be restored from a backup.
    let mut unit = harness.begin().await;
    assert!(unit.users().delete(user_id(2)).await.unwrap());
    unit.users().insert(&heir).await.unwrap();
    unit.commit().await.unwrap();
}

pub(crate) async fn erasures_are_listed_latest_first(harness: &Harness) {
    for (number, at) in [(1, 5), (4, 7), (3, 7), (2, 9)] {
        harness.store_user(&user(number)).await;
        assert!(erase(harness, number, receipt(number, at)).await);
    }
    let mut unit = harness.begin().await;
    let expected = [receipt(2, 9), receipt(4, 7), receipt(3, 7), receipt(1, 5)];
    assert_eq!(unit.erasures().list(9).await.unwrap(), expected);
    assert_eq!(unit.erasures().list(2).await.unwrap(), expected[..2]);
}

pub(crate) async fn an_erasure_takes_grants_codes_and_logs_along(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
        harness.store_grants(&[Grant { user_id: user_id(number), ..grant(number) }]).await;
        harness.store_code(&AuthorizationCode { user_id: user_id(number), ..code(number) }).await;
        harness.store_logs(user_id(number), &[log(number, 1, now())]).await;
    }
    assert!(erase(harness, 1, receipt(7, 0)).await);
    for (number, is_left) in [(1, false), (2, true)] {
        let id = user_id(number);
        let mut unit = harness.begin().await;
        let found = [
            harness.access.find_access(id, grant_id(number)).await.unwrap().is_some(),
            !harness.apps.list_connected_apps(id).await.unwrap().is_empty(),
            unit.codes().find(&hash(number)).await.unwrap().is_some(),
            unit.intake_logs().delete(id, &[log_id(number)]).await.unwrap() == 1,
        ];
        assert_eq!(found, [is_left; 4], "{number}");
    }
}

/// Returns a read count of a person, in a minute shared by all people.
fn sum(number: u64) -> ReadTally {
    let mut tally = tally(0);
    tally.key.user_id = user_id(number);
    tally
}

pub(crate) async fn read_totals_stored_after_an_erasure_are_dropped(harness: &Harness) {
    harness.store_users([1, 2]).await;
    harness.add_tallies(&[sum(1), sum(2)]).await;
    assert!(erase(harness, 1, receipt(7, 0)).await);
    // Counts that a process still held when one person was erased, including one of their tokens.
    let token = ReadTally { key: by_token(sum(1).key), ..sum(1) };
    harness.add_tallies(&[sum(1), token, sum(2)]).await;
    assert_eq!(harness.tallies.list(user_id(1), None, 9).await.unwrap(), []);
    assert_eq!(harness.tallies.list(user_id(2), None, 9).await.unwrap()[0].requests, 2 * sum(2).requests);
}

fn by_token(key: TallyKey) -> TallyKey {
    TallyKey { reader: Reader::PersonalToken(token_id(1)), ..key }
}

pub(crate) async fn an_erasure_that_races_with_sums_of_reads_wins(harness: &Harness) {
    const PEOPLE: u64 = 12;
    harness.store_users(1..=PEOPLE + 1).await;
    let tasks: Vec<_> = (1..=PEOPLE)
        .flat_map(|number| {
            let (adding, erasing) = (harness.clone(), harness.clone());
            [
                tokio::spawn(async move { adding.add_tallies(&[sum(number), sum(PEOPLE + 1)]).await }),
                tokio::spawn(async move { assert!(erase(&erasing, number, receipt(number, 0)).await) }),
            ]
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    for number in 1..=PEOPLE {
        assert_eq!(harness.tallies.list(user_id(number), None, 9).await.unwrap(), [], "{number}");
    }
    let of_the_other = harness.tallies.list(user_id(PEOPLE + 1), None, 9).await.unwrap();
    assert_eq!(of_the_other.iter().map(|sum| sum.requests).sum::<u64>(), PEOPLE * sum(1).requests);
}
