//! Registers an app for a developer.

use super::app_details::{AppDetails, AppForm, InvalidAppField, is_reserved};
use super::{DeveloperAppError, check_owner, refuse};
use crate::audit;
use crate::operator::{CreatedClient, new_client_secret};
use crate::ports::storage::{ClientReader, UnitOfWork};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientKind, ClientSecret, ClientStatus, MAX_OWN_CLIENTS, Review, ServerNames};
use domain::id::ClientId;
use domain::session::Session;
use std::net::IpAddr;
use std::sync::Arc;

/// Input of [`RegisterApp`].
#[derive(Debug, Clone, Copy)]
pub struct RegisterAppCommand<'a> {
    /// The developer's session, which must be fresh.
    pub session: &'a Session,
    /// Details of the app.
    pub form: AppForm<'a>,
    /// Whether the app cannot keep a secret.
    pub is_public: bool,
    /// Names that the app must not imitate.
    pub server: ServerNames<'a>,
    /// The caller's IP address.
    pub address: IpAddr,
}

audit::use_case! {
    /// Registers apps of developers.
    RegisterApp { clients: Arc<dyn ClientReader> }
}

impl RegisterApp {
    /// Registers an app as a draft, with a first secret unless it is public. A form that is sent again
    /// registers nothing: the name is taken.
    pub async fn run(&self, command: RegisterAppCommand<'_>) -> Result<CreatedClient, DeveloperAppError> {
        let RegisterAppCommand { session, form, is_public, server, address } = command;
        let (owner, now) = (session.user_id, self.trail.now());
        if !session.is_fresh(now) {
            return Err(DeveloperAppError::NotFresh);
        }
        let is_reserved = is_reserved(form.name, server, owner, self.clients.as_ref()).await?;
        let AppDetails { name, pages, contact, redirect_uris, scopes } =
            AppDetails::read(form, is_reserved).map_err(DeveloperAppError::Invalid)?;
        let client = Client {
            id: ClientId::from_uuid(self.trail.entropy.uuid()),
            name,
            kind: if is_public { ClientKind::PublicApp } else { ClientKind::App },
            redirect_uris,
            pages,
            contact: Some(contact),
            review: Review::Draft { owner },
            scopes,
            allow_query_secrets: false,
            require_pkce: true,
            status: ClientStatus::Active,
            document: None,
            created_at: now,
        };
        let new_secret = || new_client_secret(self.trail.entropy.as_ref(), now);
        let (secret, stored) = (!is_public).then(new_secret).unzip();
        let mut unit = self.units.begin().await?;
        if let Err(error) = insert(&mut *unit, session, &client, stored.as_ref()).await {
            return Err(refuse(unit, error).await);
        }
        let event = self.trail.event(AuditActor::Person, AuditKind::AppRegistered);
        let event = event.user(owner).client(client.id).from(address);
        audit::commit(unit, &[event]).await?;
        Ok(CreatedClient { client, secret })
    }
}

async fn insert(
    unit: &mut dyn UnitOfWork,
    session: &Session,
    client: &Client,
    secret: Option<&ClientSecret>,
) -> Result<(), DeveloperAppError> {
    check_owner(unit, session).await?;
    let names = unit.clients().list_own_names(session.user_id).await?;
    if names.iter().any(|name| name == client.name.as_str()) {
        return Err(DeveloperAppError::Invalid(vec![InvalidAppField::NameTaken]));
    }
    if names.len() >= MAX_OWN_CLIENTS {
        return Err(DeveloperAppError::TooManyApps);
    }
    unit.clients().insert(client).await?;
    if let Some(secret) = secret {
        unit.clients().insert_secret(client.id, secret).await?;
    }
    Ok(())
}
