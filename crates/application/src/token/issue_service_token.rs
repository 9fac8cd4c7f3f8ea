//! Gives a service client a token of its own (RFC 6749 section 4.4; decisions 3 and 9).

use super::{TokenMint, narrowed};
use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::SigningFailed;
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientKind};
use domain::scope::ScopeSet;
use std::sync::Arc;

/// What an authenticated client presents.
#[derive(Clone, Copy)]
pub struct IssueServiceTokenCommand<'a> {
    /// The client.
    pub client: &'a Client,
    /// The scopes asked for; nothing asks for all that the client may have.
    pub scope: Option<&'a str>,
}

/// What it gets; there is no refresh token.
#[derive(Debug)]
pub struct ServiceToken {
    /// The access token.
    pub access_token: String,
    /// What it allows.
    pub scopes: ScopeSet,
}

/// Why it gets none.
#[derive(Debug, thiserror::Error)]
pub enum IssueServiceTokenError {
    /// The client is no service client.
    #[error("the client may not use client_credentials")]
    UnauthorizedClient,
    /// A scope that is unknown or beyond what the client may have.
    #[error("the scope is unknown or not allowed")]
    InvalidScope,
    /// No token could be signed.
    #[error(transparent)]
    Signing(#[from] SigningFailed),
    /// The store failed, so that the token would be missing from the audit trail.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Issues service tokens.
pub struct IssueServiceToken {
    units: Arc<dyn UnitOfWorkFactory>,
    mint: TokenMint,
    trail: AuditTrail,
}

impl IssueServiceToken {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, mint: TokenMint) -> Self {
        let trail = mint.trail();
        Self { units, mint, trail }
    }

    /// Returns an access token that acts for the client itself.
    pub async fn run(
        &self,
        command: IssueServiceTokenCommand<'_>,
    ) -> Result<ServiceToken, IssueServiceTokenError> {
        let client = command.client;
        if client.kind != ClientKind::Service {
            return Err(IssueServiceTokenError::UnauthorizedClient);
        }
        let scopes = narrowed(client.scopes, command.scope).ok_or(IssueServiceTokenError::InvalidScope)?;
        let now = self.mint.now();
        let access_token = self.mint.access_token(TokenSubject::Service, client.id, scopes, now)?;
        let event = self.trail.event(AuditActor::Client, AuditKind::ServiceTokenIssued).client(client.id);
        audit::commit(self.units.begin().await?, &[event]).await?;
        Ok(ServiceToken { access_token, scopes })
    }
}
