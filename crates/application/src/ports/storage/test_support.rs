//! A mock unit of work for tests of use cases.

use super::unit_of_work::with_repositories;
use super::{
    AccountRepositories, AppRepositories, AuditRepository, AuthorizationRequestRepository, ClientRepository,
    CodeRepository, ConsentRepository, DraftUserRepository, ErasureRepository, GrantRepository,
    ImportJournal, ImportRepository, IntakeLogRepository, MockAuthorizationRequestRepository,
    MockClientRepository, MockCodeRepository, MockConsentRepository, MockDraftUserRepository,
    MockErasureRepository, MockGrantRepository, MockImportRepository, MockIntakeLogRepository,
    MockOutboxRepository, MockPasswordLinkRepository, MockPasswordRepository, MockPersonalTokenRepository,
    MockSandboxRepository, MockSecondFactorRepository, MockSessionRepository, MockSigningKeyRepository,
    MockSleepRepository, MockUploadRepository, MockUserRepository, MockWebhookRepository, OutboxRepository,
    PasskeyCeremonyRepository, PasskeyRepository, PasswordLinkRepository, PasswordRepository,
    PendingSignInRepository, PersonalTokenRepository, RecordRepositories, SandboxRepository,
    SecondFactorRepository, SessionRepository, SigningKeyRepository, SleepRepository, StorageError,
    SupplementRepository, UnitOfWork, UnitOfWorkFactory, UploadRepository, UserRepository, WebhookRepository,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::AuditEvent;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How the units of work of one test ended.
#[derive(Debug, Default)]
pub struct Endings {
    opened: AtomicUsize,
    committed: AtomicUsize,
    rolled_back: AtomicUsize,
}

impl Endings {
    /// Returns how many were requested, including failed requests.
    pub fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    /// Returns how many were committed.
    pub fn committed(&self) -> usize {
        self.committed.load(Ordering::SeqCst)
    }

    /// Returns how many were explicitly rolled back.
    pub fn rolled_back(&self) -> usize {
        self.rolled_back.load(Ordering::SeqCst)
    }
}

/// Events appended by the units of work of a test, in order, committed or not.
#[derive(Debug, Clone, Default)]
pub struct RecordedEvents(Arc<Mutex<Vec<AuditEvent>>>);

impl RecordedEvents {
    /// Returns all events.
    pub fn all(&self) -> Vec<AuditEvent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Removes all events, as a rollback does.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Records an event that is stored as part of another call.
    pub fn record(&self, event: &AuditEvent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
    }
}

#[async_trait]
impl AuditRepository for RecordedEvents {
    async fn append(&mut self, event: &AuditEvent) -> Result<(), StorageError> {
        self.record(event);
        Ok(())
    }

    async fn append_once(&mut self, event: &AuditEvent, since: DateTime<Utc>) -> Result<(), StorageError> {
        let about =
            |event: &AuditEvent| (event.kind, event.actor, event.user_id, event.client_id, event.subject);
        if !self.all().iter().any(|known| known.at >= since && about(known) == about(event)) {
            self.record(event);
        }
        Ok(())
    }

    async fn delete_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut deleted = 0;
        events.retain(|event| {
            let goes = event.at < before && deleted < u64::from(limit);
            deleted += u64::from(goes);
            !goes
        });
        Ok(deleted)
    }
}

macro_rules! mocked {
    ($unit:ident.$name:ident $mock:ident) => {
        &mut $unit.$name
    };
    ($unit:ident.$name:ident) => {
        unimplemented!("no test expects a call of {}", stringify!($name))
    };
}

macro_rules! mock {
    ($(
        $(#[$about:meta])*
        $group:ident { $($(#[$repository_about:meta])* $name:ident: $repository:ident $(= $mock:ident)?,)+ }
    )+) => {
        /// A unit of work with mock repositories, except for the audit trail, which records every event.
        #[derive(Default)]
        #[expect(missing_docs, reason = "each field is named after the repository that it mocks")]
        pub struct MockUnitOfWork {
            $($($(pub $name: $mock,)?)+)+
            /// Error of the commit; `None` if it succeeds.
            pub commit_error: Option<StorageError>,
            /// Error of the rollback; `None` if it succeeds.
            pub rollback_error: Option<StorageError>,
            endings: Arc<Endings>,
        }

        $(impl $group for MockUnitOfWork {
            $(fn $name(&mut self) -> &mut dyn $repository {
                mocked!(self.$name $($mock)?)
            })+
        })+
    };
}
with_repositories!(mock);

#[async_trait]
impl UnitOfWork for MockUnitOfWork {
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        if let Some(error) = self.commit_error {
            return Err(error);
        }
        self.endings.committed.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
    async fn rollback(self: Box<Self>) -> Result<(), StorageError> {
        if let Some(error) = self.rollback_error {
            return Err(error);
        }
        self.endings.rolled_back.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

/// Returns prepared units of work in order; fails with `Unavailable` when none is left.
#[derive(Default)]
pub struct PreparedUnitsOfWork {
    prepared: Mutex<Vec<MockUnitOfWork>>,
    endings: Arc<Endings>,
    events: RecordedEvents,
}

impl PreparedUnitsOfWork {
    /// Prepares units of work, in the order of their use.
    pub fn new(units: impl IntoIterator<Item = MockUnitOfWork>) -> Self {
        let (endings, events) = (Arc::new(Endings::default()), RecordedEvents::default());
        let mut prepared: Vec<_> = units
            .into_iter()
            .map(|unit| MockUnitOfWork { endings: Arc::clone(&endings), audit: events.clone(), ..unit })
            .collect();
        prepared.reverse();
        Self { prepared: Mutex::new(prepared), endings, events }
    }

    /// Returns the appended events, in order, committed or not.
    pub fn events(&self) -> RecordedEvents {
        self.events.clone()
    }

    /// Returns how the units of work ended.
    pub fn endings(&self) -> Arc<Endings> {
        Arc::clone(&self.endings)
    }
}

#[async_trait]
impl UnitOfWorkFactory for PreparedUnitsOfWork {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        self.endings.opened.fetch_add(1, Ordering::SeqCst);
        let unit = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).pop();
        unit.map(|unit| Box::new(unit) as Box<dyn UnitOfWork>).ok_or(StorageError::Unavailable)
    }
}
