//! A store without people, apps or data.

use application::StorageError;
use application::export::{ExportFormat, ExportWriter, ExportWriters};
use application::ports::storage::test_support::MockUnitOfWork;
use application::ports::storage::{ClientReader, ClientWithSecrets, UnitOfWork, UnitOfWorkFactory};
use application::ports::system::{Clock, Entropy};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::client::Client;
use domain::id::{ClientId, UserId};
use domain::secret::SecretBytes;
use http_adapter::NdjsonExport;
use uuid::Uuid;

/// Current time in every test.
pub(crate) const NOW: DateTime<Utc> = DateTime::from_timestamp(1_780_000_000, 0).unwrap();

/// The store, and a source of constant times, secrets and ids.
pub(crate) struct EmptyStore;

impl Clock for EmptyStore {
    fn now(&self) -> DateTime<Utc> {
        NOW
    }
}

impl Entropy for EmptyStore {
    fn secret_bytes(&self) -> SecretBytes {
        SecretBytes::new([100; 32])
    }
    fn uuid(&self) -> Uuid {
        Uuid::from_u128(100)
    }
}

#[async_trait]
impl ClientReader for EmptyStore {
    async fn find_with_secrets(&self, _: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        Ok(None)
    }

    async fn list_clients(&self, _: Option<ClientId>, _: u32) -> Result<Vec<Client>, StorageError> {
        Ok(Vec::new())
    }

    async fn list_own_clients(&self, _: UserId) -> Result<Vec<Client>, StorageError> {
        Ok(Vec::new())
    }

    async fn count_draft_users(&self, _: ClientId) -> Result<u32, StorageError> {
        Ok(0)
    }
}

#[async_trait]
impl UnitOfWorkFactory for EmptyStore {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        Ok(Box::new(MockUnitOfWork::default()))
    }
}

impl ExportWriters for EmptyStore {
    fn open(&self, _: ExportFormat, user_id: UserId) -> Box<dyn ExportWriter> {
        Box::new(NdjsonExport::new(user_id))
    }
}
