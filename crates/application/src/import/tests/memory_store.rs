//! An in-memory store for imports: a unit of work is a copy that replaces the original on commit.

use super::memory_imports::Imports;
use crate::import;
use crate::ports::storage::test_support::{MockUnitOfWork, RecordedEvents};
use crate::ports::storage::{
    AccountRepositories, AppRepositories, AuditRepository, AuthorizationRequestRepository, ClientRepository,
    CodeRepository, ConsentRepository, DraftUserRepository, ErasureRepository, GrantRepository,
    ImportJournal, ImportReader, ImportRepository, IntakeLogRepository, MockImportReader, MockProfileReader,
    OutboxRepository, PasskeyCeremonyRepository, PasskeyRepository, PasswordLinkRepository,
    PasswordRepository, PendingSignInRepository, PersonalTokenRepository, ProfileReader, RecordRepositories,
    SandboxRepository, SecondFactorRepository, SessionRepository, SigningKeyRepository, SleepRepository,
    StorageError, SupplementRepository, UniqueKey, UnitOfWork, UnitOfWorkFactory, UploadRepository,
    UserRepository, WebhookRepository,
};
use crate::ports::system::Entropy;
use crate::store::AuditTrail;
use crate::store::Store;
use crate::testing::{clock, entropy};
use async_trait::async_trait;
use domain::audit::{AuditEvent, AuditKind};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::{SleepRecordHead, SleepSession};
use domain::supplement::{CatalogueKey, IntakeLog, IntakeLogRecord, Supplement, Upc};
use domain::user::{Email, ProfileSource, User};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};

/// Stored records.
#[derive(Clone, Default)]
pub(super) struct Content {
    pub(super) users: Vec<User>,
    /// Sources of the only user's profile.
    pub(super) sources: Vec<ProfileSource>,
    pub(super) sessions: Vec<(UserId, SleepSession)>,
    /// All versions, with key and whether they are current.
    pub(super) supplements: Vec<(CatalogueKey, Supplement, bool)>,
    pub(super) logs: Vec<(UserId, IntakeLog)>,
    pub(super) imports: Imports,
}

impl Content {
    /// Erases all users, with the effects of an erasure.
    pub(super) fn erase_people(&mut self) {
        let Self { users, sources, sessions, supplements: _, logs, imports } = self;
        sources.clear();
        users.clear();
        sessions.clear();
        logs.clear();
        *imports = Imports::default();
    }
}

/// Number of calls by name.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(super) struct Calls(pub(super) BTreeMap<&'static str, usize>);

impl Calls {
    pub(super) fn count(&self, name: &str) -> usize {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// A call that fails once, or passes once before later failures.
type Fault = (&'static str, Option<StorageError>);
/// A concurrent change of the store at a call.
type ConcurrentChange = (&'static str, Box<dyn FnOnce(&mut Content) + Send>);

#[derive(Default)]
struct Shared {
    content: Mutex<Content>,
    calls: Mutex<Calls>,
    faults: Mutex<Vec<Fault>>,
    rivals: Mutex<Vec<ConcurrentChange>>,
    events: RecordedEvents,
}

impl Shared {
    fn called(&self, name: &'static str) {
        *self.calls.lock().unwrap().0.entry(name).or_default() += 1;
    }

    /// Counts a call; fails if a fault is planted.
    fn ask(&self, name: &'static str) -> Result<(), StorageError> {
        self.called(name);
        let mut faults = self.faults.lock().unwrap();
        let planted = faults.iter().position(|(at, _)| *at == name);
        let error = planted.and_then(|place| faults.remove(place).1);
        error.map_or(Ok(()), Err)
    }

    /// Applies concurrent changes before the current unit of work continues.
    fn apply_concurrent_changes(&self, name: &'static str) {
        let mut rivals = self.rivals.lock().unwrap();
        if let Some(place) = rivals.iter().position(|(at, _)| *at == name) {
            (rivals.remove(place).1)(&mut self.content.lock().unwrap());
        }
    }

    fn is_taken(&self, key: &CatalogueKey) -> bool {
        let content = self.content.lock().unwrap();
        content.supplements.iter().any(|(at, _, current)| at == key && *current)
    }
}

/// The store and its contents.
#[derive(Default)]
pub(super) struct MemoryStore {
    shared: Arc<Shared>,
    entropy: OnceLock<Arc<dyn Entropy>>,
}

impl MemoryStore {
    /// A store with this user only.
    pub(super) fn with(user: User) -> Self {
        let store = Self::default();
        store.shared.content.lock().unwrap().users.push(user);
        store
    }

    pub(super) fn units(&self) -> Arc<dyn UnitOfWorkFactory> {
        Arc::new(MemoryUnits(Arc::clone(&self.shared)))
    }

    /// Returns this store for services. Ids continue where they stopped, so that a second import gets others.
    pub(super) fn store(&self) -> Store {
        Store { units: self.units(), trail: AuditTrail::new(self.entropy(entropy), clock()) }
    }

    /// Returns the imports of this store.
    pub(super) fn imports(&self) -> import::Imports {
        import::Imports { store: self.store(), reader: self.import_reader(), profiles: self.profiles() }
    }

    fn import_reader(&self) -> Arc<dyn ImportReader> {
        let mut imports = MockImportReader::new();
        let shared = Arc::clone(&self.shared);
        imports.expect_find_import().returning(move |id| {
            let content = shared.content.lock().unwrap();
            Ok(content.imports.all.iter().find(|import| import.id == id).cloned())
        });
        let shared = Arc::clone(&self.shared);
        imports.expect_has_notes().returning(move |id| {
            Ok(shared.content.lock().unwrap().imports.noted.iter().any(|(by, ..)| *by == id))
        });
        Arc::new(imports)
    }

    pub(super) fn profiles(&self) -> Arc<dyn ProfileReader> {
        let (shared, mut profiles) = (Arc::clone(&self.shared), MockProfileReader::new());
        profiles.expect_find_profile().returning(move |id| {
            let found = shared.content.lock().unwrap().users.iter().find(|user| user.id == id).cloned();
            shared.apply_concurrent_changes("profile found");
            Ok(found)
        });
        Arc::new(profiles)
    }

    /// Returns the store's single source of ids.
    pub(super) fn entropy(&self, make: impl FnOnce() -> Arc<dyn Entropy>) -> Arc<dyn Entropy> {
        Arc::clone(self.entropy.get_or_init(make))
    }

    /// Makes the next call with this name fail; planted twice, the next two.
    pub(super) fn fail(&self, name: &'static str, error: StorageError) {
        self.shared.faults.lock().unwrap().push((name, Some(error)));
    }

    /// Lets the next call with this name pass, before those that fail.
    pub(super) fn pass(&self, name: &'static str) {
        self.shared.faults.lock().unwrap().push((name, None));
    }

    /// Applies a concurrent change at the next call with this name.
    pub(super) fn change_concurrently(
        &self,
        name: &'static str,
        act: impl FnOnce(&mut Content) + Send + 'static,
    ) {
        self.shared.rivals.lock().unwrap().push((name, Box::new(act)));
    }

    pub(super) fn content(&self) -> Content {
        self.shared.content.lock().unwrap().clone()
    }

    /// Returns the events that were appended, committed or not.
    pub(super) fn events(&self) -> &RecordedEvents {
        &self.shared.events
    }

    /// Returns the events of one kind.
    pub(super) fn events_of(&self, kind: AuditKind) -> Vec<AuditEvent> {
        self.shared.events.all().into_iter().filter(|event| event.kind == kind).collect()
    }

    pub(super) fn calls(&self) -> Calls {
        self.shared.calls.lock().unwrap().clone()
    }

    /// Returns the sessions by start.
    pub(super) fn sessions(&self) -> Vec<SleepSession> {
        let mut sessions: Vec<_> = self.content().sessions.into_iter().map(|(_, session)| session).collect();
        sessions.sort_by_key(|session| (session.record.time_in_bed().start(), session.id));
        sessions
    }

    /// Returns the logs by time.
    pub(super) fn logs(&self) -> Vec<IntakeLog> {
        let mut logs: Vec<_> = self.content().logs.into_iter().map(|(_, log)| log).collect();
        logs.sort_by_key(|log| (log.record.created_at(), log.id));
        logs
    }

    /// Returns the current version of a key.
    pub(super) fn current(&self, key: &CatalogueKey) -> Supplement {
        let content = self.content();
        let mut current = content.supplements.into_iter().filter(|(at, _, current)| at == key && *current);
        let (_, supplement, _) = current.next().unwrap();
        assert!(current.next().is_none(), "two current versions under one key");
        supplement
    }
}

struct MemoryUnits(Arc<Shared>);

#[async_trait]
impl UnitOfWorkFactory for MemoryUnits {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        self.0.ask("begin")?;
        let content = self.0.content.lock().unwrap().clone();
        let mut others = MockUnitOfWork::default();
        others.audit = self.0.events.clone();
        others.uploads.expect_delete_parts().returning(|_| Ok(()));
        let shared = Arc::clone(&self.0);
        Ok(Box::new(MemoryUnit { shared, content, touches_records: false, others }))
    }
}

pub(super) struct MemoryUnit {
    shared: Arc<Shared>,
    pub(super) content: Content,
    /// Whether records were accessed, unlike at the start and end of an import.
    touches_records: bool,
    // Imports use none of these except for the audit trail and the parts of uploads; other calls fail.
    others: MockUnitOfWork,
}

/// Methods that return the repositories of `others`.
macro_rules! delegated {
    ($($name:ident: $repository:ident,)*) => {
        $(fn $name(&mut self) -> &mut dyn $repository {
            self.others.$name()
        })*
    };
}

impl AccountRepositories for MemoryUnit {
    fn users(&mut self) -> &mut dyn UserRepository {
        self
    }
    delegated! {
        passwords: PasswordRepository,
        password_links: PasswordLinkRepository,
        pending_sign_ins: PendingSignInRepository,
        second_factors: SecondFactorRepository,
        sessions: SessionRepository,
        passkeys: PasskeyRepository,
        passkey_ceremonies: PasskeyCeremonyRepository,
        outbox: OutboxRepository,
        sandbox: SandboxRepository,
        erasures: ErasureRepository,
        audit: AuditRepository,
    }
}

impl AppRepositories for MemoryUnit {
    delegated! {
        clients: ClientRepository,
        draft_users: DraftUserRepository,
        authorization_requests: AuthorizationRequestRepository,
        consents: ConsentRepository,
        codes: CodeRepository,
        grants: GrantRepository,
        personal_tokens: PersonalTokenRepository,
        signing_keys: SigningKeyRepository,
        webhooks: WebhookRepository,
    }
}

impl RecordRepositories for MemoryUnit {
    fn sleep(&mut self) -> &mut dyn SleepRepository {
        self.touches_records = true;
        self
    }
    fn supplements(&mut self) -> &mut dyn SupplementRepository {
        self.touches_records = true;
        self
    }
    fn intake_logs(&mut self) -> &mut dyn IntakeLogRepository {
        self.touches_records = true;
        self
    }
    fn imports(&mut self) -> &mut dyn ImportRepository {
        self
    }
    fn import_journal(&mut self) -> &mut dyn ImportJournal {
        self
    }
    fn uploads(&mut self) -> &mut dyn UploadRepository {
        self.others.uploads()
    }
}

#[async_trait]
impl UnitOfWork for MemoryUnit {
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.shared.ask(if self.touches_records { "commit" } else { "commit bookkeeping" })?;
        *self.shared.content.lock().unwrap() = self.content;
        self.shared.apply_concurrent_changes("committed");
        Ok(())
    }
    async fn rollback(self: Box<Self>) -> Result<(), StorageError> {
        self.shared.called("rollback");
        Ok(())
    }
}

impl MemoryUnit {
    fn insert_label(&mut self, key: &CatalogueKey, supplement: &Supplement) -> Result<(), StorageError> {
        let taken = |(at, stored, current): &(CatalogueKey, Supplement, bool)| {
            stored.id == supplement.id || (at == key && *current)
        };
        self.shared.apply_concurrent_changes("supplements.insert");
        // A key committed by another unit of work conflicts, although it is not visible here.
        let is_own = self.content.supplements.iter().any(|(at, _, _)| at == key);
        if self.content.supplements.iter().any(taken) || (!is_own && self.shared.is_taken(key)) {
            return Err(StorageError::Conflict(UniqueKey::Supplement));
        }
        self.content.supplements.push((key.clone(), supplement.clone(), true));
        Ok(())
    }

    /// Checks that the log's supplement exists.
    fn require_supplement(&self, log: &IntakeLog) -> Result<(), StorageError> {
        let id = log.record.supplement_id();
        let is_there = self.content.supplements.iter().any(|(_, supplement, _)| supplement.id == id);
        is_there.then_some(()).ok_or_else(|| StorageError::Internal("a foreign key".into()))
    }
}

#[async_trait]
impl UserRepository for MemoryUnit {
    async fn insert(&mut self, user: &User) -> Result<(), StorageError> {
        self.content.users.push(user.clone());
        Ok(())
    }
    async fn find(&mut self, id: UserId) -> Result<Option<User>, StorageError> {
        Ok(self.content.users.iter().find(|user| user.id == id).cloned())
    }
    async fn find_by_email(&mut self, email: &Email) -> Result<Option<User>, StorageError> {
        Ok(self.content.users.iter().find(|user| user.email == *email).cloned())
    }
    async fn update(&mut self, user: &User) -> Result<bool, StorageError> {
        self.shared.called("users.update");
        let stored = self.content.users.iter_mut().find(|stored| stored.id == user.id);
        Ok(stored.map(|stored| *stored = user.clone()).is_some())
    }
    async fn record_sources(&mut self, _: UserId, sources: &[ProfileSource]) -> Result<(), StorageError> {
        for source in sources {
            self.content.sources.retain(|known| known.field != source.field);
            self.content.sources.push(*source);
        }
        Ok(())
    }
    async fn delete(&mut self, id: UserId) -> Result<bool, StorageError> {
        let before = self.content.users.len();
        self.content.users.retain(|user| user.id != id);
        Ok(self.content.users.len() < before)
    }
}

#[async_trait]
impl SleepRepository for MemoryUnit {
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[SleepRecordHead],
    ) -> Result<Vec<SleepSession>, StorageError> {
        let of_person = self.content.sessions.iter().filter(|(owner, _)| *owner == user_id);
        let mut sessions: Vec<_> = of_person.map(|(_, session)| session).collect();
        sessions.sort_by_key(|session| (session.record.time_in_bed().start(), session.id));
        let with_key: HashMap<_, _> = sessions
            .iter()
            .map(|session| ((session.record.source(), session.record.key()), *session))
            .collect();
        let lengths = sessions.iter().map(|session| session.record.time_in_bed());
        let longest = lengths.map(|time| time.end() - time.start()).max().unwrap_or_default();
        let mut found = BTreeMap::new();
        for record in records {
            found.extend(with_key.get(&(record.source.as_ref(), &record.key)).map(|same| (same.id, *same)));
            let start = |session: &SleepSession| session.record.time_in_bed().start();
            let first = record.time_in_bed.start() - longest;
            let from = sessions.partition_point(|session| start(session) < first);
            let near = sessions.iter().skip(from).take_while(|it| start(it) <= record.time_in_bed.end());
            // The first of each kind that the record may match.
            let mut twins = BTreeMap::new();
            for session in near.filter(|session| session.record.source() == record.source.as_ref()) {
                let stored = session.record.head();
                let overlaps = stored.time_in_bed.overlaps(&record.time_in_bed);
                if overlaps && !stored.key.is_given() {
                    found.insert(session.id, *session);
                } else if overlaps
                    && !record.key.is_given()
                    && stored.time_in_bed.same_to_the_minute(&record.time_in_bed)
                {
                    twins.entry(session.record.hypnogram().is_empty()).or_insert(*session);
                }
            }
            found.extend(twins.into_values().map(|twin| (twin.id, twin)));
        }
        Ok(found.into_values().cloned().collect())
    }
    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[SleepSessionId],
    ) -> Result<Vec<SleepSession>, StorageError> {
        let wanted: HashSet<_> = ids.iter().collect();
        let of_person = self.content.sessions.iter().filter(|(owner, _)| *owner == user_id);
        Ok(of_person
            .map(|(_, session)| session)
            .filter(|session| wanted.contains(&session.id))
            .cloned()
            .collect())
    }
    async fn insert(&mut self, user_id: UserId, sessions: &[SleepSession]) -> Result<(), StorageError> {
        self.shared.ask("sleep.insert")?;
        let key = |session: &SleepSession| (session.record.source().cloned(), session.record.key().clone());
        let of_person = self.content.sessions.iter().filter(|(owner, _)| *owner == user_id);
        let (mut ids, mut keys): (HashSet<_>, HashSet<_>) =
            of_person.map(|(_, stored)| (stored.id, key(stored))).unzip();
        for session in sessions {
            if !(ids.insert(session.id) && keys.insert(key(session))) {
                return Err(StorageError::Conflict(UniqueKey::SleepSession));
            }
            self.content.sessions.push((user_id, session.clone()));
        }
        Ok(())
    }
    async fn update(&mut self, user_id: UserId, session: &SleepSession) -> Result<bool, StorageError> {
        self.shared.called("sleep.update");
        let taken = self.content.sessions.iter().any(|(owner, stored)| {
            let same_key = stored.record.source() == session.record.source()
                && stored.record.key() == session.record.key();
            *owner == user_id && stored.id != session.id && same_key
        });
        if taken {
            return Err(StorageError::Conflict(UniqueKey::SleepSession));
        }
        let mut stored = self.content.sessions.iter_mut();
        let stored = stored.find(|(owner, stored)| *owner == user_id && stored.id == session.id);
        Ok(stored.map(|(_, stored)| *stored = session.clone()).is_some())
    }
    async fn delete(&mut self, user_id: UserId, ids: &[SleepSessionId]) -> Result<u64, StorageError> {
        self.shared.called("sleep.delete");
        let before = self.content.sessions.len();
        self.content.sessions.retain(|(owner, session)| *owner != user_id || !ids.contains(&session.id));
        Ok((before - self.content.sessions.len()) as u64)
    }
}

#[async_trait]
impl SupplementRepository for MemoryUnit {
    async fn find(&mut self, id: SupplementId) -> Result<Option<(CatalogueKey, Supplement)>, StorageError> {
        self.shared.called("supplements.find");
        let found = self.content.supplements.iter().find(|(_, supplement, _)| supplement.id == id);
        Ok(found.map(|(key, supplement, _)| (key.clone(), supplement.clone())))
    }
    async fn find_current(&mut self, key: &CatalogueKey) -> Result<Option<Supplement>, StorageError> {
        let mut current = self.content.supplements.iter().filter(|(at, _, current)| at == key && *current);
        Ok(current.next().map(|(_, supplement, _)| supplement.clone()))
    }
    async fn find_many(
        &mut self,
        ids: &[SupplementId],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        self.shared.called("supplements.find_many");
        let versions = self.content.supplements.iter().filter(|(_, found, _)| ids.contains(&found.id));
        Ok(versions.map(|(key, supplement, _)| (key.clone(), supplement.clone())).collect())
    }
    async fn find_current_many(
        &mut self,
        keys: &[CatalogueKey],
    ) -> Result<Vec<(CatalogueKey, Supplement)>, StorageError> {
        self.shared.called("supplements.find_current_many");
        let current =
            self.content.supplements.iter().filter(|(at, _, current)| keys.contains(at) && *current);
        Ok(current.map(|(key, supplement, _)| (key.clone(), supplement.clone())).collect())
    }
    async fn insert(&mut self, labels: &[(CatalogueKey, Supplement)]) -> Result<(), StorageError> {
        self.shared.called("supplements.insert");
        let before = self.content.clone();
        for (key, supplement) in labels {
            if let Err(error) = self.insert_label(key, supplement) {
                self.content = before;
                return Err(error);
            }
        }
        Ok(())
    }
    async fn has_logs(&mut self, id: SupplementId) -> Result<bool, StorageError> {
        Ok(self.content.logs.iter().any(|(_, log)| log.record.supplement_id() == id))
    }
    async fn update(&mut self, supplement: &Supplement) -> Result<bool, StorageError> {
        let mut versions = self.content.supplements.iter_mut();
        let stored = versions.find(|(_, stored, _)| stored.id == supplement.id);
        Ok(stored.map(|(_, stored, _)| *stored = supplement.clone()).is_some())
    }
    async fn replace(
        &mut self,
        old: SupplementId,
        key: &CatalogueKey,
        new: &Supplement,
    ) -> Result<(), StorageError> {
        for (_, stored, current) in &mut self.content.supplements {
            *current = *current && stored.id != old;
        }
        self.insert_label(key, new)
    }
    async fn find_by_upc(&mut self, upc: &Upc, user_id: UserId) -> Result<Option<Supplement>, StorageError> {
        let has_code = |supplement: &Supplement| Upc::parse(supplement.label.upc()).as_ref() == Ok(upc);
        let mut found = self
            .content
            .supplements
            .iter()
            .filter(|(key, one, is_current)| *is_current && has_code(one) && key.is_visible_to(user_id));
        Ok(found.next().map(|(_, supplement, _)| supplement.clone()))
    }
    async fn retract(
        &mut self,
        id: SupplementId,
        predecessor: Option<SupplementId>,
    ) -> Result<bool, StorageError> {
        let is_logged = self.content.logs.iter().any(|(_, log)| log.record.supplement_id() == id);
        let count = self.content.supplements.len();
        if !is_logged {
            self.content.supplements.retain(|(_, supplement, _)| supplement.id != id);
        }
        let is_gone = self.content.supplements.len() < count;
        for (_, supplement, is_current) in &mut self.content.supplements {
            *is_current |= is_gone && Some(supplement.id) == predecessor;
        }
        Ok(is_gone)
    }
}

#[async_trait]
impl IntakeLogRepository for MemoryUnit {
    async fn find_candidates(
        &mut self,
        user_id: UserId,
        records: &[IntakeLogRecord],
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let keys: HashSet<_> = records.iter().filter_map(IntakeLogRecord::external_key).collect();
        let times = |record: &IntakeLogRecord| (record.supplement_id(), record.created_at());
        let alike: HashSet<_> = records.iter().map(times).collect();
        let of_person = self.content.logs.iter().filter(|(owner, _)| *owner == user_id);
        let may_be = |log: &&IntakeLog| {
            log.record.external_key().is_some_and(|key| keys.contains(key))
                || alike.contains(&times(&log.record))
        };
        Ok(of_person.map(|(_, log)| log).filter(may_be).cloned().collect())
    }
    async fn find_many(
        &mut self,
        user_id: UserId,
        ids: &[IntakeLogId],
    ) -> Result<Vec<IntakeLog>, StorageError> {
        let of_person = self.content.logs.iter().filter(|(owner, _)| *owner == user_id);
        Ok(of_person.map(|(_, log)| log).filter(|log| ids.contains(&log.id)).cloned().collect())
    }
    async fn insert(&mut self, user_id: UserId, logs: &[IntakeLog]) -> Result<(), StorageError> {
        for log in logs {
            self.require_supplement(log)?;
            let taken = self.content.logs.iter().any(|(owner, stored)| {
                let same_key = stored.record.external_key().is_some()
                    && stored.record.external_key() == log.record.external_key();
                *owner == user_id && (stored.id == log.id || same_key)
            });
            if taken {
                return Err(StorageError::Conflict(UniqueKey::IntakeLog));
            }
            self.content.logs.push((user_id, log.clone()));
        }
        Ok(())
    }
    async fn update(&mut self, user_id: UserId, log: &IntakeLog) -> Result<bool, StorageError> {
        self.shared.called("logs.update");
        self.require_supplement(log)?;
        let taken = self.content.logs.iter().any(|(owner, stored)| {
            let same_key = stored.record.external_key().is_some()
                && stored.record.external_key() == log.record.external_key();
            *owner == user_id && stored.id != log.id && same_key
        });
        if taken {
            return Err(StorageError::Conflict(UniqueKey::IntakeLog));
        }
        let mut stored = self.content.logs.iter_mut();
        let stored = stored.find(|(owner, stored)| *owner == user_id && stored.id == log.id);
        Ok(stored.map(|(_, stored)| *stored = log.clone()).is_some())
    }
    async fn delete(&mut self, user_id: UserId, ids: &[IntakeLogId]) -> Result<u64, StorageError> {
        let count = self.content.logs.len();
        self.content.logs.retain(|(owner, log)| *owner != user_id || !ids.contains(&log.id));
        Ok(u64::try_from(count - self.content.logs.len()).unwrap())
    }
}
