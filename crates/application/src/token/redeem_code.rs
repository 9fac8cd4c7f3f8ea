//! Exchanges an authorization code for a refresh token and an access token (RFC 6749 section 4.1.3).

use super::{TokenMint, TokenTerms, commit_redeemed_grant, created};
use crate::audit::{self, AuditTrail};
use crate::developer::is_admitted;
use crate::ports::storage::{CodeWithUser, GrantFilter, StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Entropy, SigningFailed};
use chrono::{DateTime, Utc};
use domain::access_token::TokenSubject;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::client::Client;
use domain::code::{AuthorizationCode, CodeRefusal, CodeState, CodeVerifier, Redemption};
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::{RefreshToken, RotatingToken};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretHash, SecretKind};
use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

const UNKNOWN: &str = "the code is unknown";

/// Input of [`RedeemCode`].
#[derive(Clone, Copy)]
pub struct RedeemCodeCommand<'a> {
    /// The authenticated client.
    pub client: &'a Client,
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

/// Why a code is not redeemed.
#[derive(Debug, thiserror::Error)]
pub enum RedeemCodeError {
    /// The code is unknown, used or expired, belongs to another client, or is bound to other values; the
    /// caller does not learn which.
    #[error("the code is not valid")]
    InvalidGrant(Cow<'static, str>),
    /// This kind of client cannot redeem codes.
    #[error("the client may not redeem codes")]
    UnauthorizedClient,
    /// The code is for another resource, and stays valid for it.
    #[error("the code is for another resource")]
    InvalidTarget,
    /// The token could not be signed; the code stays valid.
    #[error(transparent)]
    Signing(#[from] SigningFailed),
    /// The store failed; the code stays valid unless the commit failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Redeems authorization codes.
pub struct RedeemCode {
    units: Arc<dyn UnitOfWorkFactory>,
    entropy: Arc<dyn Entropy>,
    mint: TokenMint,
    trail: AuditTrail,
}

impl RedeemCode {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, mint: TokenMint) -> Self {
        let trail = mint.trail();
        Self { units, entropy, mint, trail }
    }

    /// Redeems a code once. A second use by the same client revokes the grant of the first.
    pub async fn run(&self, command: RedeemCodeCommand<'_>) -> Result<IssuedTokens, RedeemCodeError> {
        if !command.client.kind.is_app() {
            return Err(RedeemCodeError::UnauthorizedClient);
        }
        let refused = |reason: &'static str| {
            log_refusal(command.client.id, reason);
            RedeemCodeError::InvalidGrant(reason.into())
        };
        let secret = Secret::parse(SecretKind::AuthorizationCode, command.code);
        let secret = secret.map_err(|_| refused("the code is malformed"))?;
        let verifier = command.code_verifier.map(CodeVerifier::parse).transpose();
        let verifier = verifier.map_err(|_| refused("the code verifier is malformed"))?;
        let now = self.mint.now();
        let redemption = Redemption {
            client_id: command.client.id,
            redirect_uri: command.redirect_uri,
            verifier: verifier.as_ref(),
            needs_challenge: command.client.kind.is_public(),
            now,
        };

        let mut unit = self.units.begin().await?;
        // Locks the user before the code, which serializes this with a revocation of the user's grants.
        let Some(locked) = unit.codes().find_and_lock(&secret.hash()).await? else {
            unit.rollback().await?;
            return Err(refused(UNKNOWN));
        };
        if let Err(refusal) = locked.code.check(&redemption) {
            return Err(self.refuse(unit, (&locked.code, command.client.id), refusal, now).await?);
        }
        if command.resource.is_some_and(|asked| asked != locked.code.resource) {
            unit.rollback().await?;
            log_refusal(command.client.id, "it is for another resource");
            return Err(RedeemCodeError::InvalidTarget);
        }
        if !is_admitted(&mut *unit, command.client, locked.code.user_id).await? {
            unit.rollback().await?;
            return Err(refused("the app is a draft, and the person is not among its users"));
        }
        self.exchange(unit, &command, &locked, now).await
    }

    async fn exchange(
        &self,
        mut unit: Box<dyn UnitOfWork>,
        command: &RedeemCodeCommand<'_>,
        CodeWithUser { code, user_status }: &CodeWithUser,
        now: DateTime<Utc>,
    ) -> Result<IssuedTokens, RedeemCodeError> {
        let (refresh_token, newest_token_hash) = self.new_refresh_token(command.client);
        let grant = Grant {
            id: GrantId::from_uuid(self.entropy.uuid()),
            client_id: command.client.id,
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
        let access_token = self.mint.access_token(terms, now)?;

        let event = created(&self.trail, &grant, (AuditActor::Client, Some(command.address)));
        let live = if user_status.is_active() {
            unit.codes().redeem(&code.hash, &grant, &event).await?
        } else {
            None
        };
        let Some(live) = live else {
            // A concurrent redemption won, so this one is a replay.
            let lost = unit.codes().find(&code.hash).await?;
            let refusal = match lost.map(|lost| lost.state) {
                Some(CodeState::Redeemed { grant_id, .. }) => CodeRefusal::Replayed { grant_id },
                _ => CodeRefusal::Expired,
            };
            return Err(self.refuse(unit, (code, command.client.id), refusal, now).await?);
        };
        commit_redeemed_grant(unit, &grant, &self.trail, live).await?;
        Ok(IssuedTokens { access_token, refresh_token, scopes: grant.scopes, user_id: grant.user_id })
    }

    /// Creates a refresh token, and returns the hash of the newest token if it rotates.
    fn new_refresh_token(&self, client: &Client) -> (RefreshToken, Option<SecretHash>) {
        let bytes = self.entropy.secret_bytes();
        if client.kind.is_public() {
            let token = RotatingToken::first(&bytes);
            let hash = token.hash();
            return (RefreshToken::Rotating(token), Some(hash));
        }
        (RefreshToken::Fixed(Secret::from_bytes(SecretKind::RefreshToken, &bytes)), None)
    }

    /// Rejects a redemption. A replay revokes the grant of the first one (RFC 9700 section 4.5).
    async fn refuse(
        &self,
        mut unit: Box<dyn UnitOfWork>,
        (code, presenter): (&AuthorizationCode, ClientId),
        refusal: CodeRefusal,
        now: DateTime<Utc>,
    ) -> Result<RedeemCodeError, StorageError> {
        if let CodeRefusal::Replayed { grant_id } = refusal {
            let (user_id, client_id) = (code.user_id, code.client_id);
            let replayed =
                GrantFilter { user_id: Some(user_id), id: Some(grant_id), ..GrantFilter::default() };
            let revoked = unit.grants().revoke(replayed, now, RevocationReason::CodeReplayed).await?;
            let event = self.trail.event(AuditActor::Client, AuditKind::CodeReplayed);
            let event = event.user(user_id).client(client_id).subject(grant_id.as_uuid()).count(revoked);
            audit::commit(unit, &[event]).await?;
            tracing::warn!(%client_id, revoked, "an authorization code was presented again");
        } else {
            log_refusal(presenter, refusal);
            unit.rollback().await?;
        }
        // For the developer of the client, who does not learn of other clients' codes.
        Ok(RedeemCodeError::InvalidGrant(match refusal {
            CodeRefusal::WrongClient => UNKNOWN.into(),
            refusal => refusal.to_string().into(),
        }))
    }
}

/// Logs which check failed; the response does not disclose it.
fn log_refusal(client_id: ClientId, reason: impl Display) {
    tracing::info!(%client_id, %reason, "an authorization code was rejected");
}
