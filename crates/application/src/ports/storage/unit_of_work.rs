//! What must happen together or not at all.

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
    /// Begins a unit of work: a transaction that sees its own writes.
    ///
    /// On a store with one writer it waits for its turn, up to the store's limit, then fails `Retryable`.
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError>;
}

/// A transaction, with the repositories that work inside it.
///
/// Who holds several rows takes them in one order, so that no two wait for each other: first the person
/// ([`UserRepository::find`] holds them until the end), then the request or the link, the client, codes, then
/// grants. Whoever issues or redeems a code, or voids a person's codes, MUST hold the person: a code that another
/// one has inserted and not yet committed is not seen, so nothing but the person's row makes the two take turns.
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
    /// Password hashes.
    fn passwords(&mut self) -> &mut dyn PasswordRepository;
    /// One-time links to choose a password.
    fn password_links(&mut self) -> &mut dyn PasswordLinkRepository;
    /// Signed-in browsers.
    fn sessions(&mut self) -> &mut dyn SessionRepository;
    /// Authorization requests that wait for their person.
    fn authorization_requests(&mut self) -> &mut dyn AuthorizationRequestRepository;
    /// Remembered consents.
    fn consents(&mut self) -> &mut dyn ConsentRepository;
    /// Personal access tokens.
    fn personal_tokens(&mut self) -> &mut dyn PersonalTokenRepository;
    /// The audit trail.
    fn audit(&mut self) -> &mut dyn AuditRepository;
    /// Messages that wait to be sent.
    fn outbox(&mut self) -> &mut dyn OutboxRepository;
    /// Imports.
    fn imports(&mut self) -> &mut dyn ImportRepository;
    /// What each import changed.
    fn import_journal(&mut self) -> &mut dyn ImportJournal;
    /// Parts and leases of uploads.
    fn uploads(&mut self) -> &mut dyn UploadRepository;
    /// Erasures.
    fn erasures(&mut self) -> &mut dyn ErasureRepository;
    /// Stores everything. An error means that nothing was stored, or that it is not known (a lost connection).
    async fn commit(self: Box<Self>) -> Result<(), StorageError>;
    /// Forgets everything.
    async fn rollback(self: Box<Self>) -> Result<(), StorageError>;
}
