//! What the HTTP side needs from the rest of the program.

use crate::health::HealthCheck;
use crate::key_set::KeySetSource;
use application::access::AuthorizeAccess;
use application::read::{ReadProfile, ReadSleep, ReadSupplements};
use application::token::{
    AuthenticateClient, IntrospectToken, IssueServiceToken, RedeemCode, RefreshAccess, RevokeToken,
};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Draws the ids of requests; given by the server, because randomness is a port.
pub type RequestIdSource = Arc<dyn Fn() -> Uuid + Send + Sync>;

/// Tells the time that passed since some fixed moment; given by the server, because time is a port. Only
/// differences count: how long a request took.
pub type ElapsedTimeSource = Arc<dyn Fn() -> Duration + Send + Sync>;

/// How HTTP is spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// The address under which callers reach the server. With `https` every answer carries HSTS.
    pub public_url: String,
    /// The origins whose pages may read the data endpoints (CORS), such as `https://app.example`; none by default.
    pub cors_allowed_origins: Vec<String>,
    /// Whether answers of 1 KiB and more are compressed when the caller accepts zstd or gzip.
    pub compression: bool,
    /// How long a request may wait for its answer; then it gets 503. Longer than the store's own limits: it is for
    /// a store that says nothing at all.
    pub answer_timeout: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            cors_allowed_origins: Vec::new(),
            compression: false,
            answer_timeout: Duration::from_secs(25),
        }
    }
}

impl HttpSettings {
    /// Tells whether callers reach the server by https.
    pub fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// The use cases and whatever else the handlers need; shared by all workers.
#[expect(missing_docs, reason = "each field is the use case it is named after")]
pub struct HttpState {
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
    /// The public keys at `/.well-known/jwks.json`.
    pub key_set: Arc<dyn KeySetSource>,
    /// Whether the process can serve, at `/readyz`.
    pub health: Arc<dyn HealthCheck>,
    /// The ids of requests.
    pub request_ids: RequestIdSource,
    /// How long requests take.
    pub elapsed_time: ElapsedTimeSource,
    /// How HTTP is spoken.
    pub settings: HttpSettings,
}
