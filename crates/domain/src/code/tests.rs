use super::*;
use crate::resource::Resource;
use uuid::Uuid;

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn client(number: u128) -> ClientId {
    ClientId::from_uuid(Uuid::from_u128(number))
}

fn code() -> AuthorizationCode {
    AuthorizationCode {
        hash: SecretHash::from_bytes([0; 32]),
        client_id: client(1),
        user_id: UserId::from_uuid(Uuid::from_u128(9)),
        redirect_uri: "https://app.example.org/cb".to_owned(),
        scopes: ScopeSet::CONSENTABLE,
        resource: Resource::Api,
        challenge: None,
        issued_at: DateTime::UNIX_EPOCH,
        expires_at: CodeLifetime::DEFAULT.end_from(DateTime::UNIX_EPOCH),
        state: CodeState::Issued,
    }
}

fn redemption(seconds: i64) -> Redemption<'static> {
    Redemption {
        client_id: client(1),
        redirect_uri: "https://app.example.org/cb",
        verifier: None,
        needs_challenge: false,
        now: DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds),
    }
}

#[test]
fn a_code_is_valid_until_just_before_its_expiry() {
    assert_eq!(code().check(&redemption(59)), Ok(()));
    assert_eq!(code().check(&redemption(60)), Err(CodeRefusal::Expired));
}

/// RFC 9700 section 2.1.1.
#[test]
fn a_public_client_cannot_redeem_a_code_without_a_challenge() {
    let public = Redemption { needs_challenge: true, ..redemption(1) };
    assert_eq!(code().check(&public), Err(CodeRefusal::WrongVerifier));
    let with = AuthorizationCode { challenge: Some(PkceChallenge::parse(CHALLENGE).unwrap()), ..code() };
    assert_eq!(with.check(&public), Err(CodeRefusal::WrongVerifier));
    let verifier = CodeVerifier::parse(VERIFIER).unwrap();
    assert_eq!(with.check(&Redemption { verifier: Some(&verifier), ..public }), Ok(()));
}

#[test]
fn another_client_or_redirect_uri_is_rejected() {
    let other = Redemption { client_id: client(2), ..redemption(1) };
    assert_eq!(code().check(&other), Err(CodeRefusal::WrongClient));
    let elsewhere = Redemption { redirect_uri: "https://app.example.org/cb/", ..redemption(1) };
    assert_eq!(code().check(&elsewhere), Err(CodeRefusal::WrongRedirectUri));
}

#[test]
fn a_used_code_names_the_grant_to_revoke_even_after_its_expiry() {
    let grant_id = GrantId::from_uuid(Uuid::from_u128(5));
    let used =
        AuthorizationCode { state: CodeState::Redeemed { grant_id, at: DateTime::UNIX_EPOCH }, ..code() };
    assert_eq!(used.check(&redemption(1)), Err(CodeRefusal::Replayed { grant_id }));
    assert_eq!(used.check(&redemption(1000)), Err(CodeRefusal::Replayed { grant_id }));
}

#[test]
fn another_client_that_presents_a_used_code_revokes_nothing() {
    let grant_id = GrantId::from_uuid(Uuid::from_u128(5));
    let used =
        AuthorizationCode { state: CodeState::Redeemed { grant_id, at: DateTime::UNIX_EPOCH }, ..code() };
    let other = Redemption { client_id: client(2), ..redemption(1) };
    assert_eq!(used.check(&other), Err(CodeRefusal::WrongClient));
}

/// RFC 9700 section 2.1.1.
#[test]
fn a_verifier_is_asked_for_exactly_when_there_is_a_challenge() {
    let verifier = CodeVerifier::parse(VERIFIER).unwrap();
    let with = AuthorizationCode { challenge: Some(PkceChallenge::parse(CHALLENGE).unwrap()), ..code() };
    let proven = Redemption { verifier: Some(&verifier), ..redemption(1) };
    assert_eq!(with.check(&proven), Ok(()));
    assert_eq!(with.check(&redemption(1)), Err(CodeRefusal::WrongVerifier));
    assert_eq!(code().check(&proven), Err(CodeRefusal::WrongVerifier));
}

#[test]
fn the_maximum_lifetime_of_a_code_is_ten_minutes() {
    assert!(CodeLifetime::from_seconds(600).is_ok());
    assert_eq!(CodeLifetime::from_seconds(601), Err(InvalidCodeLifetime));
    assert_eq!(CodeLifetime::from_seconds(0), Err(InvalidCodeLifetime));
}
