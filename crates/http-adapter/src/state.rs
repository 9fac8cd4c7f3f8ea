//! Dependencies and settings of the HTTP side.

use crate::caller::TrustedProxies;
use crate::export::ExportUseCases;
use crate::health::HealthCheck;
use crate::ingest::IngestUseCases;
use crate::key_set::KeySetSource;
use crate::middleware::{Admission, LogSuppression, UnnamedProxyWarning};
use crate::problem::ErrorPages;
use crate::trace::TraceContinuation;
use application::access::AuthorizeAccess;
use application::erasure::ErasePerson;
use application::read::{ReadChanges, ReadProfile, ReadSleep, ReadSupplements};
use application::token::{
    AuthenticateClient, IntrospectToken, IssueServiceToken, RedeemCode, RefreshAccess, RevokeToken,
};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Generates request ids; provided by the server, because randomness is a port.
pub type RequestIdSource = Arc<dyn Fn() -> Uuid + Send + Sync>;

/// Returns the time elapsed since a fixed moment, for measuring durations; provided by the server, because
/// time is a port.
pub type ElapsedTimeSource = Arc<dyn Fn() -> Duration + Send + Sync>;

/// HTTP settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Public address of the server. If it is `https`, every response carries HSTS.
    pub public_url: String,
    /// Origins whose pages may read the data endpoints (CORS), such as `https://app.example`; none by
    /// default.
    pub cors_allowed_origins: Vec<String>,
    /// Whether responses of 1 KiB and more are compressed if the caller accepts zstd or gzip.
    pub compression: bool,
    /// Timeout of a request, after which it gets 503. Longer than the timeouts of the store: it covers a
    /// store that does not respond at all.
    pub answer_timeout: Duration,
    /// Whether the server sends email, which lets people reset their passwords themselves.
    pub sends_mail: bool,
    /// Whether sign-up is open.
    pub sign_up_open: bool,
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
            compression: false,
            answer_timeout: Duration::from_secs(25),
            sends_mail: false,
            sign_up_open: false,
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
    /// Limits on concurrent work.
    pub admission: Admission,
    /// Recently logged errors, to suppress repetitions.
    pub log_suppression: LogSuppression,
    /// Last warning about a proxy that the settings do not name.
    pub unnamed_proxy: UnnamedProxyWarning,
    /// Continuation of callers' traces; `None` if no traces are sent.
    pub trace: Option<TraceContinuation>,
    /// Rendering of errors for people.
    pub error_pages: ErrorPages,
    /// HTTP settings.
    pub settings: HttpSettings,
}

/// Use cases of the API.
#[expect(missing_docs, reason = "each field is the use case it is named after")]
pub struct ApiState {
    /// Dependencies shared with the middleware.
    pub http: Arc<HttpState>,
    pub authenticate_client: Arc<AuthenticateClient>,
    pub redeem_code: Arc<RedeemCode>,
    pub refresh_access: Arc<RefreshAccess>,
    pub issue_service_token: Arc<IssueServiceToken>,
    pub revoke_token: Arc<RevokeToken>,
    pub introspect_token: Arc<IntrospectToken>,
    pub authorize_access: Arc<AuthorizeAccess>,
    pub read_profile: Arc<ReadProfile>,
    pub read_sleep: Arc<ReadSleep>,
    pub read_supplements: Arc<ReadSupplements>,
    pub read_changes: Arc<ReadChanges>,
    /// Use cases of the endpoints for backends.
    pub ingest: IngestUseCases,
    pub erase_person: ErasePerson,
    /// Dependencies of exports.
    pub export: Arc<ExportUseCases>,
    /// Public keys at `/.well-known/jwks.json`.
    pub key_set: Arc<dyn KeySetSource>,
}
