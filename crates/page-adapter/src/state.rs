//! Dependencies of the pages.

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
use application::upload::{AddPart, BeginUpload, DiscardUpload, FindImport, FinishUpload};
use domain::secret::Secret;
use http_adapter::{ExportUseCases, HttpState};
use std::sync::Arc;

/// Generates cookies for browsers without a signed-in person; provided by the server, because randomness
/// is a port.
pub type VisitSource = Arc<dyn Fn() -> Secret + Send + Sync>;

/// Use cases of the pages; shared by all workers.
#[expect(missing_docs, reason = "each field is the use case it is named after")]
pub struct PageState {
    /// Dependencies shared with the middleware.
    pub http: Arc<HttpState>,
    /// Generator of visit cookies.
    pub visits: VisitSource,
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
    /// `None` if no email is sent.
    pub request_password_reset: Option<RequestPasswordReset>,
    /// `None` if sign-up is closed.
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
    pub export: Arc<ExportUseCases>,
    pub erase_person: ErasePerson,
    /// `None` if uploads are disabled.
    pub uploads: Option<UploadUseCases>,
}

/// Use cases of uploads.
#[expect(missing_docs, reason = "each field is the use case it is named after")]
pub struct UploadUseCases {
    pub begin: BeginUpload,
    pub add_part: AddPart,
    pub finish: FinishUpload,
}
