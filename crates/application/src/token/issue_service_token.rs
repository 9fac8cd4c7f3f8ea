//! The client credentials grant of service clients (RFC 6749 section 4.4; decisions 3 and 9).

use super::{TokenMint, TokenTerms, narrowed};
use crate::audit::{self, AuditTrail};
use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::SigningFailed;
use domain::access_token::TokenSubject;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientKind};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use std::sync::Arc;

/// Input of [`IssueServiceToken`].
#[derive(Clone, Copy)]
pub struct IssueServiceTokenCommand<'a> {
    /// The authenticated client.
    pub client: &'a Client,
    /// Requested scopes, as sent; `None` for all that the client has.
    pub scope: Option<&'a str>,
    /// Requested audience; `None` for the API, the only one for service tokens.
    pub resource: Option<Resource>,
}

/// Issued token; there is no refresh token.
#[derive(Debug)]
pub struct ServiceToken {
    /// The access token.
    pub access_token: String,
    /// Scopes of the token.
    pub scopes: ScopeSet,
}

/// Errors of [`IssueServiceToken`].
#[derive(Debug, thiserror::Error)]
pub enum IssueServiceTokenError {
    /// The client is not a service client.
    #[error("the client may not use client_credentials")]
    UnauthorizedClient,
    /// A requested scope is unknown or not allowed for the client.
    #[error("the scope is unknown or not allowed")]
    InvalidScope,
    /// The requested resource serves people's data only.
    #[error("a service token is for the API")]
    InvalidTarget,
    /// The token could not be signed.
    #[error(transparent)]
    Signing(#[from] SigningFailed),
    /// The store failed. The token is not returned, because the audit trail would not contain it.
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

    /// Returns an access token for the client itself.
    pub async fn run(
        &self,
        command: IssueServiceTokenCommand<'_>,
    ) -> Result<ServiceToken, IssueServiceTokenError> {
        let client = command.client;
        if client.kind != ClientKind::Service {
            return Err(IssueServiceTokenError::UnauthorizedClient);
        }
        let scopes = narrowed(client.scopes, command.scope).ok_or(IssueServiceTokenError::InvalidScope)?;
        let audience = command.resource.unwrap_or_default();
        if audience != Resource::Api {
            return Err(IssueServiceTokenError::InvalidTarget);
        }
        let terms = TokenTerms { subject: TokenSubject::Service, client_id: client.id, scopes, audience };
        let access_token = self.mint.access_token(terms, self.mint.now())?;
        let event = self.trail.event(AuditActor::Client, AuditKind::ServiceTokenIssued).client(client.id);
        audit::commit(self.units.begin().await?, &[event]).await?;
        Ok(ServiceToken { access_token, scopes })
    }
}
