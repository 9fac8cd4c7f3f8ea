//! Shows a person what an app asks for.

use super::code::{Binding, Occasion, is_remembered};
use super::open_request::{OpenRequest, Visitor, refuse};
use super::{AuthorizationPorts, ConsentError};
use crate::account::SessionKey;
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::authorization_response::AuthorizationResponse;
use domain::client::ClientName;
use domain::id::{AuthorizationRequestId, ClientId, UserId};
use domain::scope::ScopeSet;
use domain::secret::Secret;
use domain::session::Session;
use std::net::IpAddr;

/// Who opens which request.
#[derive(Clone, Copy)]
pub struct OpenConsentCommand<'a> {
    /// The request that the page carries. A text that is no id is a request that is gone.
    pub request_id: AuthorizationRequestId,
    /// Session of the signed-in user.
    pub session: &'a Session,
    /// Visit cookie of the browser.
    pub visit: &'a Secret,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// What the consent page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentView {
    /// The request.
    pub request_id: AuthorizationRequestId,
    /// The app.
    pub client_id: ClientId,
    /// Its name.
    pub client_name: ClientName,
    /// The host that the person is sent back to, as a browser shows it.
    pub redirect_host: String,
    /// The origin that the person is sent back to: the page's form must be allowed to end there (security.md T28).
    pub redirect_origin: String,
    /// What is asked for and may be granted; at least one.
    pub scopes: ScopeSet,
    /// What the app's live grants of this person allow already; nothing when it holds none.
    pub held: Option<ScopeSet>,
}

/// Where an opened request leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenedConsent {
    /// The person is asked.
    Ask(ConsentView),
    /// The person signs in first, as the app asked (`prompt=login`): they have not since the request came.
    SignIn,
    /// The person had told Restwell not to ask: straight back to the app with a code.
    Redirect(AuthorizationResponse),
}

/// Opens requests.
pub struct OpenConsent {
    ports: AuthorizationPorts,
    issuer: String,
}

impl OpenConsent {
    /// Creates the use case for this issuer.
    pub fn new(ports: AuthorizationPorts, issuer: String) -> Self {
        Self { ports, issuer }
    }

    /// Gives a request to the person if nobody has it yet, and shows what it asks for.
    pub async fn run(&self, command: OpenConsentCommand<'_>) -> Result<OpenedConsent, ConsentError> {
        let mut unit = self.ports.units.begin().await?;
        let opened = match self.open(&mut *unit, &command).await {
            Ok(opened) => opened,
            Err(error) => return Err(refuse(unit, error).await),
        };
        unit.commit().await?;
        match opened {
            // Asked only now that the unit of work has given its connection back.
            OpenedConsent::Ask(view) => {
                let held = self.held(command.session.user_id, view.client_id).await?;
                Ok(OpenedConsent::Ask(ConsentView { held, ..view }))
            }
            other @ (OpenedConsent::SignIn | OpenedConsent::Redirect(_)) => Ok(other),
        }
    }

    async fn open(
        &self,
        unit: &mut dyn UnitOfWork,
        command: &OpenConsentCommand<'_>,
    ) -> Result<OpenedConsent, ConsentError> {
        let OpenConsentCommand { request_id, session, visit, address } = *command;
        let user_id = session.user_id;
        let at = self.ports.clock.now();
        let open = OpenRequest::find(
            unit,
            Visitor { request_id, session: SessionKey { user_id, id: session.id }, visit },
            at,
        )
        .await?;
        if open.request.user_id.is_none() {
            if !open.request.was_followed_by(session) {
                return Ok(OpenedConsent::SignIn);
            }
            if !unit.authorization_requests().assign(request_id, user_id).await? {
                return Err(ConsentError::NotYours);
            }
        }
        let asked = open.request.scopes;
        let scopes = open.allowed();
        let occasion = Occasion { user_id, client_id: open.client.id, at, address };
        if scopes == asked && !open.request.force_consent && is_remembered(unit, &occasion, asked).await? {
            return self.let_through(unit, &open, &occasion).await;
        }
        if scopes.is_empty() {
            return Err(ConsentError::ClientUnavailable);
        }
        Ok(OpenedConsent::Ask(ConsentView {
            request_id,
            client_id: open.client.id,
            client_name: open.client.name,
            redirect_host: open.redirect_uri.host(),
            redirect_origin: open.redirect_uri.origin(),
            scopes,
            held: None,
        }))
    }

    /// Answers with a code for all that was asked.
    async fn let_through(
        &self,
        unit: &mut dyn UnitOfWork,
        open: &OpenRequest,
        occasion: &Occasion,
    ) -> Result<OpenedConsent, ConsentError> {
        let request = &open.request;
        if !unit.authorization_requests().decide(request.id, occasion.at).await? {
            return Err(ConsentError::Gone);
        }
        let code = self.ports.issue_code(unit, occasion, Binding::of(request, request.scopes)).await?;
        let target = open.target(&self.issuer);
        Ok(OpenedConsent::Redirect(AuthorizationResponse::code(target, &code)))
    }

    async fn held(&self, user_id: UserId, client_id: ClientId) -> Result<Option<ScopeSet>, StorageError> {
        let apps = self.ports.apps.list_connected_apps(user_id).await?;
        // A remembered consent alone is listed as well, but nothing is held by it.
        let holder = apps.into_iter().find(|app| app.client_id == client_id && app.grants > 0);
        Ok(holder.map(|app| app.scopes))
    }
}
