//! Transactions.

use super::{
    AuditRepository, AuthorizationRequestRepository, ClientRepository, CodeRepository, ConsentRepository,
    DraftUserRepository, ErasureRepository, GrantRepository, ImportJournal, ImportRepository,
    IntakeLogRepository, OutboxRepository, PasskeyCeremonyRepository, PasskeyRepository,
    PasswordLinkRepository, PasswordRepository, PendingSignInRepository, PersonalTokenRepository,
    SandboxRepository, SecondFactorRepository, SessionRepository, SigningKeyRepository, SleepRepository,
    StorageError, SupplementRepository, UploadRepository, UserRepository, WebhookRepository,
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

/// Calls a macro with the groups of repositories: each accessor with its port and, if tests expect calls of
/// it, the port's mock.
macro_rules! with_repositories {
    ($callback:ident) => {
        $callback! {
            /// Repositories of people's accounts and of the audit trail.
            AccountRepositories {
                /// Users.
                users: UserRepository = MockUserRepository,
                /// Password hashes.
                passwords: PasswordRepository = MockPasswordRepository,
                /// One-time password links.
                password_links: PasswordLinkRepository = MockPasswordLinkRepository,
                /// Sign-ins that wait for their second step.
                pending_sign_ins: PendingSignInRepository,
                /// Authenticator apps and recovery codes.
                second_factors: SecondFactorRepository = MockSecondFactorRepository,
                /// Browser sessions.
                sessions: SessionRepository = MockSessionRepository,
                /// Passkeys.
                passkeys: PasskeyRepository,
                /// Pending passkey ceremonies.
                passkey_ceremonies: PasskeyCeremonyRepository,
                /// Outbox of messages to send.
                outbox: OutboxRepository = MockOutboxRepository,
                /// Sandbox people.
                sandbox: SandboxRepository = MockSandboxRepository,
                /// Erasures.
                erasures: ErasureRepository = MockErasureRepository,
                /// The audit trail.
                audit: AuditRepository = RecordedEvents,
            }
            /// Repositories of apps, of the access that people gave them, and of the keys of their tokens.
            AppRepositories {
                /// Clients and their secrets.
                clients: ClientRepository = MockClientRepository,
                /// Users of clients that the operator has not approved.
                draft_users: DraftUserRepository = MockDraftUserRepository,
                /// Pending authorization requests.
                authorization_requests: AuthorizationRequestRepository = MockAuthorizationRequestRepository,
                /// Remembered consents.
                consents: ConsentRepository = MockConsentRepository,
                /// Authorization codes.
                codes: CodeRepository = MockCodeRepository,
                /// Grants and their refresh tokens.
                grants: GrantRepository = MockGrantRepository,
                /// Personal access tokens.
                personal_tokens: PersonalTokenRepository = MockPersonalTokenRepository,
                /// Signing keys.
                signing_keys: SigningKeyRepository = MockSigningKeyRepository,
                /// Webhook endpoints and their events.
                webhooks: WebhookRepository = MockWebhookRepository,
            }
            /// Repositories of people's records and of the imports that store them.
            RecordRepositories {
                /// Sleep sessions.
                sleep: SleepRepository = MockSleepRepository,
                /// The catalogue of supplements.
                supplements: SupplementRepository,
                /// Intake logs.
                intake_logs: IntakeLogRepository = MockIntakeLogRepository,
                /// Imports.
                imports: ImportRepository = MockImportRepository,
                /// Journal of import changes.
                import_journal: ImportJournal,
                /// Parts and leases of uploads.
                uploads: UploadRepository = MockUploadRepository,
            }
        }
    };
}
#[cfg(feature = "test-support")]
pub(super) use with_repositories;

macro_rules! declare {
    ($(
        $(#[$about:meta])*
        $group:ident { $($(#[$repository_about:meta])* $name:ident: $repository:ident $(= $mock:ident)?,)+ }
    )+) => {
        $(
            $(#[$about])*
            pub trait $group {
                $($(#[$repository_about])* fn $name(&mut self) -> &mut dyn $repository;)+
            }
        )+
    };
}
with_repositories!(declare);

/// A transaction and its repositories.
///
/// Lock rows in this order to avoid deadlocks: the user ([`UserRepository::find`] locks it until the end),
/// the request or link, the client, codes, grants, the webhook endpoint, its events. The second update of a
/// row in one unit of work, and each insert, also locks the user whose row it is. Issuing or redeeming a
/// code, or discarding a user's codes, MUST lock the user: a concurrent uncommitted code is not visible, so
/// only the user's row serializes them.
///
/// If dropped without [`commit`](Self::commit), it MUST leave nothing stored and no open transaction, and
/// MUST NOT close its connection unless a statement was running or the connection failed. After a
/// [`StorageError::Conflict`] it MUST stay usable.
#[async_trait]
pub trait UnitOfWork: AccountRepositories + AppRepositories + RecordRepositories + Send {
    /// Commits. After an error nothing was stored, or the outcome is unknown (a lost connection).
    async fn commit(self: Box<Self>) -> Result<(), StorageError>;
    /// Rolls back.
    async fn rollback(self: Box<Self>) -> Result<(), StorageError>;
}
