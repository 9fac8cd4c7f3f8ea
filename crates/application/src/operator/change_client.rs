//! Changes a client: name, redirect URIs, scopes and flags.

use super::ClientError;
use super::create_client::check;
use crate::audit;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{Client, ClientName, ClientPages, ClientStatus, RedirectUri, WebPage};
use domain::id::ClientId;
use domain::scope::ScopeSet;

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

crate::audit::use_case! {
    /// Changes clients.
    ChangeClient
}

impl ChangeClient {
    /// Changes a client and returns it. Disabling it invalidates its tokens within two seconds.
    pub async fn run(&self, id: ClientId, change: ClientChange) -> Result<Client, ClientError> {
        let mut unit = self.units.begin().await?;
        let client = unit.clients().find(id).await?.ok_or(ClientError::NotFound)?;
        let changed = self.apply(client.clone(), change);
        check(&changed)?;
        if client.document.is_some() && is_changed(&client, &changed) {
            return Err(ClientError::FromDocument);
        }
        if !unit.clients().update(&changed).await? {
            return Err(ClientError::NotFound);
        }
        audit::commit(unit, &self.events(&client, &changed)).await?;
        Ok(changed)
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
            (Some(false), ClientStatus::Active) => ClientStatus::Disabled { at: self.trail.now() },
            (Some(true), _) => ClientStatus::Active,
            (_, status) => status,
        };
        Client {
            id: client.id,
            name: name.unwrap_or(client.name),
            kind: client.kind,
            redirect_uris: redirect_uris.unwrap_or(client.redirect_uris),
            pages: ClientPages {
                home: home_page.or(client.pages.home),
                privacy_policy: privacy_policy.or(client.pages.privacy_policy),
            },
            contact: client.contact,
            review: client.review,
            scopes: scopes.unwrap_or(client.scopes),
            allow_query_secrets: allow_query_secrets.unwrap_or(client.allow_query_secrets),
            require_pkce: require_pkce.unwrap_or(client.require_pkce),
            status,
            document: client.document,
            created_at: client.created_at,
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
        kinds.map(|kind| self.trail.event(AuditActor::Operator, kind).client(before.id)).collect()
    }
}

/// Returns whether anything but the status differs.
fn is_changed(before: &Client, after: &Client) -> bool {
    Client { status: before.status, ..after.clone() } != *before
}
