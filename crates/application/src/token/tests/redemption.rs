mod audit;
mod race;

use super::tokens;
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork, RecordedEvents};
use crate::ports::storage::{CodeWithUser, GrantFilter, StorageError};
use crate::ports::system::{MockTokenSigner, TokenSigner};
use crate::testing::{
    FailingSigner, REDIRECT_URI, RecordingSigner, app, client_id, grant_id, issued_code, locked, noon,
    scopes, seconds, secret, service, user_id,
};
use crate::token::{IssuedTokens, PresentedCode, TokenError, Tokens};
use domain::access_token::TokenSubject;
use domain::audit::AuditEvent;
use domain::client::{Client, ClientKind, Review};
use domain::code::{AuthorizationCode, CodeState, PkceChallenge};
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::refresh_token::RefreshToken;
use domain::resource::Resource;
use domain::secret::{Secret, SecretHash, SecretKind};
use domain::user::UserStatus;
use mockall::Sequence;
use std::sync::Arc;

/// Verifier and challenge of RFC 7636 appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

type Outcome = Result<IssuedTokens, TokenError>;

fn code_secret() -> Secret {
    secret(SecretKind::AuthorizationCode, 5)
}

fn code() -> AuthorizationCode {
    AuthorizationCode {
        issued_at: noon() - seconds(30),
        expires_at: noon() + seconds(30),
        ..issued_code(code_secret().hash())
    }
}

fn redeemed() -> AuthorizationCode {
    AuthorizationCode { state: CodeState::Redeemed { grant_id: grant_id(3), at: noon() }, ..code() }
}

fn with_user(code: AuthorizationCode) -> CodeWithUser {
    CodeWithUser { code, user_status: UserStatus::Active }
}

/// A unit of work that finds this code and locks its user.
fn finding(code: Option<AuthorizationCode>) -> MockUnitOfWork {
    let found = code.map(with_user);
    let mut unit = MockUnitOfWork::default();
    let lock = unit.codes.expect_find_and_lock().times(1).withf(|hash| *hash == code_secret().hash());
    lock.returning(move |_| Ok(found.clone()));
    unit
}

/// Lets the code be redeemed once with this outcome: the number of live grants, or `None` if it is used up.
fn redeemed_with(
    mut unit: MockUnitOfWork,
    redeem: impl Fn(&Grant, &AuditEvent) -> Result<Option<usize>, StorageError> + Send + 'static,
) -> MockUnitOfWork {
    let is_asked = |hash: &SecretHash, grant: &Grant, _: &AuditEvent| {
        *hash == code_secret().hash() && grant.created_at == noon()
    };
    let redemption = unit.codes.expect_redeem().times(1).withf(is_asked);
    redemption.returning(move |_, grant, event| redeem(grant, event));
    unit
}

/// A unit of work in which the code is redeemed; client and user then have `live` grants.
fn redeeming(live: usize) -> MockUnitOfWork {
    redeeming_code(code(), live)
}

fn redeeming_code(code: AuthorizationCode, live: usize) -> MockUnitOfWork {
    redeemed_with(finding(Some(code)), move |_, _| Ok(Some(live)))
}

/// Lets the code be found in this state afterwards.
fn then_found(mut unit: MockUnitOfWork, then: Option<AuthorizationCode>) -> MockUnitOfWork {
    unit.codes.expect_find().times(1).returning(move |_| Ok(then.clone()));
    unit
}

/// A unit of work that finds the code of a locked user, and then this state of the code.
fn of_locked_person(then: Option<AuthorizationCode>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    let found = CodeWithUser { code: code(), user_status: locked() };
    unit.codes.expect_find_and_lock().times(1).returning(move |_| Ok(Some(found.clone())));
    then_found(unit, then)
}

/// Grant and event passed to the store.
type Stored = Arc<std::sync::Mutex<Option<(Grant, AuditEvent)>>>;

/// A unit of work that also records what it stores.
fn noting() -> (MockUnitOfWork, Stored) {
    noting_code(code())
}

fn noting_code(code: AuthorizationCode) -> (MockUnitOfWork, Stored) {
    let stored = Stored::default();
    let noted = Arc::clone(&stored);
    let unit = redeemed_with(finding(Some(code)), move |grant, event| {
        *noted.lock().unwrap() = Some((grant.clone(), event.clone()));
        Ok(Some(1))
    });
    (unit, stored)
}

/// Lets the grant of the code be revoked for the replay; `live` is 1, or 0 if it was revoked before.
fn expect_revoked_for_replay(unit: &mut MockUnitOfWork, live: u64) {
    unit.grants
        .expect_revoke()
        .times(1)
        .withf(|filter, at, reason| {
            let meant = GrantFilter {
                user_id: Some(user_id(1)),
                client_id: None,
                id: Some(grant_id(3)),
                ..GrantFilter::default()
            };
            *filter == meant && *at == noon() && *reason == RevocationReason::CodeReplayed
        })
        .returning(move |_, _, _| Ok(live));
}

/// A unit of work in which the code is redeemed and this many grants are beyond the limit.
fn exceeding(excess: u64) -> MockUnitOfWork {
    let mut unit = redeeming(50 + usize::try_from(excess).unwrap());
    unit.grants
        .expect_revoke_excess()
        .times(1)
        .withf(|client, user, keep, at| {
            (*client, *user, *keep, *at) == (client_id(1), user_id(1), 50, noon())
        })
        .returning(move |_, _, _, _| Ok(excess));
    unit
}

fn address() -> domain::address::AddressBlock {
    domain::address::AddressBlock::containing([192, 0, 2, 7].into())
}

fn presented(code: &str) -> PresentedCode<'_> {
    PresentedCode {
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: None,
        resource: None,
        address: address(),
    }
}

async fn run(
    unit: MockUnitOfWork,
    signer: Arc<dyn TokenSigner>,
    client: &Client,
    presented: PresentedCode<'_>,
) -> (Outcome, Arc<Endings>) {
    let (outcome, endings, _) = run_with_events(unit, signer, client, presented).await;
    (outcome, endings)
}

/// Also returns the audit events.
async fn run_with_events(
    unit: MockUnitOfWork,
    signer: Arc<dyn TokenSigner>,
    client: &Client,
    presented: PresentedCode<'_>,
) -> (Outcome, Arc<Endings>, RecordedEvents) {
    let units = Arc::new(PreparedUnitsOfWork::new([unit]));
    let outcome = Tokens { signer, ..tokens(&units) }.redeem(client, presented).await;
    (outcome, units.endings(), units.events())
}

async fn redeem(unit: MockUnitOfWork) -> (Outcome, Arc<Endings>) {
    let signer = Arc::new(RecordingSigner::default());
    run(unit, signer, &app(), presented(code_secret().expose())).await
}

/// Asserts that the code was rejected and the unit of work rolled back. The mock expects no redemption.
fn assert_rejected((outcome, endings): (Outcome, Arc<Endings>)) {
    assert!(matches!(outcome, Err(TokenError::InvalidGrant(_))), "{outcome:?}");
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
}

/// Asserts that the code was rejected and a revocation committed.
fn assert_rejected_for_good((outcome, endings): (Outcome, Arc<Endings>)) {
    assert!(matches!(outcome, Err(TokenError::InvalidGrant(_))), "{outcome:?}");
    assert_eq!((endings.committed(), endings.rolled_back()), (1, 0));
}

#[tokio::test]
async fn a_code_is_exchanged_for_tokens_with_the_granted_scopes() {
    let signer = Arc::new(RecordingSigner::default());
    let secret = code_secret();
    let (outcome, endings) = run(redeeming(1), signer.clone(), &app(), presented(secret.expose())).await;
    let issued = outcome.unwrap();
    let claims = signer.signed()[0];
    assert_eq!(issued.access_token, format!("signed {}", claims.id));
    assert!(matches!(issued.refresh_token, RefreshToken::Fixed(_)));
    assert_eq!((issued.user_id, issued.scopes), (user_id(1), scopes("sleep")));
    assert_eq!((claims.client_id, claims.scopes), (client_id(1), scopes("sleep")));
    assert_eq!((endings.committed(), endings.rolled_back()), (1, 0));
}

#[tokio::test]
async fn the_person_is_locked_and_the_token_signed_before_the_code_is_used() {
    let mut order = Sequence::new();
    let mut unit = MockUnitOfWork::default();
    let mut signer = MockTokenSigner::new();
    let found = |_: &_| Ok(Some(with_user(code())));
    unit.codes.expect_find_and_lock().times(1).in_sequence(&mut order).returning(found);
    signer.expect_sign().times(1).in_sequence(&mut order).returning(|_| Ok("token".to_owned()));
    unit.codes.expect_redeem().times(1).in_sequence(&mut order).returning(|_, _, _| Ok(Some(1)));
    let (outcome, endings) = run(unit, Arc::new(signer), &app(), presented(code_secret().expose())).await;
    assert_eq!(outcome.unwrap().access_token, "token");
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn the_stored_grant_is_the_one_of_the_code_and_of_both_tokens() {
    let (unit, stored) = noting();
    let signer = Arc::new(RecordingSigner::default());
    let (outcome, _) = run(unit, signer.clone(), &app(), presented(code_secret().expose())).await;

    let (grant, _) = stored.lock().unwrap().clone().unwrap();
    let subject = TokenSubject::Person { user_id: user_id(1), grant_id: grant.id };
    assert_eq!(signer.signed()[0].subject, subject);
    assert_eq!(grant.refresh_token_hash, outcome.unwrap().refresh_token.lookup_hash());
    assert_eq!(grant.newest_token_hash, None);
    assert_eq!((grant.client_id, grant.user_id, grant.scopes), (client_id(1), user_id(1), scopes("sleep")));
    assert_eq!((grant.created_at, grant.last_used_at), (noon(), None));
    assert_eq!(grant.state, GrantState::Live);
}

#[tokio::test]
async fn beyond_fifty_grants_the_least_recently_used_are_revoked() {
    let (outcome, endings) = redeem(exceeding(1)).await;
    assert!(outcome.is_ok());
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn up_to_fifty_grants_none_is_revoked() {
    // The mock expects no revocation.
    let (outcome, endings) = redeem(redeeming(50)).await;
    assert!(outcome.is_ok());
    assert_eq!(endings.committed(), 1);
}

async fn redeem_with_verifier(unit: MockUnitOfWork, verifier: &str) -> (Outcome, Arc<Endings>) {
    let secret = code_secret();
    let presented = PresentedCode { code_verifier: Some(verifier), ..presented(secret.expose()) };
    run(unit, Arc::new(RecordingSigner::default()), &app(), presented).await
}

fn challenged() -> AuthorizationCode {
    AuthorizationCode { challenge: Some(PkceChallenge::parse(CHALLENGE).unwrap()), ..code() }
}

#[tokio::test]
async fn a_challenge_is_met_by_its_verifier() {
    let unit = redeeming_code(challenged(), 1);
    assert!(redeem_with_verifier(unit, VERIFIER).await.0.is_ok());
}

#[tokio::test]
async fn a_malformed_verifier_causes_no_lookup() {
    let (outcome, endings) = redeem_with_verifier(MockUnitOfWork::default(), "short").await;
    assert!(matches!(outcome, Err(TokenError::InvalidGrant(_))));
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 0));
}

#[tokio::test]
async fn a_replayed_code_revokes_the_grant_and_that_is_committed() {
    let mut unit = finding(Some(redeemed()));
    expect_revoked_for_replay(&mut unit, 1);
    assert_rejected_for_good(redeem(unit).await);
}

#[tokio::test]
async fn a_replay_without_the_verifier_revokes_all_the_same() {
    let challenge = challenged().challenge;
    let mut unit = finding(Some(AuthorizationCode { challenge, ..redeemed() }));
    expect_revoked_for_replay(&mut unit, 1);
    assert_rejected_for_good(redeem(unit).await);
}

#[tokio::test]
async fn the_reason_tells_nothing_about_other_clients_codes_or_locked_accounts() {
    let of_other = AuthorizationCode { client_id: client_id(2), ..redeemed() };
    let cases = [
        (finding(Some(of_other)), "the code is unknown"),
        (finding(None), "the code is unknown"),
        (of_locked_person(Some(code())), "the code has expired"),
    ];
    for (unit, expected) in cases {
        let (outcome, _) = redeem(unit).await;
        let Err(TokenError::InvalidGrant(reason)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(reason, expected);
    }
}

#[tokio::test]
async fn any_other_kind_of_secret_causes_no_lookup() {
    let texts = [
        secret(SecretKind::RefreshToken, 5).expose().to_owned(),
        secret(SecretKind::PersonalAccessToken, 5).expose().to_owned(),
        "rwc_guess".to_owned(),
        String::new(),
    ];
    for text in &texts {
        let signer = Arc::new(RecordingSigner::default());
        let (outcome, endings) = run(MockUnitOfWork::default(), signer, &app(), presented(text)).await;
        assert!(matches!(outcome, Err(TokenError::InvalidGrant(_))), "{text}");
        assert_eq!((endings.committed(), endings.rolled_back()), (0, 0));
    }
}

#[tokio::test]
async fn a_service_client_redeems_no_codes() {
    let signer = Arc::new(RecordingSigner::default());
    let (outcome, endings) =
        run(MockUnitOfWork::default(), signer, &service(), presented(code_secret().expose())).await;
    assert!(matches!(outcome, Err(TokenError::UnauthorizedClient)));
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 0));
}

#[tokio::test]
async fn a_server_that_cannot_sign_does_not_use_the_code_up() {
    let (outcome, endings) =
        run(finding(Some(code())), Arc::new(FailingSigner), &app(), presented(code_secret().expose())).await;
    assert!(matches!(outcome, Err(TokenError::Signing(_))));
    assert_eq!(endings.committed(), 0);
}

fn public_app() -> Client {
    Client { kind: ClientKind::PublicApp, require_pkce: true, ..app() }
}

// RFC 9700 section 2.2.2
#[tokio::test]
async fn the_refresh_token_of_a_public_app_rotates() {
    let (unit, stored) = noting_code(challenged());
    let secret = code_secret();
    let presented = PresentedCode { code_verifier: Some(VERIFIER), ..presented(secret.expose()) };
    let (outcome, _) = run(unit, Arc::new(RecordingSigner::default()), &public_app(), presented).await;
    let RefreshToken::Rotating(token) = outcome.unwrap().refresh_token else { panic!("a fixed token") };
    let (grant, _) = stored.lock().unwrap().clone().unwrap();
    assert_eq!(grant.refresh_token_hash, token.family_hash());
    assert_eq!(grant.newest_token_hash, Some(token.hash()));
}

// RFC 8707 section 2.2
#[tokio::test]
async fn the_access_token_is_for_the_resource_of_the_code_which_may_be_repeated() {
    for resource in Resource::ALL {
        for asked in [None, Some(resource)] {
            let signer = Arc::new(RecordingSigner::default());
            let (unit, stored) = noting_code(AuthorizationCode { resource, ..code() });
            let secret = code_secret();
            let presented = PresentedCode { resource: asked, ..presented(secret.expose()) };
            assert!(run(unit, signer.clone(), &app(), presented).await.0.is_ok());
            assert_eq!(signer.signed()[0].audience, resource);
            assert_eq!(stored.lock().unwrap().clone().unwrap().0.resource, resource);
        }
    }
}

#[tokio::test]
async fn a_code_for_a_draft_is_redeemed_for_its_owner_and_its_users() {
    let draft = |owner| Client { review: Review::Draft { owner: user_id(owner) }, ..app() };
    for (owner, is_asked) in [(1, false), (2, true)] {
        let mut unit = redeeming(1);
        unit.sandbox.expect_find().times(usize::from(is_asked)).returning(|_| Ok(None));
        unit.draft_users
            .expect_is_admitted()
            .times(usize::from(is_asked))
            .withf(|client, user| (*client, *user) == (client_id(1), user_id(1)))
            .returning(|_, _| Ok(true));
        let (secret, signer) = (code_secret(), Arc::new(RecordingSigner::default()));
        let (outcome, endings) = run(unit, signer, &draft(owner), presented(secret.expose())).await;
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(endings.committed(), 1);
    }
}
