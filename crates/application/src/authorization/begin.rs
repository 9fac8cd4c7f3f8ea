//! Handles an app's authorization request (RFC 6749 section 4.1.1).

use super::code::{Binding, DecisionContext, is_remembered, is_usable};
use super::validation::{Refusal, ValidatedRequest, once, validate};
use super::{AuthorizationParameters, Authorizations};
use crate::attempt_limit::{AttemptLimit, count_attempt, failure_key, from_attempt_rejected};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::transact;
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::authorization_request::{AuthorizationRequest, MAX_REQUESTS, MAX_STATE_BYTES, RequestState};
use domain::authorization_response::{AuthorizationErrorCode, AuthorizationResponse, ResponseTarget};
use domain::client::{Client, InvalidClientId, MetadataError, PresentedClientId};
use domain::id::{AuthorizationRequestId, ClientId, UserId};
use domain::secret::Secret;
use std::error::Error as _;
use std::net::IpAddr;

/// Default limit on stored requests per network address without a signed-in user; each is a row.
pub const ANONYMOUS_REQUESTS: AttemptLimit = AttemptLimit { attempts: 300, window_seconds: 600 };

pub(super) const MALFORMED_CLIENT_ID: &str = "client_id is missing, repeated or malformed";
pub(super) const UNKNOWN_CLIENT: &str = "the client is unknown";
pub(super) const UNKNOWN_REDIRECT_URI: &str = "redirect_uri is missing, repeated or not registered";
pub(super) const STATE_TOO_LONG: &str = "state is longer than 2048 bytes";
pub(super) const NOT_ACTIVE: &str = "the client is disabled or a service client";

const LOGIN_REQUIRED: Refusal =
    Refusal::new(AuthorizationErrorCode::LoginRequired, "no user is signed in in this browser");
const CONSENT_REQUIRED: Refusal =
    Refusal::new(AuthorizationErrorCode::ConsentRequired, "the user must give consent");

/// The browser that an app sent here.
#[derive(Clone, Copy)]
pub struct AuthorizationVisitor<'a> {
    /// Visit cookie, which survives sign-in.
    pub visit: &'a Secret,
    /// The signed-in user, if any.
    pub signed_in: Option<&'a SignedInPerson>,
    /// The IP address.
    pub address: IpAddr,
}

/// Next page of the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthorizationStep {
    /// Back to the app, with a code or an error.
    Redirect(AuthorizationResponse),
    /// To the sign-in page; also for a signed-in user if the app sent `prompt=login`.
    SignIn {
        /// The stored request.
        request_id: AuthorizationRequestId,
    },
    /// To the consent page.
    Consent {
        /// The stored request.
        request_id: AuthorizationRequestId,
    },
}

/// Errors shown on a page, because a redirect would not be safe (security.md T22).
#[derive(Debug, thiserror::Error)]
pub enum BeginAuthorizationError {
    /// The client or the redirect URI (exact match) is unknown or cannot be used, or `state` is longer than
    /// 2 KiB (security.md T25). The caller does not learn which.
    #[error("{reason}")]
    Rejected {
        /// The client, if it exists.
        client_id: Option<ClientId>,
        /// The check that failed.
        reason: &'static str,
    },
    /// The metadata document that `client_id` names is not used.
    #[error("the client has no valid metadata document: {0}")]
    Metadata(#[from] MetadataError),
    /// The request is invalid or cannot be answered without the user, and the operator has not reviewed the
    /// app.
    #[error("{description}; the app is not reviewed")]
    NotReviewed {
        /// The client.
        client_id: ClientId,
        /// For developers.
        description: &'static str,
    },
    /// This network sent too many requests without a signed-in user.
    #[error("too many authorization requests")]
    TooManyRequests {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(BeginAuthorizationError, TooManyRequests);

impl BeginAuthorizationError {
    /// Returns the client, if it is known, and which check failed; for its developer.
    pub const fn rejected_client(&self) -> Option<(ClientId, &'static str)> {
        match self {
            Self::Rejected { client_id: Some(client_id), reason }
            | Self::NotReviewed { client_id, description: reason } => Some((*client_id, *reason)),
            Self::Rejected { client_id: None, .. }
            | Self::Metadata(_)
            | Self::TooManyRequests { .. }
            | Self::Storage(_) => None,
        }
    }
}

impl Authorizations {
    /// Validates an app's request, then responds to it or stores it.
    ///
    /// Client and redirect URI are validated first; only after that are errors sent to the app, if the
    /// operator has reviewed it.
    pub async fn begin(
        &self,
        visitor: AuthorizationVisitor<'_>,
        parameters: &AuthorizationParameters<'_>,
    ) -> Result<AuthorizationStep, BeginAuthorizationError> {
        let client = self.client(parameters.client_id, visitor.address).await?;
        let redirect_uri = parameters.redirect_uri.and_then(|text| client.registered_redirect_uri(text));
        let redirect_uri = redirect_uri.ok_or_else(|| rejected(Some(client.id), UNKNOWN_REDIRECT_URI))?;
        let state = once(parameters.state);
        if state.is_some_and(|state| state.len() > MAX_STATE_BYTES) {
            return Err(rejected(Some(client.id), STATE_TOO_LONG));
        }
        let target = ResponseTarget { redirect_uri: &redirect_uri, state, issuer: &self.issuer };
        let app = Requester { id: client.id, target, is_reviewed: self.metadata_policy.is_reviewed(&client) };
        match validate(&client, parameters, &self.issuer) {
            Ok(mut asked) => {
                // A remembered consent must not apply to a program that poses as the app, or to an app that
                // is a draft again.
                asked.prompt.consent |= client.can_be_imitated(&redirect_uri) || !app.is_reviewed;
                if asked.prompt.none && !app.is_reviewed {
                    // Before the session is read: the developer sees the reason, but not who is signed in.
                    return app.reject(CONSENT_REQUIRED);
                }
                self.proceed(visitor, Request { app, asked }).await
            }
            Err(refusal) => app.reject(refusal),
        }
    }

    /// Finds a client that users can authorize. The caller does not learn why another one is rejected.
    /// Faults of a metadata document, which is public, are reported.
    async fn client(&self, id: Option<&str>, from: IpAddr) -> Result<Client, BeginAuthorizationError> {
        let presented = match id.map_or(Err(InvalidClientId::Malformed), PresentedClientId::parse) {
            Ok(presented) => presented,
            Err(InvalidClientId::Malformed) => {
                return Err(rejected(None, MALFORMED_CLIENT_ID));
            }
            Err(InvalidClientId::Url(error)) => {
                log_refusal(None, "client_id is not a valid URL of a metadata document");
                return Err(MetadataError::Url(error).into());
            }
        };
        let id = presented.id();
        let found = match &presented {
            PresentedClientId::Registered(_) => {
                self.clients.find_with_secrets(id).await?.map(|found| found.client)
            }
            PresentedClientId::Metadata(url) => {
                let loaded = self.metadata_client(url, from).await;
                if let Err(BeginAuthorizationError::Metadata(fault)) = &loaded {
                    let cause = fault.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                    log_refusal(Some(id), &format!("{fault}{cause}"));
                }
                Some(loaded?)
            }
        };
        let found = found.filter(|client| presented.identifies(client));
        let client = found.ok_or_else(|| rejected(None, UNKNOWN_CLIENT))?;
        if client.can_receive_codes() {
            return Ok(client);
        }
        Err(rejected(Some(id), NOT_ACTIVE))
    }

    async fn proceed(
        &self,
        visitor: AuthorizationVisitor<'_>,
        request: Request<'_>,
    ) -> Result<AuthorizationStep, BeginAuthorizationError> {
        let prompt = request.asked.prompt;
        if let Some(person) = visitor.signed_in.filter(|_| !prompt.login) {
            let (visit, request, at) = (visitor.visit, &request, self.store.now());
            let step = transact!(self.store, |tx| {
                if !is_usable(tx, person).await? {
                    // The session or the account has ended in the meantime: continue as signed out.
                    return Ok(None);
                }
                let (user_id, client_id, address) = (person.user_id, request.app.id, person.address);
                let occasion = DecisionContext { user_id, client_id, at, address };
                self.proceed_as(tx, &occasion, visit, request).await.map(Some)
            });
            if let Some(step) = step.await? {
                return Ok(step);
            }
        }
        if prompt.none {
            return request.app.reject(LOGIN_REQUIRED);
        }
        self.send_to_sign_in(visitor, &request).await
    }

    /// Continues for a signed-in user: returns a code if no page is needed, else the consent page.
    async fn proceed_as(
        &self,
        tx: &mut dyn UnitOfWork,
        occasion: &DecisionContext,
        visit: &Secret,
        request: &Request<'_>,
    ) -> Result<AuthorizationStep, BeginAuthorizationError> {
        let Request { app: Requester { target, .. }, asked } = request;
        if !asked.prompt.consent && is_remembered(tx, occasion, asked.scopes).await? {
            let binding = Binding {
                redirect_uri: target.redirect_uri.as_str(),
                scopes: asked.scopes,
                resource: asked.resource,
                challenge: asked.challenge,
            };
            let code = self.issue_code(tx, occasion, binding).await?;
            return Ok(AuthorizationStep::Redirect(AuthorizationResponse::code(*target, &code)));
        }
        if asked.prompt.none {
            return request.app.reject(CONSENT_REQUIRED);
        }
        let stored = self.to_store(visit, request, Some(occasion.user_id), occasion.at);
        tx.authorization_requests().insert(&stored).await?;
        tx.authorization_requests().delete_excess(occasion.user_id, MAX_REQUESTS).await?;
        Ok(AuthorizationStep::Consent { request_id: stored.id })
    }

    /// Stores a request that needs a sign-in. Their number per network address is limited.
    async fn send_to_sign_in(
        &self,
        visitor: AuthorizationVisitor<'_>,
        request: &Request<'_>,
    ) -> Result<AuthorizationStep, BeginAuthorizationError> {
        let at = self.store.now();
        let block = AddressBlock::containing(visitor.address).to_string();
        let key = failure_key(&["authorization-request/address", &block]);
        count_attempt(&*self.failures, key, self.anonymous_requests, at).await?;
        let stored = &self.to_store(visitor.visit, request, None, at);
        transact!(self.store, |tx| { tx.authorization_requests().insert(stored).await }).await?;
        Ok(AuthorizationStep::SignIn { request_id: stored.id })
    }

    fn to_store(
        &self,
        visit: &Secret,
        request: &Request<'_>,
        user_id: Option<UserId>,
        created_at: DateTime<Utc>,
    ) -> AuthorizationRequest {
        let Request { app: Requester { id, target, .. }, asked } = request;
        AuthorizationRequest {
            id: AuthorizationRequestId::from_uuid(self.store.entropy().uuid()),
            client_id: *id,
            redirect_uri: target.redirect_uri.as_str().to_owned(),
            scopes: asked.scopes,
            resource: asked.resource,
            state: target.state.map(str::to_owned),
            challenge: asked.challenge,
            force_consent: asked.prompt.consent,
            visit_hash: visit.hash(),
            user_id,
            login_hint: asked.login_hint.clone(),
            created_at,
            decision: RequestState::Open,
        }
    }
}

/// The app that sent a request.
struct Requester<'a> {
    id: ClientId,
    target: ResponseTarget<'a>,
    /// Whether the operator has reviewed it.
    is_reviewed: bool,
}

impl Requester<'_> {
    /// Sends the app an error. The person has not decided anything yet, so this is only done for a reviewed
    /// app: any other could use this server to redirect people anywhere (RFC 9700 section 4.11.2).
    fn reject(&self, refusal: Refusal) -> Result<AuthorizationStep, BeginAuthorizationError> {
        let Refusal { error, description } = refusal;
        log_refusal(Some(self.id), description);
        if !self.is_reviewed {
            return Err(BeginAuthorizationError::NotReviewed { client_id: self.id, description });
        }
        Ok(AuthorizationStep::Redirect(AuthorizationResponse::error(self.target, error, description)))
    }
}

/// A valid request.
struct Request<'a> {
    app: Requester<'a>,
    asked: ValidatedRequest,
}

/// Logs and returns which check failed.
fn rejected(client_id: Option<ClientId>, reason: &'static str) -> BeginAuthorizationError {
    log_refusal(client_id, reason);
    BeginAuthorizationError::Rejected { client_id, reason }
}

/// Logs which check failed. The line has the reference that an error page shows.
fn log_refusal(client_id: Option<ClientId>, reason: &str) {
    tracing::info!(client_id = client_id.map(display), reason, "an authorization request was rejected");
}
