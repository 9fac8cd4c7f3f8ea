//! T18: secrets of one kind are never accepted as another kind, and presenting one consumes nothing.

use super::mint;
use crate::audit::testing::HeldReads;
use crate::ports::storage::test_support::PreparedUnitsOfWork;
use crate::ports::storage::{MockAccessReader, MockClientReader, MockGrantReader};
use crate::ports::system::{InvalidToken, MockTokenVerifier};
use crate::testing::{REDIRECT_URI, RecordingSigner, app, checking_with, clock, entropy, secret, used_from};
use crate::token::{
    IntrospectToken, IntrospectTokenQuery, IntrospectionPorts, RedeemCode, RedeemCodeCommand,
    RedeemCodeError, RefreshAccess, RefreshAccessCommand, RefreshAccessError, RevokeToken,
    RevokeTokenCommand,
};
use domain::secret::SecretKind;
use std::sync::Arc;

/// A secret of every other kind, all from the same bytes, and text that resembles an access token.
fn all_but(right: SecretKind) -> Vec<String> {
    let others = SecretKind::ALL.into_iter().filter(|kind| *kind != right);
    let mut texts: Vec<_> = others.map(|kind| secret(kind, 7).expose().to_owned()).collect();
    texts.push("eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl".to_owned());
    // The body of one kind with another's prefix: the checksum covers the prefix.
    let other = secret(SecretKind::PersonalAccessToken, 7);
    texts.push(other.expose().replacen(SecretKind::PersonalAccessToken.prefix(), right.prefix(), 1));
    texts
}

#[tokio::test]
async fn t18_nothing_but_a_code_is_redeemed() {
    for text in all_but(SecretKind::AuthorizationCode) {
        // No unit of work is prepared: the store must not be used.
        let units = PreparedUnitsOfWork::new([]);
        let endings = units.endings();
        let redeem = RedeemCode::new(Arc::new(units), entropy(), mint(Arc::new(RecordingSigner::default())));
        let client = app();
        let command = RedeemCodeCommand {
            client: &client,
            code: &text,
            redirect_uri: REDIRECT_URI,
            code_verifier: None,
            address: domain::address::AddressBlock::containing([192, 0, 2, 7].into()),
        };
        assert!(matches!(redeem.run(command).await, Err(RedeemCodeError::InvalidGrant)));
        assert_eq!(endings.begun(), 0);
    }
}

#[tokio::test]
async fn t18_nothing_but_a_refresh_token_refreshes() {
    for text in all_but(SecretKind::RefreshToken) {
        let units = PreparedUnitsOfWork::new([]);
        let endings = units.endings();
        let reads: Arc<HeldReads> = Arc::default();
        let refresh = RefreshAccess::new(
            // Any lookup would panic.
            Arc::new(MockGrantReader::new()),
            Arc::new(units),
            reads.recorder(),
            mint(Arc::new(RecordingSigner::default())),
        );
        let client = app();
        let command = RefreshAccessCommand {
            client: &client,
            refresh_token: &text,
            user_id: None,
            scope: None,
            from: &used_from(),
        };
        assert!(matches!(refresh.run(command).await, Err(RefreshAccessError::InvalidGrant)));
        assert_eq!((endings.begun(), reads.all().len()), (0, 0));
    }
}

/// Rejects every access token.
fn refusing() -> MockTokenVerifier {
    let mut verifier = MockTokenVerifier::new();
    verifier.expect_verify().returning(|_, _| Err(InvalidToken));
    verifier
}

#[tokio::test]
async fn t18_a_client_takes_back_nothing_but_its_tokens() {
    for text in all_but(SecretKind::RefreshToken) {
        let units = PreparedUnitsOfWork::new([]);
        let endings = units.endings();
        let revoke = RevokeToken::new(
            Arc::new(MockGrantReader::new()),
            checking_with(refusing()),
            Arc::new(units),
            entropy(),
            clock(),
        );
        let client = app();
        assert!(revoke.run(RevokeTokenCommand { client: &client, token: &text }).await.is_ok());
        assert_eq!(endings.begun(), 0);
    }
}

#[tokio::test]
async fn t18_a_client_introspects_nothing_but_tokens() {
    for text in all_but(SecretKind::RefreshToken) {
        let introspect = IntrospectToken::new(IntrospectionPorts {
            tokens: checking_with(refusing()),
            grants: Arc::new(MockGrantReader::new()),
            access: Arc::new(MockAccessReader::new()),
            clients: Arc::new(MockClientReader::new()),
            clock: clock(),
        });
        let client = app();
        for hints_at_refresh_token in [true, false] {
            let query = IntrospectTokenQuery { client: &client, token: &text, hints_at_refresh_token };
            assert!(introspect.run(query).await.unwrap().is_none());
        }
    }
}
