//! A transaction of either store, and the repositories that both stores share.

use crate::row::{Stored, values};
use crate::statement::{Change, Read};
use application::ports::storage::{
    AccountRepositories, AppRepositories, AuditRepository, AuthorizationRequestRepository, ClientRepository,
    CodeRepository, ConsentRepository, DraftUserRepository, ErasureRepository, GrantRepository,
    ImportJournal, ImportRepository, IntakeLogRepository, OutboxRepository, PasskeyCeremonyRepository,
    PasskeyRepository, PasswordLinkRepository, PasswordRepository, PendingSignInRepository,
    PersonalTokenRepository, RecordRepositories, SandboxRepository, SecondFactorRepository,
    SessionRepository, SigningKeyRepository, SleepRepository, StorageError, SupplementRepository, UniqueKey,
    UnitOfWork, UploadRepository, UserRepository, WebhookRepository,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::id::UserId;

/// A transaction on a connection of one store.
#[async_trait]
pub trait Transaction: Send {
    /// Runs a statement; returns the number of changed rows.
    async fn execute<Q: Change>(&mut self, query: Q) -> Result<u64, StorageError>;

    /// Loads every row of a query.
    async fn load_rows<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Vec<T>, StorageError>;

    /// Loads the first row of a query; `None` if there is none.
    async fn load_row<T: Send + 'static, Q: Read<T>>(&mut self, query: Q) -> Result<Option<T>, StorageError>;

    /// Deletes the oldest rows of a table (its name, its key and the column of the time) with a time before
    /// an instant, up to a limit.
    async fn delete_oldest(
        &mut self,
        table: (&'static str, &'static str, &'static str),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;

    /// Makes other transactions that lock or change a person's account wait until the end of this one.
    /// Inserts that refer to the account by foreign key still run.
    async fn lock_account(&mut self, user_id: UserId) -> Result<(), StorageError>;

    /// Takes note that a query of this transaction has locked a person's account.
    fn remember_lock(&mut self, user_id: UserId);

    /// Makes other transactions that write to a table wait until the end of this one.
    async fn exclude_writers(&mut self, table: &'static str) -> Result<(), StorageError>;

    /// Commits.
    async fn commit(self) -> Result<(), StorageError>;

    /// Rolls back.
    async fn rollback(self) -> Result<(), StorageError>;
}

/// A store's transaction with every repository: the shared ones, and those of the store.
#[derive(Debug)]
pub struct Unit<R>(pub R);

impl<R: Transaction> Unit<R> {
    /// Runs a statement; returns whether it changed a row.
    pub(crate) async fn changes(&mut self, query: impl Change) -> Result<bool, StorageError> {
        Ok(self.0.execute(query).await? > 0)
    }

    /// Runs an insert with `ON CONFLICT DO NOTHING`; returns a conflict if its key exists. On `PostgreSQL` an
    /// error would abort the transaction, and log the row's values.
    pub(crate) async fn insert_new(
        &mut self,
        insert: impl Change,
        key: UniqueKey,
    ) -> Result<(), StorageError> {
        self.changes(insert).await?.then_some(()).ok_or(StorageError::Conflict(key))
    }

    /// Reads the value of a query's first row; `None` if there is none.
    pub(crate) async fn read<T: Stored>(
        &mut self,
        query: impl Read<T>,
    ) -> Result<Option<T::Value>, StorageError> {
        self.0.load_row(query).await?.map(T::into_value).transpose()
    }

    /// Loads a person's account with a query that locks it; `None` if there is none.
    pub(crate) async fn load_locked<T: Send + 'static>(
        &mut self,
        user_id: UserId,
        query: impl Read<T>,
    ) -> Result<Option<T>, StorageError> {
        let row = self.0.load_row(query).await?;
        if row.is_some() {
            self.0.remember_lock(user_id);
        }
        Ok(row)
    }

    /// Reads the value of every row of a query.
    pub(crate) async fn read_all<T: Stored>(
        &mut self,
        query: impl Read<T>,
    ) -> Result<Vec<T::Value>, StorageError> {
        values(self.0.load_rows(query).await?)
    }
}

#[async_trait]
impl<R: Transaction> UnitOfWork for Unit<R>
where
    Self: AccountRepositories + AppRepositories + RecordRepositories,
{
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.0.commit().await
    }

    async fn rollback(self: Box<Self>) -> Result<(), StorageError> {
        self.0.rollback().await
    }
}

/// Lends the repositories of a store, and the shared ones.
macro_rules! lend {
    ($group:ident {
        store { $($own:ident: $own_port:ident,)* }
        shared { $($shared:ident: $shared_port:ident,)* }
    }) => {
        impl<R: Transaction $(+ $own_port)*> $group for Unit<R>
        where
            Self: $($shared_port +)*,
        {
            $(fn $own(&mut self) -> &mut dyn $own_port {
                &mut self.0
            })*
            $(fn $shared(&mut self) -> &mut dyn $shared_port {
                self
            })*
        }
    };
}

lend!(AccountRepositories {
    store {}
    shared {
        users: UserRepository,
        passwords: PasswordRepository,
        erasures: ErasureRepository,
        passkeys: PasskeyRepository,
        passkey_ceremonies: PasskeyCeremonyRepository,
        pending_sign_ins: PendingSignInRepository,
        second_factors: SecondFactorRepository,
        sandbox: SandboxRepository,
        sessions: SessionRepository,
        password_links: PasswordLinkRepository,
        outbox: OutboxRepository,
        audit: AuditRepository,
    }
});

lend!(AppRepositories {
    store {}
    shared {
        authorization_requests: AuthorizationRequestRepository,
        consents: ConsentRepository,
        personal_tokens: PersonalTokenRepository,
        signing_keys: SigningKeyRepository,
        clients: ClientRepository,
        draft_users: DraftUserRepository,
        codes: CodeRepository,
        grants: GrantRepository,
        webhooks: WebhookRepository,
    }
});

lend!(RecordRepositories {
    store {
        sleep: SleepRepository,
        intake_logs: IntakeLogRepository,
    }
    shared {
        supplements: SupplementRepository,
        imports: ImportRepository,
        import_journal: ImportJournal,
        uploads: UploadRepository,
    }
});
