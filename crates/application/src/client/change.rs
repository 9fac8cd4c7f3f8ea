//! Changes, approves and deletes clients.

use super::app_details::{AppDetails, is_reserved};
use super::registration::check;
use super::{AppDeveloper, AppError, AppForm, ClientError, Clients, lock_app};
use crate::store::transact;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{Client, ClientName, ClientPages, ClientStatus, RedirectUri, ServerNames, WebPage};
use domain::id::ClientId;
use domain::scope::ScopeSet;
use domain::webhook::WebhookEndpoint;

/// Changes to a client; `None` keeps a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientChange {
    /// New name.
    pub name: Option<ClientName>,
    /// New redirect URIs, replacing all existing ones.
    pub redirect_uris: Option<Vec<RedirectUri>>,
    /// New home page.
    pub home_page: Option<WebPage>,
    /// New privacy policy.
    pub privacy_policy: Option<WebPage>,
    /// New scopes; existing grants keep theirs.
    pub scopes: Option<ScopeSet>,
    /// Whether it may send secrets in the query string.
    pub allow_query_secrets: Option<bool>,
    /// Whether it must use PKCE.
    pub require_pkce: Option<bool>,
    /// Whether it is enabled.
    pub enabled: Option<bool>,
}

/// Effect of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedApp {
    /// The review state is unchanged.
    SameReview,
    /// The app was approved, and is a draft again.
    NeedsReview,
}

impl Clients {
    /// Changes a client and returns it. Disabling it invalidates its tokens within two seconds.
    pub async fn change(&self, id: ClientId, change: ClientChange) -> Result<Client, ClientError> {
        transact!(self.store, |tx| {
            let client = tx.clients().find(id).await?.ok_or(ClientError::NotFound)?;
            let changed = self.apply(client.clone(), change);
            check(&changed)?;
            if client.document.is_some() && is_changed(&client, &changed) {
                return Err(ClientError::FromDocument);
            }
            if !tx.clients().update(&changed).await? {
                return Err(ClientError::NotFound);
            }
            for event in self.events(&client, &changed) {
                tx.record(event).await?;
            }
            Ok(changed)
        })
        .await
    }

    /// Approves a client, so that everyone can use it, and its webhook endpoints, whose receivers may then be
    /// on a private network; returns the client. Does nothing if both are approved, and fails if the client
    /// has another `revision` than the reviewed one.
    pub async fn approve(&self, id: ClientId, revision: &str) -> Result<Client, ClientError> {
        transact!(self.store, |tx| {
            let client = tx.clients().find(id).await?.ok_or(ClientError::NotFound)?;
            let endpoints = tx.webhooks().list(id).await?;
            if revision != client.revision(&endpoints) {
                return Err(ClientError::ChangedSinceReview);
            }
            if !client.review.is_draft() && endpoints.iter().all(|endpoint| endpoint.is_reviewed) {
                return Ok(client);
            }
            for endpoint in endpoints.into_iter().filter(|endpoint| !endpoint.is_reviewed) {
                tx.webhooks().update(&WebhookEndpoint { is_reviewed: true, ..endpoint }).await?;
            }
            let approved = Client { review: client.review.approved(), ..client };
            tx.clients().update(&approved).await?;
            // If the app becomes a draft again, the list starts empty.
            tx.draft_users().clear(id).await?;
            tx.record(self.store.event(AuditActor::Operator, AuditKind::AppApproved).client(id)).await?;
            Ok(approved)
        })
        .await
    }

    /// Replaces the details of an app; the sign-in must be fresh. `server` are the names that it must not
    /// imitate. An approved app may become a draft again; its grants stay.
    pub async fn change_app(
        &self,
        developer: AppDeveloper<'_>,
        form: AppForm<'_>,
        server: ServerNames<'_>,
    ) -> Result<ChangedApp, AppError> {
        self.check_fresh(developer.person)?;
        let owner = developer.person.user_id;
        let is_reserved = is_reserved(form.name, server, owner, self.reader.as_ref()).await?;
        transact!(self.store, |tx| {
            let before = lock_app(tx, developer).await?;
            // The operator can give an app any name.
            let is_reserved = is_reserved && form.name != before.name.as_str();
            let details = AppDetails::read(form, is_reserved).map_err(AppError::Invalid)?;
            let after = details.applied_to(&before);
            if before != after {
                if !tx.clients().update(&after).await? {
                    return Err(AppError::NotFound);
                }
                tx.record(developer.event(&self.store, AuditKind::AppChanged)).await?;
            }
            let needs_review = after.review.is_draft() && !before.review.is_draft();
            Ok(if needs_review { ChangedApp::NeedsReview } else { ChangedApp::SameReview })
        })
        .await
    }

    /// Deletes an app with its secrets and grants; the sign-in must be fresh. Its tokens are rejected within
    /// two seconds. A disabled app cannot be deleted, because its owner could register it again.
    pub async fn delete_app(&self, developer: AppDeveloper<'_>) -> Result<(), AppError> {
        self.check_fresh(developer.person)?;
        transact!(self.store, |tx| {
            if !lock_app(tx, developer).await?.status.is_active() {
                return Err(AppError::Disabled);
            }
            if !tx.clients().delete(developer.app).await? {
                return Err(AppError::NotFound);
            }
            Ok(tx.record(developer.event(&self.store, AuditKind::AppDeleted)).await?)
        })
        .await
    }

    fn apply(&self, client: Client, change: ClientChange) -> Client {
        let ClientChange {
            name,
            redirect_uris,
            home_page,
            privacy_policy,
            scopes,
            allow_query_secrets,
            require_pkce,
            enabled,
        } = change;
        let status = match (enabled, client.status) {
            (Some(false), ClientStatus::Active) => ClientStatus::Disabled { at: self.store.now() },
            (Some(true), _) => ClientStatus::Active,
            (_, status) => status,
        };
        Client {
            name: name.unwrap_or(client.name),
            redirect_uris: redirect_uris.unwrap_or(client.redirect_uris),
            pages: ClientPages {
                home: home_page.or(client.pages.home),
                privacy_policy: privacy_policy.or(client.pages.privacy_policy),
            },
            scopes: scopes.unwrap_or(client.scopes),
            allow_query_secrets: allow_query_secrets.unwrap_or(client.allow_query_secrets),
            require_pkce: require_pkce.unwrap_or(client.require_pkce),
            status,
            ..client
        }
    }

    /// Returns the events of a change: one for enabling or disabling, one for everything else.
    fn events(&self, before: &Client, after: &Client) -> Vec<AuditEvent> {
        let switch = match (before.status.is_active(), after.status.is_active()) {
            (true, false) => Some(AuditKind::ClientDisabled),
            (false, true) => Some(AuditKind::ClientEnabled),
            (true, true) | (false, false) => None,
        };
        let kinds = is_changed(before, after).then_some(AuditKind::ClientChanged).into_iter().chain(switch);
        kinds.map(|kind| self.store.event(AuditActor::Operator, kind).client(before.id)).collect()
    }
}

/// Returns whether anything but the status differs.
fn is_changed(before: &Client, after: &Client) -> bool {
    Client { status: before.status, ..after.clone() } != *before
}
