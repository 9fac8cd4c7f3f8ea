//! A unit of work made of mocks, for tests of use cases.

use super::{
    ClientRepository, CodeRepository, GrantRepository, IntakeLogRepository, MockClientRepository,
    MockCodeRepository, MockGrantRepository, MockIntakeLogRepository, MockSigningKeyRepository,
    MockSleepRepository, MockSupplementRepository, MockUserRepository, SigningKeyRepository, SleepRepository,
    StorageError, SupplementRepository, UnitOfWork, UnitOfWorkFactory, UserRepository,
};
use async_trait::async_trait;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How the units of work of one test ended.
#[derive(Debug, Default)]
pub struct Endings {
    begun: AtomicUsize,
    committed: AtomicUsize,
    rolled_back: AtomicUsize,
}

impl Endings {
    /// Returns how many were asked for, handed out or not.
    pub fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    /// Returns how many were committed.
    pub fn committed(&self) -> usize {
        self.committed.load(Ordering::SeqCst)
    }

    /// Returns how many were rolled back on purpose.
    pub fn rolled_back(&self) -> usize {
        self.rolled_back.load(Ordering::SeqCst)
    }
}

/// A unit of work whose repositories are mocks.
#[derive(Default)]
#[expect(missing_docs, reason = "each field is the mock of the repository it is named after")]
pub struct MockUnitOfWork {
    pub users: MockUserRepository,
    pub clients: MockClientRepository,
    pub codes: MockCodeRepository,
    pub grants: MockGrantRepository,
    pub sleep: MockSleepRepository,
    pub supplements: MockSupplementRepository,
    pub intake_logs: MockIntakeLogRepository,
    pub signing_keys: MockSigningKeyRepository,
    endings: Arc<Endings>,
}

#[async_trait]
impl UnitOfWork for MockUnitOfWork {
    fn users(&mut self) -> &mut dyn UserRepository {
        &mut self.users
    }
    fn clients(&mut self) -> &mut dyn ClientRepository {
        &mut self.clients
    }
    fn codes(&mut self) -> &mut dyn CodeRepository {
        &mut self.codes
    }
    fn grants(&mut self) -> &mut dyn GrantRepository {
        &mut self.grants
    }
    fn sleep(&mut self) -> &mut dyn SleepRepository {
        &mut self.sleep
    }
    fn supplements(&mut self) -> &mut dyn SupplementRepository {
        &mut self.supplements
    }
    fn intake_logs(&mut self) -> &mut dyn IntakeLogRepository {
        &mut self.intake_logs
    }
    fn signing_keys(&mut self) -> &mut dyn SigningKeyRepository {
        &mut self.signing_keys
    }
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.endings.committed.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
    async fn rollback(self: Box<Self>) -> Result<(), StorageError> {
        self.endings.rolled_back.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

/// Hands out prepared units of work, one a call, in order; fails `Unavailable` when none is left.
#[derive(Default)]
pub struct PreparedUnitsOfWork {
    prepared: Mutex<Vec<MockUnitOfWork>>,
    endings: Arc<Endings>,
}

impl PreparedUnitsOfWork {
    /// Prepares units of work, the first to be handed out first.
    pub fn new(units: impl IntoIterator<Item = MockUnitOfWork>) -> Self {
        let endings = Arc::new(Endings::default());
        let mut prepared: Vec<_> =
            units.into_iter().map(|unit| MockUnitOfWork { endings: Arc::clone(&endings), ..unit }).collect();
        prepared.reverse();
        Self { prepared: Mutex::new(prepared), endings }
    }

    /// Tells how the units of work ended.
    pub fn endings(&self) -> Arc<Endings> {
        Arc::clone(&self.endings)
    }
}

#[async_trait]
impl UnitOfWorkFactory for PreparedUnitsOfWork {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        self.endings.begun.fetch_add(1, Ordering::SeqCst);
        let unit = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).pop();
        unit.map(|unit| Box::new(unit) as Box<dyn UnitOfWork>).ok_or(StorageError::Unavailable)
    }
}
