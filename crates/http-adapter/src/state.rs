//! Dependencies and settings of the HTTP side.

use crate::admission::Admission;
use crate::caller::{TrustedProxies, UnnamedProxyWarning};
use crate::ingest::permit::BodyPermits;
use crate::log_suppression::LogSuppression;
use crate::problem::{ErrorPages, Problem};
use crate::trace::TraceContinuation;
use application::access::AuthorizeAccess;
use application::audit::ReadRecorder;
use application::client_usage::ClientRequest;
use application::erasure::Erasures;
use application::export::{Export, ExportFormat, ExportQuery, ExportRecords, ExportWriters};
use application::import::ingest::{IdempotentRequests, IngestRecords};
use application::read::{ReadChanges, ReadRecords};
use application::record::RecordServices;
use application::token::{ClientAuthentication, Tokens};
use domain::client::MetadataPolicy;
use domain::id::KeyId;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Generates request ids; provided by the server, because randomness is a port.
pub type RequestIdSource = Arc<dyn Fn() -> Uuid + Send + Sync>;

/// Returns the time elapsed since a fixed moment, for measuring durations; provided by the server, because
/// time is a port.
pub type ElapsedTimeSource = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Returns whether a text is a valid pass of `restwell doctor`.
pub type PassCheck = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Records a request of a client and the HTTP status of its response; never blocks.
pub type UsageSink = Arc<dyn Fn(ClientRequest, u16) + Send + Sync>;

/// State of one dependency of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// One-word name of the dependency.
    pub name: &'static str,
    /// State of the dependency.
    pub state: CheckState,
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// The dependency works.
    Ok,
    /// Writes are refused, with a one-word reason. Reads are served, so the process stays ready.
    ReadOnly(&'static str),
    /// The process cannot serve.
    Failed,
}

impl CheckState {
    /// Returns `Ok` or `Failed`.
    pub const fn from_bool(is_ok: bool) -> Self {
        if is_ok { Self::Ok } else { Self::Failed }
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ReadOnly(reason) => reason,
            Self::Failed => "failed",
        }
    }
}

/// Source of the readiness of the process.
///
/// Called for each request and by load balancers: it must return at once, from state that is already known.
pub trait HealthCheck: Send + Sync {
    /// Lists the checks, each once, in a stable order. The process is ready unless one of them failed.
    fn checks(&self) -> Vec<Check>;

    /// Returns whether the process is about to stop. It still serves requests, each the last of its
    /// connection.
    fn is_draining(&self) -> bool;
}

/// Ed25519 key whose signatures are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    /// The key's `kid`.
    pub id: KeyId,
    /// The 32 bytes of RFC 8032.
    pub public_key: [u8; 32],
}

/// Source of the keys that verify tokens.
pub trait KeySetSource: Send + Sync {
    /// Returns every key whose signatures are currently accepted.
    fn public_keys(&self) -> Vec<PublicKey>;
}

/// Operator of the server, as shown to people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Operator {
    /// Name; `None` if it is not published.
    pub name: Option<String>,
    /// Email address or URL for questions.
    pub contact: Option<String>,
}

/// HTTP settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Public address of the server. If it is `https`, every response carries HSTS.
    pub public_url: String,
    /// Origins whose scripts may get tokens and read data (CORS), such as `https://app.example`; none by
    /// default.
    pub cors_allowed_origins: Vec<String>,
    /// Timeout of a request, after which it gets 503. Longer than the timeouts of the store: it covers a
    /// store that does not respond at all.
    pub answer_timeout: Duration,
    /// Whether the server sends email, which lets people reset their passwords themselves.
    pub sends_mail: bool,
    /// Whether sign-up is open.
    pub sign_up_open: bool,
    /// Which metadata documents of clients are accepted; none by default.
    pub metadata_policy: MetadataPolicy,
    /// Who runs the server.
    pub operator: Operator,
    /// Number of days for which the record of reads is kept.
    pub reads_kept_days: u32,
    /// Maximum size of an uploaded file in bytes.
    pub max_upload_bytes: u64,
    /// Maximum number of concurrent uploads of one person.
    pub max_open_uploads: usize,
    /// Extra time for uploads in progress when the process is about to stop.
    pub stopping_uploads: Duration,
    /// Proxies that are trusted to report the caller's address; none by default.
    pub proxies: TrustedProxies,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            cors_allowed_origins: Vec::new(),
            answer_timeout: Duration::from_secs(25),
            sends_mail: false,
            sign_up_open: false,
            metadata_policy: MetadataPolicy::Off,
            operator: Operator::default(),
            reads_kept_days: 400,
            max_upload_bytes: 512 * 1024 * 1024,
            max_open_uploads: 3,
            stopping_uploads: Duration::from_secs(4),
            proxies: TrustedProxies::default(),
        }
    }
}

impl HttpSettings {
    /// Returns whether the public URL is `https`.
    pub fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// Dependencies of the middleware and of every handler; shared by all workers.
pub struct HttpState {
    /// Readiness of the process, for `/readyz`.
    pub health: Arc<dyn HealthCheck>,
    /// Generator of request ids.
    pub request_ids: RequestIdSource,
    /// Clock for durations of requests.
    pub elapsed_time: ElapsedTimeSource,
    /// Recorder of clients' requests.
    pub record_usage: UsageSink,
    /// Limits on concurrent work.
    pub admission: Admission,
    /// Recently logged errors, to suppress repetitions.
    pub log_suppression: LogSuppression,
    /// Last warning about a proxy that the settings do not name.
    pub unnamed_proxy: UnnamedProxyWarning,
    /// Check of the pass of `restwell doctor`.
    pub is_doctor_pass: PassCheck,
    /// Continuation of callers' traces; `None` if no traces are sent.
    pub trace: Option<TraceContinuation>,
    /// Rendering of errors for people.
    pub error_pages: ErrorPages,
    /// HTTP settings.
    pub settings: HttpSettings,
}

/// Dependencies of exports.
#[expect(missing_docs, reason = "each field is named after its content")]
pub struct ExportUseCases {
    pub records: ExportRecords,
    pub writers: Arc<dyn ExportWriters>,
    pub reads: ReadRecorder,
}

impl ExportUseCases {
    /// Starts an export.
    pub async fn open(&self, query: ExportQuery, format: ExportFormat) -> Result<Export, Problem> {
        let writer = self.writers.open(format, query.user_id);
        Ok(self.records.open(query, writer).await?)
    }
}

/// Use cases of the endpoints for backends.
#[expect(missing_docs, reason = "each field is named after its use case")]
pub struct IngestUseCases {
    pub records: IngestRecords,
    pub once: IdempotentRequests,
    pub services: RecordServices,
    pub(crate) permits: BodyPermits,
}

impl IngestUseCases {
    /// Groups the use cases.
    pub fn new(records: IngestRecords, once: IdempotentRequests, services: RecordServices) -> Self {
        Self { records, once, services, permits: BodyPermits::default() }
    }
}

/// Services and use cases of the API.
#[expect(missing_docs, reason = "each field is named after its service or use case")]
pub struct ApiState {
    /// Dependencies shared with the middleware.
    pub http: Arc<HttpState>,
    pub client_authentication: ClientAuthentication,
    pub tokens: Tokens,
    pub authorize_access: Arc<AuthorizeAccess>,
    pub read_records: ReadRecords,
    pub read_changes: Arc<ReadChanges>,
    /// Use cases of the endpoints for backends.
    pub ingest: IngestUseCases,
    pub erasures: Erasures,
    /// Dependencies of exports.
    pub export: Arc<ExportUseCases>,
    /// Public keys at `/.well-known/jwks.json`.
    pub key_set: Arc<dyn KeySetSource>,
}
