//! Test support: a state on a small in-memory store, and one way to send requests.

mod log;
pub(crate) mod port;
mod reads;
mod store;

pub(crate) use crate::test_support::{REQUEST_ID, TestResponse, send_to};
pub(crate) use log::log_of;
pub(crate) use reads::RecordedReads;
pub(crate) use store::{FixedClock, MemoryStore, NOW};

use crate::test_support::{FixedHealth, http_state};
use crate::{
    Admission, ApiState, ExportUseCases, HttpSettings, HttpState, IngestUseCases, KeySetSource, NdjsonExport,
    PublicKey,
};
use actix_web::test::TestRequest;
use application::StorageError;
use application::access::{AccessPorts, AuthorizeAccess, DailyLimits, TokenCheck};
use application::audit::ReadRecorder;
use application::client_usage::ClientRequest;
use application::erasure::Erasures;
use application::export::ExportRecords;
use application::export::{ExportFormat, ExportWriter, ExportWriters};
use application::import::ingest::{IdempotentRequests, IngestRecords};
use application::import::ingest::{IngestLayout, IngestShape};
use application::ports::import_source::ImportRefusal;
use application::ports::ingest_source::{IngestParser, IngestSource};
use application::ports::storage::{
    AccessReader, ChangeReader, MockAccessReader, MockChangeReader, MockIdempotencyStore, MockImportReader,
    MockProfileReader, MockSleepReader, MockSupplementReader, ProfileReader, SleepReader, SupplementReader,
};
use application::ports::system::{
    MockPause, MockRateLimiter, MockTokenSigner, MockTokenVerifier, RateLimiter, TokenSigner, TokenVerifier,
    UnknownKeyReload,
};
use application::read::{ReadChanges, ReadRecords};
use application::record::{RecordReaders, RecordServices};
use application::store::AuditTrail;
use application::store::Store;
use application::token::{AuthenticationLimits, ClientAuthentication, Tokens};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::access_token::TokenSubject;
use domain::client::MetadataPolicy;
use domain::id::{KeyId, UserId};
use std::io::Read;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// Parts of a state; a test replaces some and calls [`Parts::build`].
pub(crate) struct Parts {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) signer: Arc<dyn TokenSigner>,
    pub(crate) verifier: Arc<dyn TokenVerifier>,
    pub(crate) access: Arc<dyn AccessReader>,
    pub(crate) limiter: Arc<dyn RateLimiter>,
    pub(crate) reads: Arc<RecordedReads>,
    /// Recorded requests of clients.
    pub(crate) usage: Arc<Mutex<Vec<(ClientRequest, u16)>>>,
    pub(crate) profiles: Arc<dyn ProfileReader>,
    pub(crate) sleep: Arc<dyn SleepReader>,
    pub(crate) supplements: Arc<dyn SupplementReader>,
    pub(crate) changes: Arc<dyn ChangeReader>,
    pub(crate) daily_limits: DailyLimits,
    pub(crate) allow_query_secrets: bool,
    pub(crate) is_ready: bool,
    /// Reason why writes are refused.
    pub(crate) refuses_writes: Option<&'static str>,
    pub(crate) admission: Admission,
    pub(crate) settings: HttpSettings,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            store: Arc::new(MemoryStore::default()),
            signer: readable_signer(),
            verifier: Arc::new(MockTokenVerifier::new()),
            access: Arc::new(MockAccessReader::new()),
            limiter: Arc::new(MockRateLimiter::new()),
            reads: Arc::default(),
            usage: Arc::default(),
            profiles: Arc::new(MockProfileReader::new()),
            sleep: Arc::new(MockSleepReader::new()),
            supplements: Arc::new(MockSupplementReader::new()),
            changes: Arc::new(MockChangeReader::new()),
            daily_limits: DailyLimits::default(),
            allow_query_secrets: true,
            is_ready: true,
            refuses_writes: None,
            admission: Admission::default(),
            settings: HttpSettings {
                public_url: "http://restwell.example".to_owned(),
                ..HttpSettings::default()
            },
        }
    }
}

impl Parts {
    pub(crate) fn build(self) -> Arc<ApiState> {
        log::install();
        let clock = Arc::new(FixedClock);
        let store = self.store;
        let check = TokenCheck::new(self.verifier, Arc::new(NoUnknownKeys));
        let reads = ReadRecorder::new(self.reads, clock.clone());
        let usage = self.usage;
        let authorize_access = AuthorizeAccess::new(
            AccessPorts {
                tokens: check.clone(),
                access: self.access.clone(),
                clients: store.clone(),
                limiter: self.limiter,
                clock: clock.clone(),
            },
            self.daily_limits,
        );
        let readers =
            RecordReaders { profiles: self.profiles, sleep: self.sleep, supplements: self.supplements };
        let records = ExportRecords::new(readers.clone(), Arc::new(MockPause::new()), audited(&store));
        let export =
            Arc::new(ExportUseCases { records, writers: Arc::new(LinesOnlyWriter), reads: reads.clone() });
        let (is_ready, refuses_writes) = (self.is_ready, self.refuses_writes);
        let health = FixedHealth { is_ready, refuses_writes, ..FixedHealth::default() };
        let http = Arc::new(HttpState {
            health: Arc::new(health),
            admission: self.admission,
            record_usage: Arc::new(move |request, status| usage.lock().unwrap().push((request, status))),
            ..http_state(self.settings)
        });
        let tokens = Tokens {
            store: audited(&store),
            signer: self.signer,
            check,
            grants: store.clone(),
            access: self.access,
            clients: store.clone(),
            reads: reads.clone(),
        };
        Arc::new(ApiState {
            http,
            client_authentication: client_authentication(&store, self.allow_query_secrets),
            tokens,
            ingest: ingest_use_cases(&store),
            authorize_access: Arc::new(authorize_access),
            read_records: ReadRecords { readers, recorder: reads.clone() },
            read_changes: Arc::new(ReadChanges::new(self.changes, reads, Arc::new(FixedClock))),
            erasures: Erasures { store: audited(&store) },
            export,
            key_set: Arc::new(OneKey),
        })
    }
}

/// Sends a request to a new application on this state.
pub(crate) async fn send(state: &Arc<ApiState>, request: TestRequest) -> TestResponse {
    send_to(crate::configure(Arc::clone(state)), request).await
}

fn ingest_use_cases(store: &Arc<MemoryStore>) -> IngestUseCases {
    IngestUseCases::new(
        IngestRecords::new(audited(store), Arc::new(MockProfileReader::new()), Arc::new(NoItems)),
        IdempotentRequests::new(Arc::new(MockIdempotencyStore::new()), Arc::new(FixedClock)),
        RecordServices::new(&audited(store), RecordReaders::unused(), Arc::new(MockImportReader::new())),
    )
}

/// Returns the store of services.
fn audited(store: &Arc<MemoryStore>) -> Store {
    Store { units: store.clone(), trail: AuditTrail::new(store.clone(), Arc::new(FixedClock)) }
}

/// Writes lines for every format.
struct LinesOnlyWriter;

impl ExportWriters for LinesOnlyWriter {
    fn open(&self, _: ExportFormat, user_id: UserId) -> Box<dyn ExportWriter> {
        Box::new(NdjsonExport::new(user_id))
    }
}

/// Finds no items in any body.
struct NoItems;

impl IngestParser for NoItems {
    fn count(&self, _: IngestLayout, _: Box<dyn Read + Send>, _: usize) -> Result<usize, ImportRefusal> {
        Ok(0)
    }

    fn open(&self, _: IngestShape, _: Box<dyn Read + Send>) -> Result<Box<dyn IngestSource>, ImportRefusal> {
        Err(ImportRefusal::Unreadable("nothing is read here".to_owned()))
    }
}

fn client_authentication(store: &Arc<MemoryStore>, allow_query_secrets: bool) -> ClientAuthentication {
    ClientAuthentication {
        store: audited(store),
        clients: store.clone(),
        failures: store.failure_counter(),
        limits: AuthenticationLimits { per_client_and_address: 2, per_address: 4, window_seconds: 600 },
        allow_query_secrets,
        metadata_policy: MetadataPolicy::Off,
    }
}

/// Signer whose output is readable, so that tests can check the claims.
fn readable_signer() -> Arc<MockTokenSigner> {
    port::signer(|claims| {
        let subject = match claims.subject {
            TokenSubject::Person { user_id, .. } => user_id.to_string(),
            TokenSubject::Service => "service".to_owned(),
        };
        Ok(format!("access:{subject}:{}", claims.scopes.to_string().replace(' ', "+")))
    })
}

/// Accepts every key id as known.
struct NoUnknownKeys;

#[async_trait]
impl UnknownKeyReload for NoUnknownKeys {
    async fn reload_for(&self, _: &str, _: DateTime<Utc>) -> Result<bool, StorageError> {
        Ok(false)
    }
}

struct OneKey;

impl KeySetSource for OneKey {
    fn public_keys(&self) -> Vec<PublicKey> {
        vec![PublicKey { id: KeyId::from_uuid(Uuid::nil()), public_key: [7; 32] }]
    }
}
