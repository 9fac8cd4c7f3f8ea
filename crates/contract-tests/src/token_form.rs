//! Rejected requests for tokens, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{
    client, client_id, code, draft, grant, grant_id, now, secret, used_from, user, user_id,
};
use crate::service::{ClockAt, assert_level, assert_rejected, audited, secret_text};
use application::StorageError;
use application::access::TokenCheck;
use application::audit::ReadRecorder;
use application::ports::storage::{AuditFilter, GrantFilter};
use application::ports::system::{
    InvalidToken, ReadLedger, SigningFailed, TokenSigner, TokenVerifier, UnknownKeyReload,
};
use application::token::{PresentedCode, PresentedRefreshToken, TokenError, Tokens};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::audit::AuditKind;
use domain::client::{Client, ClientKind};
use domain::code::{AuthorizationCode, CodeVerifier};
use domain::grant::Grant;
use domain::id::TokenId;
use domain::read_tally::ReadTally;
use domain::refresh_token::{RefreshToken, RotatingToken};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::user::{User, UserStatus};
use std::sync::Arc;
use uuid::Uuid;

/// Takes every text for an access token of grant 1, and records no read.
struct OneGrant;

impl TokenSigner for OneGrant {
    fn sign(&self, _: &AccessClaims) -> Result<String, SigningFailed> {
        Ok(String::new())
    }
}

impl TokenVerifier for OneGrant {
    fn verify(&self, _: &str, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken> {
        Ok(AccessClaims {
            id: TokenId::from_uuid(Uuid::nil()),
            subject: TokenSubject::Person { user_id: user_id(1), grant_id: grant_id(1) },
            client_id: client_id(1),
            scopes: ScopeSet::CONSENTABLE,
            audience: Resource::Api,
            issued_at: now,
            expires_at: AccessClaims::end_from(now),
        })
    }
}

#[async_trait]
impl UnknownKeyReload for OneGrant {
    async fn reload_for(&self, _: &str, _: DateTime<Utc>) -> Result<bool, StorageError> {
        Ok(false)
    }
}

impl ReadLedger for OneGrant {
    fn add(&self, _: ReadTally) {}

    fn take(&self) -> Vec<ReadTally> {
        Vec::new()
    }
}

pub(crate) fn tokens(harness: &Harness) -> Tokens {
    Tokens {
        store: audited(harness),
        signer: Arc::new(OneGrant),
        check: TokenCheck::new(Arc::new(OneGrant), Arc::new(OneGrant)),
        grants: harness.grants.clone(),
        access: harness.access.clone(),
        clients: harness.clients.clone(),
        reads: ReadRecorder::new(Arc::new(OneGrant), Arc::new(ClockAt(now()))),
    }
}

/// Returns a code of person and client 1 with this text, which expires in a minute and has no challenge.
fn code_of(text: &Secret) -> AuthorizationCode {
    AuthorizationCode { hash: text.hash(), challenge: None, ..code(1) }
}

fn text(number: u8) -> Secret {
    secret_text(SecretKind::AuthorizationCode, number)
}

/// Returns the kinds of the events about client 1, latest first.
async fn events(harness: &Harness) -> Vec<AuditKind> {
    let filter = AuditFilter { client_id: Some(client_id(1)), ..AuditFilter::default() };
    let events = harness.audit.list_events(filter, None, 1000).await.unwrap();
    events.into_iter().map(|event| event.kind).collect()
}

const OTHER_URI: &str = "the redirect URI is not the one of the authorization request";

pub(crate) async fn rejected_codes_stay_valid_and_open_no_connection(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_user(&User { status: UserStatus::Locked { at: now() }, ..user(2) }).await;
    harness.store_client(&client(1), &secret(1)).await;
    let verifier = CodeVerifier::from_bytes(&SecretBytes::new([7; 32]));
    let [valid, bare, expired, locked, unknown, of_mcp] = [1, 2, 3, 4, 5, 6].map(text);
    let stored = code_of(&valid);
    let redirect_uri = stored.redirect_uri.as_str();
    harness.store_code(&AuthorizationCode { challenge: Some(verifier.challenge()), ..stored.clone() }).await;
    harness.store_code(&code_of(&bare)).await;
    harness.store_code(&AuthorizationCode { expires_at: now(), ..code_of(&expired) }).await;
    harness.store_code(&AuthorizationCode { user_id: user_id(2), ..code_of(&locked) }).await;
    harness.store_code(&AuthorizationCode { resource: Resource::Mcp, ..code_of(&of_mcp) }).await;

    let tokens = tokens(harness);
    let app = client(1);
    let public = Client { kind: ClientKind::PublicApp, ..client(1) };
    let draft = draft(1, 2);
    let address = used_from(1).address;
    let without = |code| PresentedCode { code, redirect_uri, code_verifier: None, resource: None, address };
    let good = PresentedCode { code_verifier: Some(verifier.expose()), ..without(valid.expose()) };
    let (with_slash, in_capitals) = (format!("{redirect_uri}/"), redirect_uri.to_uppercase());
    let to = |redirect_uri| PresentedCode { redirect_uri, ..good };
    let other_verifier = "x".repeat(43);
    let other_verifier = PresentedCode { code_verifier: Some(&other_verifier), ..good };
    for (client, presented, reason) in [
        (&app, without(unknown.expose()), "the code is unknown"),
        (&client(2), good, "the code is unknown"),
        (&app, to("https://app.example/back"), OTHER_URI),
        (&app, to(&with_slash), OTHER_URI),
        (&app, to(&in_capitals), OTHER_URI),
        (&app, to(""), OTHER_URI),
        (&app, without(expired.expose()), "the code has expired"),
        (&app, without(locked.expose()), "the code has expired"),
        (&app, without(valid.expose()), "the code verifier does not match"),
        (&app, other_verifier, "the code verifier does not match"),
        // RFC 9700 section 2.1.1
        (&public, without(bare.expose()), "the code verifier does not match"),
        (&draft, good, "the app is a draft, and the person is not among its users"),
    ] {
        assert_level(harness, reason, async || {
            let rejected = tokens.redeem(client, presented).await;
            let Err(TokenError::InvalidGrant(found)) = rejected else { panic!("{reason}: {rejected:?}") };
            assert_eq!(found, reason);
            Err::<(), _>(())
        })
        .await;
    }
    let of_mcp = without(of_mcp.expose());
    rejected_resources(harness, &tokens, good, of_mcp).await;
    assert_eq!(events(harness).await, []);

    tokens.redeem(&app, good).await.unwrap();
    let is_replayed = |error: &TokenError| matches!(error, TokenError::InvalidGrant(reason) if reason == "the code was used before");
    assert_rejected(harness, "redeem again", is_replayed, async || tokens.redeem(&app, good).await).await;
    let grants = harness.grants.list_grants(GrantFilter::default(), None, 10).await.unwrap();
    assert!(matches!(grants.as_slice(), [grant] if !grant.is_live()), "{grants:?}");
    assert_eq!(events(harness).await.first(), Some(&AuditKind::CodeReplayed));
}

/// RFC 8707 section 2.2.
async fn rejected_resources(
    harness: &Harness,
    tokens: &Tokens,
    of_api: PresentedCode<'_>,
    of_mcp: PresentedCode<'_>,
) {
    let is_target = |error: &TokenError| matches!(error, TokenError::InvalidTarget);
    for (name, code, resource) in [
        ("code of the API for MCP", of_api, Resource::Mcp),
        ("code of MCP for the API", of_mcp, Resource::Api),
    ] {
        let presented = PresentedCode { resource: Some(resource), ..code };
        assert_rejected(harness, name, is_target, async || tokens.redeem(&client(1), presented).await).await;
    }
}

pub(crate) async fn a_reused_refresh_token_stays_revoked_and_opens_no_connection(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let app = Client { kind: ClientKind::PublicApp, ..client(1) };
    harness.store_client(&app, &secret(1)).await;
    let reused = RotatingToken::first(&SecretBytes::new([1; 32]));
    let newest_token_hash = Some(reused.next(&SecretBytes::new([2; 32])).hash());
    let refresh_token_hash = RefreshToken::Rotating(reused.clone()).lookup_hash();
    harness.store_grants(&[Grant { refresh_token_hash, newest_token_hash, ..grant(1) }]).await;

    let (tokens, from) = (tokens(harness), used_from(1));
    let presented = PresentedRefreshToken {
        refresh_token: reused.expose(),
        user_id: None,
        scope: None,
        resource: None,
        from: &from,
    };
    let rejected = tokens.refresh(&app, presented).await;
    let Err(TokenError::InvalidGrant(reason)) = rejected else { panic!("{rejected:?}") };
    assert_eq!(reason, "a newer refresh token has replaced it");
    assert_eq!(events(harness).await, [AuditKind::RefreshTokenReused]);
    let is_revoked = |error: &TokenError| matches!(error, TokenError::InvalidGrant(reason) if reason == "the grant was revoked");
    assert_rejected(harness, "refresh again", is_revoked, async || tokens.refresh(&app, presented).await)
        .await;
    assert_level(harness, "revoke a revoked grant", async || {
        tokens.revoke(&app, "an access token").await.map_or(Ok(()), Err::<(), _>)
    })
    .await;
    assert_eq!(events(harness).await, [AuditKind::RefreshTokenReused]);
}
