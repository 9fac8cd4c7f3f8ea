//! Changes a client: name, redirect URIs, scopes, switches.

use super::ClientError;
use super::create_client::check;
use crate::ports::storage::UnitOfWorkFactory;
use crate::ports::system::Clock;
use domain::client::{Client, ClientName, ClientStatus, RedirectUri};
use domain::id::ClientId;
use domain::scope::ScopeSet;
use std::sync::Arc;

/// What is to change; what is missing stays as it is.
#[derive(Debug, Clone, Default)]
pub struct ClientChange {
    /// A new name.
    pub name: Option<ClientName>,
    /// All redirect URIs, in place of those before.
    pub redirect_uris: Option<Vec<RedirectUri>>,
    /// All scopes it may ask for; grants that exist keep theirs.
    pub scopes: Option<ScopeSet>,
    /// Whether it may send its secrets in a query string.
    pub allow_query_secrets: Option<bool>,
    /// Whether it must use PKCE.
    pub require_pkce: Option<bool>,
    /// Whether it is to be enabled or disabled.
    pub enabled: Option<bool>,
}

/// Changes clients.
pub struct ChangeClient {
    units: Arc<dyn UnitOfWorkFactory>,
    clock: Arc<dyn Clock>,
}

impl ChangeClient {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, clock: Arc<dyn Clock>) -> Self {
        Self { units, clock }
    }

    /// Changes a client and returns it as it is now. Disabling it ends its tokens within two seconds.
    pub async fn run(&self, id: ClientId, change: ClientChange) -> Result<Client, ClientError> {
        let mut unit = self.units.begin().await?;
        let client = unit.clients().find(id).await?.ok_or(ClientError::NotFound)?;
        let changed = self.apply(client, change);
        check(&changed)?;
        if !unit.clients().update(&changed).await? {
            return Err(ClientError::NotFound);
        }
        unit.commit().await?;
        Ok(changed)
    }

    fn apply(&self, client: Client, change: ClientChange) -> Client {
        let ClientChange { name, redirect_uris, scopes, allow_query_secrets, require_pkce, enabled } = change;
        let status = match (enabled, client.status) {
            (Some(false), ClientStatus::Active) => ClientStatus::Disabled { at: self.clock.now() },
            (Some(true), _) => ClientStatus::Active,
            (_, status) => status,
        };
        Client {
            id: client.id,
            name: name.unwrap_or(client.name),
            kind: client.kind,
            redirect_uris: redirect_uris.unwrap_or(client.redirect_uris),
            scopes: scopes.unwrap_or(client.scopes),
            allow_query_secrets: allow_query_secrets.unwrap_or(client.allow_query_secrets),
            require_pkce: require_pkce.unwrap_or(client.require_pkce),
            status,
            created_at: client.created_at,
        }
    }
}
