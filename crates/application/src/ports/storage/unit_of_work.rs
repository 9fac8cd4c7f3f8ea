//! What must happen together or not at all.

use super::{
    ClientRepository, CodeRepository, GrantRepository, IntakeLogRepository, SigningKeyRepository,
    SleepRepository, StorageError, SupplementRepository, UserRepository,
};
use async_trait::async_trait;

/// Opens units of work.
#[async_trait]
pub trait UnitOfWorkFactory: Send + Sync {
    /// Begins a unit of work: a transaction that sees its own writes.
    ///
    /// On a store with one writer it waits for its turn, up to the store's limit, then fails `Retryable`.
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError>;
}

/// A transaction, with the repositories that work inside it.
///
/// Dropped without [`commit`](Self::commit), it MUST leave nothing stored and no open transaction behind.
/// After a [`StorageError::Conflict`] it MUST stay usable.
#[async_trait]
pub trait UnitOfWork: Send {
    /// People.
    fn users(&mut self) -> &mut dyn UserRepository;
    /// Clients and their secrets.
    fn clients(&mut self) -> &mut dyn ClientRepository;
    /// Authorization codes.
    fn codes(&mut self) -> &mut dyn CodeRepository;
    /// Grants and their refresh tokens.
    fn grants(&mut self) -> &mut dyn GrantRepository;
    /// Sleep sessions.
    fn sleep(&mut self) -> &mut dyn SleepRepository;
    /// The catalogue of supplements.
    fn supplements(&mut self) -> &mut dyn SupplementRepository;
    /// Intake logs.
    fn intake_logs(&mut self) -> &mut dyn IntakeLogRepository;
    /// Signing keys.
    fn signing_keys(&mut self) -> &mut dyn SigningKeyRepository;
    /// Stores everything. An error means that nothing was stored, or that it is not known (a lost connection).
    async fn commit(self: Box<Self>) -> Result<(), StorageError>;
    /// Forgets everything.
    async fn rollback(self: Box<Self>) -> Result<(), StorageError>;
}
