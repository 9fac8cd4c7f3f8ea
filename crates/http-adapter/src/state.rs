//! What the HTTP side needs from the rest of the program.

use crate::caller::TrustedProxies;
use crate::export::ExportUseCases;
use crate::health::HealthCheck;
use crate::ingest::IngestUseCases;
use crate::key_set::KeySetSource;
use crate::middleware::{Admission, Troubles, UnnamedProxyWarning};
use crate::trace::TraceContinuation;
use application::access::AuthorizeAccess;
use application::account::{
    ChangePassword, ChoosePassword, EndSessions, FindPasswordLink, ListSessions, RequestPasswordReset,
    RequestSignUp, ResumeSession, SignIn, SignOut,
};
use application::audit::ListActivity;
use application::authorization::{BeginAuthorization, DecideConsent, DescribeRequest, OpenConsent};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::erasure::ErasePerson;
use application::import::{ApplyProfile, ListImports, UndoImport};
use application::personal_token::{CreatePersonalToken, ListPersonalTokens, RevokePersonalToken};
use application::read::{ReadChanges, ReadProfile, ReadSleep, ReadSupplements};
use application::token::{
    AuthenticateClient, IntrospectToken, IssueServiceToken, RedeemCode, RefreshAccess, RevokeToken,
};
use application::upload::{AddPart, BeginUpload, DiscardUpload, FindImport, FinishUpload};
use domain::secret::Secret;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Draws the ids of requests; given by the server, because randomness is a port.
pub type RequestIdSource = Arc<dyn Fn() -> Uuid + Send + Sync>;

/// Draws the cookies of browsers in which nobody has signed in; given by the server, because randomness is a port.
pub type VisitSource = Arc<dyn Fn() -> Secret + Send + Sync>;

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
    /// Whether the server sends mail, so that a forgotten password can be replaced without the operator.
    pub sends_mail: bool,
    /// Whether anybody may sign up.
    pub sign_up_open: bool,
    /// For how many days it is kept who read what.
    pub reads_kept_days: u32,
    /// The most bytes of a file that a person uploads.
    pub max_upload_bytes: u64,
    /// How many uploads of one person may arrive at a time.
    pub max_open_uploads: usize,
    /// How much longer uploads are received when the process is about to stop.
    pub stopping_uploads: Duration,
    /// The proxies that are believed when they name a caller's address; none by default.
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
    /// Returns whether callers reach the server by https.
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
    pub read_changes: Arc<ReadChanges>,
    /// What backends write.
    pub ingest: IngestUseCases,
    pub erase_person: ErasePerson,
    /// What exports need.
    pub export: ExportUseCases,
    /// What the pages do.
    pub pages: PageUseCases,
    /// The public keys at `/.well-known/jwks.json`.
    pub key_set: Arc<dyn KeySetSource>,
    /// Whether the process can serve, at `/readyz`.
    pub health: Arc<dyn HealthCheck>,
    /// The ids of requests.
    pub request_ids: RequestIdSource,
    /// The cookies of visits.
    pub visits: VisitSource,
    /// How long requests take.
    pub elapsed_time: ElapsedTimeSource,
    /// How much is done at a time.
    pub admission: Admission,
    /// What was told of troubles.
    pub troubles: Troubles,
    /// When a proxy missing from the settings was last warned about.
    pub unnamed_proxy: UnnamedProxyWarning,
    /// What joins the traces of callers; absent where no traces are sent.
    pub trace: Option<TraceContinuation>,
    /// How HTTP is spoken.
    pub settings: HttpSettings,
}

/// The use cases behind the pages.
#[expect(missing_docs, reason = "each field is the use case it is named after")]
pub struct PageUseCases {
    pub begin_authorization: BeginAuthorization,
    pub describe_request: DescribeRequest,
    pub open_consent: OpenConsent,
    pub decide_consent: DecideConsent,
    pub sign_in: SignIn,
    pub resume_session: ResumeSession,
    pub sign_out: SignOut,
    pub end_sessions: EndSessions,
    pub list_sessions: ListSessions,
    pub change_password: ChangePassword,
    pub find_password_link: FindPasswordLink,
    pub choose_password: ChoosePassword,
    /// Absent where no mail is sent.
    pub request_password_reset: Option<RequestPasswordReset>,
    /// Absent where sign-up is closed.
    pub request_sign_up: Option<RequestSignUp>,
    pub list_connected_apps: ListConnectedApps,
    pub disconnect_apps: DisconnectApps,
    pub create_personal_token: CreatePersonalToken,
    pub list_personal_tokens: ListPersonalTokens,
    pub revoke_personal_token: RevokePersonalToken,
    pub list_activity: ListActivity,
    pub list_imports: ListImports,
    pub find_import: FindImport,
    pub undo_import: UndoImport,
    pub apply_profile: ApplyProfile,
    pub discard_upload: DiscardUpload,
    /// Absent where no uploads are taken.
    pub uploads: Option<UploadUseCases>,
}

/// The use cases that take a file in.
#[expect(missing_docs, reason = "each field is the use case it is named after")]
pub struct UploadUseCases {
    pub begin: BeginUpload,
    pub add_part: AddPart,
    pub finish: FinishUpload,
}
