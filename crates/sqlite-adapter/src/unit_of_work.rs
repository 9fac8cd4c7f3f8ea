//! A transaction with the repositories that work in it; each of them is in the file of its aggregate.

use crate::writer::Transaction;
use application::ports::storage::{
    AuditRepository, AuthorizationRequestRepository, ClientRepository, CodeRepository, ConsentRepository,
    ErasureRepository, GrantRepository, ImportRepository, IntakeLogRepository, OutboxRepository,
    PasswordLinkRepository, PasswordRepository, PersonalTokenRepository, SessionRepository,
    SigningKeyRepository, SleepRepository, StorageError, SupplementRepository, UnitOfWork, UserRepository,
};
use async_trait::async_trait;
use diesel::sqlite::SqliteConnection;

/// A transaction on the one connection that writes; while it lives, every other one waits.
pub(crate) struct SqliteUnitOfWork {
    transaction: Transaction,
}

impl SqliteUnitOfWork {
    /// Works in this transaction.
    pub(crate) const fn new(transaction: Transaction) -> Self {
        Self { transaction }
    }

    /// Runs a closure in the transaction.
    pub(crate) async fn run<T: Send + 'static>(
        &mut self,
        task: impl FnOnce(&mut SqliteConnection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        self.transaction.run(task).await
    }
}

#[async_trait]
impl UnitOfWork for SqliteUnitOfWork {
    fn users(&mut self) -> &mut dyn UserRepository {
        self
    }
    fn clients(&mut self) -> &mut dyn ClientRepository {
        self
    }
    fn codes(&mut self) -> &mut dyn CodeRepository {
        self
    }
    fn grants(&mut self) -> &mut dyn GrantRepository {
        self
    }
    fn sleep(&mut self) -> &mut dyn SleepRepository {
        self
    }
    fn supplements(&mut self) -> &mut dyn SupplementRepository {
        self
    }
    fn intake_logs(&mut self) -> &mut dyn IntakeLogRepository {
        self
    }
    fn signing_keys(&mut self) -> &mut dyn SigningKeyRepository {
        self
    }
    fn passwords(&mut self) -> &mut dyn PasswordRepository {
        self
    }
    fn password_links(&mut self) -> &mut dyn PasswordLinkRepository {
        self
    }
    fn sessions(&mut self) -> &mut dyn SessionRepository {
        self
    }
    fn authorization_requests(&mut self) -> &mut dyn AuthorizationRequestRepository {
        self
    }
    fn consents(&mut self) -> &mut dyn ConsentRepository {
        self
    }
    fn personal_tokens(&mut self) -> &mut dyn PersonalTokenRepository {
        self
    }
    fn audit(&mut self) -> &mut dyn AuditRepository {
        self
    }
    fn outbox(&mut self) -> &mut dyn OutboxRepository {
        self
    }
    fn imports(&mut self) -> &mut dyn ImportRepository {
        self
    }
    fn erasures(&mut self) -> &mut dyn ErasureRepository {
        self
    }
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.transaction.commit().await
    }
    async fn rollback(self: Box<Self>) -> Result<(), StorageError> {
        self.transaction.roll_back().await
    }
}
