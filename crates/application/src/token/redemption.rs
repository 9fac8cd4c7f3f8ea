//! Exchanges an authorization code for a refresh token and an access token (RFC 6749 section 4.1.3).

use super::{TokenError, TokenTerms, Tokens, created, revoke_excess};
use crate::client::is_admitted;
use crate::ports::storage::{CodeWithUser, GrantFilter, UnitOfWork};
use crate::store::transact;
use domain::access_token::TokenSubject;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::code::{AuthorizationCode, CodeRefusal, CodeState, CodeVerifier, Redemption};
use domain::grant::{Grant, GrantState, MAX_LIVE_GRANTS, RevocationReason};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::{RefreshToken, RotatingToken};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretHash, SecretKind};
use std::fmt::Display;

const UNKNOWN: &str = "the code is unknown";

/// A code, and what it is redeemed with.
#[derive(Clone, Copy)]
pub struct PresentedCode<'a> {
    /// Authorization code, as sent.
    pub code: &'a str,
    /// Redirect URI, as sent.
    pub redirect_uri: &'a str,
    /// PKCE verifier, as sent.
    pub code_verifier: Option<&'a str>,
    /// Requested audience; `None` for that of the code.
    pub resource: Option<Resource>,
    /// The caller's IP address.
    pub address: AddressBlock,
}

/// Tokens issued for a code.
#[derive(Debug)]
pub struct IssuedTokens {
    /// The access token.
    pub access_token: String,
    /// The refresh token; only its hash is stored.
    pub refresh_token: RefreshToken,
    /// Scopes of both tokens.
    pub scopes: ScopeSet,
    /// User whose data they give access to.
    pub user_id: UserId,
}

/// A client's attempt to redeem a code.
struct Attempt<'a> {
    client: &'a Client,
    address: AddressBlock,
    redemption: Redemption<'a>,
}

/// Result of the transaction. The inner error is committed: the grant of a replayed code was revoked.
type Redeemed = Result<Result<IssuedTokens, TokenError>, TokenError>;

impl Tokens {
    /// Redeems a code once. A second use by the same client revokes the grant of the first.
    pub async fn redeem(
        &self,
        client: &Client,
        presented: PresentedCode<'_>,
    ) -> Result<IssuedTokens, TokenError> {
        if !client.kind.is_app() {
            return Err(TokenError::UnauthorizedClient);
        }
        let rejected = |reason: &'static str| {
            log_rejection(client.id, reason);
            TokenError::InvalidGrant(reason.into())
        };
        let secret = Secret::parse(SecretKind::AuthorizationCode, presented.code);
        let secret = secret.map_err(|_| rejected("the code is malformed"))?;
        let verifier = presented.code_verifier.map(CodeVerifier::parse).transpose();
        let verifier = verifier.map_err(|_| rejected("the code verifier is malformed"))?;
        let redemption = Redemption {
            client_id: client.id,
            redirect_uri: presented.redirect_uri,
            verifier: verifier.as_ref(),
            needs_challenge: client.kind.is_public(),
            now: self.store.now(),
        };
        let attempt = Attempt { client, address: presented.address, redemption };
        transact!(self.store, |tx| {
            // Locks the user before the code, which serializes this with a revocation of the user's grants.
            let found = tx.codes().find_and_lock(&secret.hash()).await?;
            let found = found.ok_or_else(|| rejected(UNKNOWN))?;
            if let Err(refusal) = found.code.check(&attempt.redemption) {
                return self.reject(tx, &attempt, &found.code, refusal).await;
            }
            if presented.resource.is_some_and(|asked| asked != found.code.resource) {
                log_rejection(client.id, "it is for another resource");
                return Err(TokenError::InvalidTarget);
            }
            if !is_admitted(tx, client, found.code.user_id).await? {
                return Err(rejected("the app is a draft, and the person is not among its users"));
            }
            self.exchange(tx, &attempt, &found).await
        })
        .await?
    }

    async fn exchange(
        &self,
        tx: &mut dyn UnitOfWork,
        attempt: &Attempt<'_>,
        CodeWithUser { code, user_status }: &CodeWithUser,
    ) -> Redeemed {
        let (client, now) = (attempt.client, attempt.redemption.now);
        let (refresh_token, newest_token_hash) = self.new_refresh_token(client);
        let grant = Grant {
            id: GrantId::from_uuid(self.store.entropy().uuid()),
            client_id: client.id,
            user_id: code.user_id,
            scopes: code.scopes,
            resource: code.resource,
            refresh_token_hash: refresh_token.lookup_hash(),
            newest_token_hash,
            created_at: now,
            last_used_at: None,
            last_used_from: None,
            state: GrantState::Live,
        };
        // Signed before the code is consumed, so that a signing failure does not use up the code.
        let subject = TokenSubject::Person { user_id: grant.user_id, grant_id: grant.id };
        let (client_id, scopes) = (grant.client_id, grant.scopes);
        let terms = TokenTerms { subject, client_id, scopes, audience: grant.resource };
        let access_token = self.sign(terms, now)?;

        let event = created(&self.store, AuditActor::Client, &grant).from(attempt.address);
        let live =
            if user_status.is_active() { tx.codes().redeem(&code.hash, &grant, &event).await? } else { None };
        let Some(live) = live else {
            // A concurrent redemption won, so this one is a replay.
            let lost = tx.codes().find(&code.hash).await?;
            let refusal = match lost.map(|lost| lost.state) {
                Some(CodeState::Redeemed { grant_id, .. }) => CodeRefusal::Replayed { grant_id },
                _ => CodeRefusal::Expired,
            };
            return self.reject(tx, attempt, code, refusal).await;
        };
        if live > MAX_LIVE_GRANTS {
            revoke_excess(tx, &self.store, &grant).await?;
        }
        Ok(Ok(IssuedTokens { access_token, refresh_token, scopes, user_id: grant.user_id }))
    }

    /// Creates a refresh token, and returns the hash of the newest token if it rotates.
    fn new_refresh_token(&self, client: &Client) -> (RefreshToken, Option<SecretHash>) {
        let bytes = self.store.entropy().secret_bytes();
        if client.kind.is_public() {
            let token = RotatingToken::first(&bytes);
            let hash = token.hash();
            return (RefreshToken::Rotating(token), Some(hash));
        }
        (RefreshToken::Fixed(Secret::from_bytes(SecretKind::RefreshToken, &bytes)), None)
    }

    /// Rejects a redemption. A replay revokes the grant of the first one (RFC 9700 section 4.5).
    async fn reject(
        &self,
        tx: &mut dyn UnitOfWork,
        Attempt { client, redemption, .. }: &Attempt<'_>,
        code: &AuthorizationCode,
        refusal: CodeRefusal,
    ) -> Redeemed {
        // For the developer of the client, who does not learn of other clients' codes.
        let error = TokenError::InvalidGrant(match refusal {
            CodeRefusal::WrongClient => UNKNOWN.into(),
            refusal => refusal.to_string().into(),
        });
        let CodeRefusal::Replayed { grant_id } = refusal else {
            log_rejection(client.id, refusal);
            return Err(error);
        };
        let (user_id, client_id) = (code.user_id, code.client_id);
        let replayed = GrantFilter { user_id: Some(user_id), id: Some(grant_id), ..GrantFilter::default() };
        let revoked = tx.grants().revoke(replayed, redemption.now, RevocationReason::CodeReplayed).await?;
        let event = self.store.event(AuditActor::Client, AuditKind::CodeReplayed);
        let event = event.user(user_id).client(client_id).subject(grant_id.as_uuid()).count(revoked);
        tx.record(event).await?;
        tracing::warn!(%client_id, revoked, "an authorization code was presented again");
        Ok(Err(error))
    }
}

/// Logs which check failed; the response does not disclose it.
fn log_rejection(client_id: ClientId, reason: impl Display) {
    tracing::info!(%client_id, %reason, "an authorization code was rejected");
}
