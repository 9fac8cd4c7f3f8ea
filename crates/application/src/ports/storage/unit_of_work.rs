//! Transactions.

use super::{
    AuditRepository, AuthorizationRequestRepository, ClientRepository, CodeRepository, ConsentRepository,
    ErasureRepository, GrantRepository, ImportJournal, ImportRepository, IntakeLogRepository,
    OutboxRepository, PasswordLinkRepository, PasswordRepository, PersonalTokenRepository, SessionRepository,
    SigningKeyRepository, SleepRepository, StorageError, SupplementRepository, UploadRepository,
    UserRepository,
};
use async_trait::async_trait;

/// Opens units of work.
#[async_trait]
pub trait UnitOfWorkFactory: Send + Sync {
    /// Begins a transaction that sees its own writes.
    ///
    /// A store with a single writer waits for its turn up to the store's limit, then fails with `Retryable`.
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError>;
}

/// Repositories of people's accounts and of the audit trail.
pub trait AccountRepositories {
    /// Users.
    fn users(&mut self) -> &mut dyn UserRepository;
    /// Password hashes.
    fn passwords(&mut self) -> &mut dyn PasswordRepository;
    /// One-time password links.
    fn password_links(&mut self) -> &mut dyn PasswordLinkRepository;
    /// Browser sessions.
    fn sessions(&mut self) -> &mut dyn SessionRepository;
    /// Outbox of messages to send.
    fn outbox(&mut self) -> &mut dyn OutboxRepository;
    /// Erasures.
    fn erasures(&mut self) -> &mut dyn ErasureRepository;
    /// The audit trail.
    fn audit(&mut self) -> &mut dyn AuditRepository;
}

/// Repositories of apps, of the access that people gave them, and of the keys that sign their tokens.
pub trait AppRepositories {
    /// Clients and their secrets.
    fn clients(&mut self) -> &mut dyn ClientRepository;
    /// Pending authorization requests.
    fn authorization_requests(&mut self) -> &mut dyn AuthorizationRequestRepository;
    /// Remembered consents.
    fn consents(&mut self) -> &mut dyn ConsentRepository;
    /// Authorization codes.
    fn codes(&mut self) -> &mut dyn CodeRepository;
    /// Grants and their refresh tokens.
    fn grants(&mut self) -> &mut dyn GrantRepository;
    /// Personal access tokens.
    fn personal_tokens(&mut self) -> &mut dyn PersonalTokenRepository;
    /// Signing keys.
    fn signing_keys(&mut self) -> &mut dyn SigningKeyRepository;
}

/// Repositories of people's records and of the imports that store them.
pub trait RecordRepositories {
    /// Sleep sessions.
    fn sleep(&mut self) -> &mut dyn SleepRepository;
    /// The catalogue of supplements.
    fn supplements(&mut self) -> &mut dyn SupplementRepository;
    /// Intake logs.
    fn intake_logs(&mut self) -> &mut dyn IntakeLogRepository;
    /// Imports.
    fn imports(&mut self) -> &mut dyn ImportRepository;
    /// Journal of import changes.
    fn import_journal(&mut self) -> &mut dyn ImportJournal;
    /// Parts and leases of uploads.
    fn uploads(&mut self) -> &mut dyn UploadRepository;
}

/// A transaction and its repositories.
///
/// Lock rows in this order to avoid deadlocks: the user ([`UserRepository::find`] locks it until the end),
/// the request or link, the client, codes, grants. Issuing or redeeming a code, or discarding a user's codes,
/// MUST lock the user: a concurrent uncommitted code is not visible, so only the user's row serializes them.
///
/// If dropped without [`commit`](Self::commit), it MUST leave nothing stored and no open transaction. After a
/// [`StorageError::Conflict`] it MUST stay usable.
#[async_trait]
pub trait UnitOfWork: AccountRepositories + AppRepositories + RecordRepositories + Send {
    /// Commits. After an error nothing was stored, or the outcome is unknown (a lost connection).
    async fn commit(self: Box<Self>) -> Result<(), StorageError>;
    /// Rolls back.
    async fn rollback(self: Box<Self>) -> Result<(), StorageError>;
}

/// Transaction that is itself every repository, as those of the stores are.
pub trait OwnRepositories:
    UserRepository
    + PasswordRepository
    + PasswordLinkRepository
    + SessionRepository
    + OutboxRepository
    + ErasureRepository
    + AuditRepository
    + ClientRepository
    + AuthorizationRequestRepository
    + ConsentRepository
    + CodeRepository
    + GrantRepository
    + PersonalTokenRepository
    + SigningKeyRepository
    + SleepRepository
    + SupplementRepository
    + IntakeLogRepository
    + ImportRepository
    + ImportJournal
    + UploadRepository
{
}

impl<T: OwnRepositories> AccountRepositories for T {
    fn users(&mut self) -> &mut dyn UserRepository {
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
    fn outbox(&mut self) -> &mut dyn OutboxRepository {
        self
    }
    fn erasures(&mut self) -> &mut dyn ErasureRepository {
        self
    }
    fn audit(&mut self) -> &mut dyn AuditRepository {
        self
    }
}

impl<T: OwnRepositories> AppRepositories for T {
    fn clients(&mut self) -> &mut dyn ClientRepository {
        self
    }
    fn authorization_requests(&mut self) -> &mut dyn AuthorizationRequestRepository {
        self
    }
    fn consents(&mut self) -> &mut dyn ConsentRepository {
        self
    }
    fn codes(&mut self) -> &mut dyn CodeRepository {
        self
    }
    fn grants(&mut self) -> &mut dyn GrantRepository {
        self
    }
    fn personal_tokens(&mut self) -> &mut dyn PersonalTokenRepository {
        self
    }
    fn signing_keys(&mut self) -> &mut dyn SigningKeyRepository {
        self
    }
}

impl<T: OwnRepositories> RecordRepositories for T {
    fn sleep(&mut self) -> &mut dyn SleepRepository {
        self
    }
    fn supplements(&mut self) -> &mut dyn SupplementRepository {
        self
    }
    fn intake_logs(&mut self) -> &mut dyn IntakeLogRepository {
        self
    }
    fn imports(&mut self) -> &mut dyn ImportRepository {
        self
    }
    fn import_journal(&mut self) -> &mut dyn ImportJournal {
        self
    }
    fn uploads(&mut self) -> &mut dyn UploadRepository {
        self
    }
}
