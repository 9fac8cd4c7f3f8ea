mod rotation;

use super::tokens;
use crate::audit::testing::{RecordedReads, assert_events, event};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{GrantWithUser, MockGrantReader};
use crate::ports::system::TokenSigner;
use crate::testing::{
    FailingSigner, RecordingSigner, app, client_id, grant, grant_id, grant_reader, locked, noon, scopes,
    seconds, secret, service, used_from, user_id,
};
use crate::token::{PresentedRefreshToken, RefreshedAccess, TokenError, Tokens};
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::grant::{Grant, GrantState, RevocationReason, UsedFrom};
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::SecretKind;
use domain::user::UserStatus;
use std::sync::Arc;

type Outcome = Result<RefreshedAccess, TokenError>;

fn refresh_token() -> String {
    secret(SecretKind::RefreshToken, 7).expose().to_owned()
}

/// A reader that finds this grant by the hash of the test's refresh token.
fn reader(grant: Grant, user_status: UserStatus) -> MockGrantReader {
    let known = secret(SecretKind::RefreshToken, 7).hash();
    grant_reader(1, move |hash, _| {
        assert_eq!(*hash, known);
        Some(GrantWithUser { grant: grant.clone(), user_status })
    })
}

fn nothing_to_write() -> PreparedUnitsOfWork {
    PreparedUnitsOfWork::new([])
}

fn refreshing(grants: MockGrantReader, units: PreparedUnitsOfWork) -> Tokens {
    refreshing_with(grants, units, Arc::new(RecordingSigner::default()), &Arc::default())
}

fn refreshing_with(
    grants: MockGrantReader,
    units: PreparedUnitsOfWork,
    signer: Arc<dyn TokenSigner>,
    reads: &Arc<RecordedReads>,
) -> Tokens {
    Tokens { signer, grants: Arc::new(grants), reads: reads.recorder(), ..tokens(&Arc::new(units)) }
}

/// Refreshes with valid input, except for what the test changes.
async fn attempt(grants: MockGrantReader, user_id: Option<&str>, scope: Option<&str>) -> Outcome {
    let (refresh_token, from) = (refresh_token(), used_from());
    let presented = PresentedRefreshToken { user_id, scope, ..presented(&refresh_token, &from) };
    refreshing(grants, nothing_to_write()).refresh(&app(), presented).await
}

/// A refresh token without a user id, scopes or a resource.
fn presented<'a>(refresh_token: &'a str, from: &'a UsedFrom) -> PresentedRefreshToken<'a> {
    PresentedRefreshToken { refresh_token, user_id: None, scope: None, resource: None, from }
}

async fn present(tokens: &Tokens, client: &Client, refresh_token: &str) -> Outcome {
    tokens.refresh(client, presented(refresh_token, &used_from())).await
}

async fn granted_scopes(scope: Option<&str>) -> ScopeSet {
    attempt(reader(grant(), UserStatus::Active), None, scope).await.unwrap().scopes
}

fn assert_invalid_grant(outcome: &Outcome) {
    assert!(matches!(outcome, Err(TokenError::InvalidGrant(_))), "{outcome:?}");
}

#[tokio::test]
async fn a_live_refresh_token_returns_an_access_token_of_its_grant() {
    let signer = Arc::new(RecordingSigner::default());
    let grants = reader(grant(), UserStatus::Active);
    let reads = Arc::default();
    let tokens = refreshing_with(grants, nothing_to_write(), signer.clone(), &reads);
    let (refresh_token, person, from) = (refresh_token(), user_id(1).to_string(), used_from());
    let presented = PresentedRefreshToken { user_id: Some(&person), ..presented(&refresh_token, &from) };
    let refreshed = tokens.refresh(&app(), presented).await.unwrap();
    let claims = signer.signed()[0];
    assert_eq!(refreshed.access_token, format!("signed {}", claims.id));
    assert_eq!((refreshed.user_id, refreshed.scopes), (user_id(1), scopes("profile sleep")));
    assert_eq!(claims.subject, TokenSubject::Person { user_id: user_id(1), grant_id: grant_id(1) });
    assert_eq!((claims.client_id, claims.scopes), (client_id(1), scopes("profile sleep")));
    let key = TallyKey::at(noon(), user_id(1), Reader::Client(client_id(1)), ReadKind::Refresh);
    let range = RequestedRange::default();
    assert_eq!(reads.all(), [ReadTally { key, requests: 1, items: 0, range }]);
}

#[tokio::test]
async fn the_user_id_may_be_left_out() {
    let refreshed = attempt(reader(grant(), UserStatus::Active), None, None).await;
    assert_eq!(refreshed.unwrap().user_id, user_id(1));
}

#[tokio::test]
async fn the_person_named_is_passed_to_the_store_as_a_hint() {
    let grants = grant_reader(1, |_, named| {
        assert_eq!(named, Some(user_id(1)));
        Some(GrantWithUser { grant: grant(), user_status: UserStatus::Active })
    });
    attempt(grants, Some(&user_id(1).to_string()), None).await.unwrap();
}

/// Presents a refresh token of another client.
async fn misuse(units: PreparedUnitsOfWork) -> Outcome {
    let of_other = reader(Grant { client_id: client_id(2), ..grant() }, UserStatus::Active);
    let reads = Arc::default();
    let tokens = refreshing_with(of_other, units, Arc::new(RecordingSigner::default()), &reads);
    let outcome = present(&tokens, &app(), &refresh_token()).await;
    assert_eq!(reads.all(), []);
    outcome
}

#[tokio::test]
async fn t50_another_clients_refresh_token_is_rejected_and_that_is_audited() {
    let units = PreparedUnitsOfWork::new([MockUnitOfWork::default()]);
    let (endings, events) = (units.endings(), units.events());
    assert_invalid_grant(&misuse(units).await);
    assert_eq!(endings.committed(), 1);
    let expected_event = event(AuditActor::Client, AuditKind::RefreshTokenMisused).user(user_id(1));
    let expected_event =
        expected_event.client(client_id(1)).subject(grant_id(1).as_uuid()).from(used_from().address);
    assert_events(&events, &[expected_event]);
}

#[tokio::test]
async fn t50_the_rejection_is_the_same_if_the_audit_trail_fails() {
    let units = nothing_to_write();
    let endings = units.endings();
    assert_invalid_grant(&misuse(units).await);
    assert_eq!(endings.opened(), 1);
}

#[tokio::test]
async fn the_reason_tells_nothing_about_other_clients_tokens_or_locked_accounts() {
    let locked = attempt(reader(grant(), locked()), None, None).await;
    let of_other = misuse(PreparedUnitsOfWork::new([MockUnitOfWork::default()])).await;
    for (outcome, expected) in [(locked, "the grant was revoked"), (of_other, "the refresh token is unknown")]
    {
        let Err(TokenError::InvalidGrant(reason)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(reason, expected);
    }
}

#[tokio::test]
async fn the_refresh_token_of_another_person_is_rejected() {
    let other = user_id(2).to_string();
    assert_invalid_grant(&attempt(reader(grant(), UserStatus::Active), Some(&other), None).await);
}

#[tokio::test]
async fn another_spelling_of_the_user_id_is_another_person() {
    let right = user_id(1).to_string();
    for spelling in [
        right.to_uppercase(),
        right.replace('-', ""),
        format!("{{{right}}}"),
        format!("urn:uuid:{right}"),
        format!(" {right}"),
        format!("0{right}"),
        right.replacen('0', "\u{660}", 1),
        String::new(),
    ] {
        assert_ne!(spelling, right);
        assert_invalid_grant(&attempt(reader(grant(), UserStatus::Active), Some(&spelling), None).await);
    }
}

#[tokio::test]
async fn an_unknown_refresh_token_is_rejected() {
    assert_invalid_grant(&attempt(grant_reader(1, |_, _| None), None, None).await);
}

#[tokio::test]
async fn a_revoked_grant_is_rejected() {
    let state = GrantState::Revoked { at: noon(), reason: RevocationReason::Operator };
    let revoked = Grant { state, ..grant() };
    assert_invalid_grant(&attempt(reader(revoked, UserStatus::Active), None, None).await);
}

#[tokio::test]
async fn a_locked_person_is_rejected() {
    assert_invalid_grant(&attempt(reader(grant(), locked()), None, None).await);
}

#[tokio::test]
async fn any_other_kind_of_secret_is_rejected_without_a_lookup() {
    let texts = [
        secret(SecretKind::AuthorizationCode, 7).expose().to_owned(),
        secret(SecretKind::PersonalAccessToken, 7).expose().to_owned(),
        secret(SecretKind::ClientSecret, 7).expose().to_owned(),
        "eyJhbGciOiJFZERTQSJ9.e30.c2ln".to_owned(),
        format!("{}x", refresh_token()),
        String::new(),
    ];
    for refresh_token in &texts {
        let tokens = refreshing(MockGrantReader::new(), nothing_to_write());
        assert_invalid_grant(&present(&tokens, &app(), refresh_token).await);
    }
}

#[tokio::test]
async fn a_service_client_holds_no_refresh_tokens() {
    let tokens = refreshing(MockGrantReader::new(), nothing_to_write());
    let outcome = present(&tokens, &service(), &refresh_token()).await;
    assert!(matches!(outcome, Err(TokenError::UnauthorizedClient)));
}

#[tokio::test]
async fn fewer_scopes_can_be_requested() {
    assert_eq!(granted_scopes(Some("sleep")).await, scopes("sleep"));
}

#[tokio::test]
async fn the_same_scopes_in_another_order_are_the_same() {
    assert_eq!(granted_scopes(Some("sleep profile sleep")).await, scopes("profile sleep"));
}

#[tokio::test]
async fn scopes_beyond_the_grant_unknown_or_empty_are_rejected() {
    for scope in ["profile sleep supplements", "supplements", "nonsense", "sleep nonsense", "", "  "] {
        let outcome = attempt(reader(grant(), UserStatus::Active), None, Some(scope)).await;
        assert!(matches!(outcome, Err(TokenError::InvalidScope)), "{scope:?}");
    }
}

/// Refreshes a grant that was last used this many seconds ago, and returns how the units of work ended.
async fn endings_after_use(last_used_at: Option<i64>, units: PreparedUnitsOfWork) -> Arc<Endings> {
    let used = Grant { last_used_at: last_used_at.map(|ago| noon() - seconds(ago)), ..grant() };
    let endings = units.endings();
    let tokens = refreshing(reader(used, UserStatus::Active), units);
    present(&tokens, &app(), &refresh_token()).await.unwrap();
    endings
}

/// A unit of work that expects one record of a use now.
fn recording_use() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.grants
        .expect_record_use()
        .times(1)
        .withf(|user, grant, at, from| {
            *user == user_id(1) && *grant == grant_id(1) && *at == noon() && *from == used_from()
        })
        .returning(|_, _, _, _| Ok(()));
    unit
}

#[tokio::test]
async fn a_use_within_the_hour_opens_no_unit_of_work() {
    assert_eq!(endings_after_use(Some(3599), nothing_to_write()).await.opened(), 0);
}

#[tokio::test]
async fn a_use_after_an_hour_is_recorded() {
    assert_eq!(
        endings_after_use(Some(3600), PreparedUnitsOfWork::new([recording_use()])).await.committed(),
        1
    );
}

#[tokio::test]
async fn the_first_use_is_recorded() {
    assert_eq!(endings_after_use(None, PreparedUnitsOfWork::new([recording_use()])).await.committed(), 1);
}

#[tokio::test]
async fn a_use_that_cannot_be_recorded_does_not_fail_the_refresh() {
    // No unit of work is prepared, so beginning one fails.
    assert_eq!(endings_after_use(None, nothing_to_write()).await.opened(), 1);
}

#[tokio::test]
async fn a_signing_failure_records_no_use() {
    let unused = Grant { last_used_at: None, ..grant() };
    let grants = reader(unused, UserStatus::Active);
    let reads = Arc::default();
    let tokens = refreshing_with(grants, nothing_to_write(), Arc::new(FailingSigner), &reads);
    let outcome = present(&tokens, &app(), &refresh_token()).await;
    assert!(matches!(outcome, Err(TokenError::Signing(_))));
    assert_eq!(reads.all(), []);
}

// RFC 8707 section 2.2
#[tokio::test]
async fn a_refresh_never_leaves_the_resource_of_its_grant() {
    for resource in Resource::ALL {
        for asked in [None, Some(Resource::Api), Some(Resource::Mcp)] {
            let grants = reader(Grant { resource, ..grant() }, UserStatus::Active);
            let signer = Arc::new(RecordingSigner::default());
            let tokens = refreshing_with(grants, nothing_to_write(), signer.clone(), &Arc::default());
            let (refresh_token, from) = (refresh_token(), used_from());
            let presented = PresentedRefreshToken { resource: asked, ..presented(&refresh_token, &from) };
            let outcome = tokens.refresh(&app(), presented).await;
            if asked.is_none_or(|asked| asked == resource) {
                assert!(outcome.is_ok(), "{outcome:?}");
                assert_eq!(signer.signed()[0].audience, resource);
            } else {
                assert!(matches!(outcome, Err(TokenError::InvalidTarget)), "{outcome:?}");
            }
        }
    }
}
