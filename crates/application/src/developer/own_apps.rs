//! Shows a developer's apps.

use crate::ports::storage::{ClientReader, ClientWithSecrets, GrantReader, StorageError};
use crate::ports::system::Clock;
use domain::client::{Client, ClientSecret};
use domain::id::{ClientId, UserId};
use std::sync::Arc;

/// Largest number of live grants that is counted.
pub const MAX_COUNTED_GRANTS: u32 = 10_000;

/// An app, as its developer sees it. Contains nothing about the people who use it but their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnApp {
    /// The app.
    pub client: Client,
    /// Its live secrets, oldest first.
    pub secrets: Vec<ClientSecret>,
    /// Number of live grants, at most [`MAX_COUNTED_GRANTS`].
    pub live_grants: u32,
    /// Number of people besides the owner who were admitted to a draft.
    pub draft_users: u32,
}

/// Shows the apps of developers.
pub struct OwnApps {
    clients: Arc<dyn ClientReader>,
    grants: Arc<dyn GrantReader>,
    clock: Arc<dyn Clock>,
}

impl OwnApps {
    /// Creates the use case.
    pub fn new(clients: Arc<dyn ClientReader>, grants: Arc<dyn GrantReader>, clock: Arc<dyn Clock>) -> Self {
        Self { clients, grants, clock }
    }

    /// Lists the apps of a developer, oldest first.
    pub async fn list(&self, owner: UserId) -> Result<Vec<Client>, StorageError> {
        self.clients.list_own_clients(owner).await
    }

    /// Returns an app of this developer; `None` if there is none.
    pub async fn find(&self, owner: UserId, id: ClientId) -> Result<Option<OwnApp>, StorageError> {
        let found = read_own(self.clients.as_ref(), owner, id).await?;
        let Some(ClientWithSecrets { client, mut secrets }) = found else { return Ok(None) };
        let now = self.clock.now();
        secrets.retain(|secret| secret.is_live(now));
        let live_grants = self.grants.count_live_grants(id, MAX_COUNTED_GRANTS).await?;
        let draft_users =
            if client.review.is_draft() { self.clients.count_draft_users(id).await? } else { 0 };
        Ok(Some(OwnApp { client, secrets, live_grants, draft_users }))
    }
}

/// Returns an app of this developer outside a transaction; `None` if there is none.
pub(super) async fn read_own(
    clients: &dyn ClientReader,
    owner: UserId,
    id: ClientId,
) -> Result<Option<ClientWithSecrets>, StorageError> {
    let found = clients.find_with_secrets(id).await?;
    Ok(found.filter(|found| found.client.review.owner() == Some(owner)))
}
