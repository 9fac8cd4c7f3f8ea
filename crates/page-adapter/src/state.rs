//! Dependencies of the pages.

use application::account::{
    ChangePassword, ChoosePassword, CompleteSignIn, ConfirmEmailChange, EndSessions, FindPasswordLink,
    FindPendingSignIn, KeptForms, ListSessions, RequestEmailChange, RequestPasswordReset, RequestSignUp,
    ResumeSession, SetUpSignIn, SignIn, SignOut,
};
use application::audit::ListActivity;
use application::authorization::{BeginAuthorization, DecideConsent, FindPendingApp, OpenConsent};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::developer::{
    AppWebhooks, ChangeApp, DeleteApp, IssueSandboxCode, RegisterApp, RetireAppSecret, RotateAppSecret,
    ShowDeveloperApps,
};
use application::erasure::ErasePerson;
use application::import::ingest::DeleteRecord;
use application::import::{ApplyProfile, ListImports, UndoImport};
use application::intake::{ChangeIntake, CustomProducts, LogIntake, SearchSupplements, ShowIntake};
use application::night::{FindNight, ListNights};
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::profile::{ChangeProfile, ShowProfile};
use application::read::ListIntakes;
use application::sandbox::{CreateSandboxPeople, EraseSandboxPeople, ListSandboxPeople};
use application::second_factor::{
    BeginSetUp, FindSecondFactor, ReplaceRecoveryCodes, TurnOffSecondFactor, TurnOnSecondFactor,
};
use application::upload::UploadFormat;
use application::upload::{AddPart, BeginUpload, DiscardUpload, FindImport, FinishUpload};
use chrono::{DateTime, Utc};
use domain::secret::Secret;
use http_adapter::{ExportUseCases, HttpState};
use std::sync::Arc;

/// Returns the current time; provided by the server, because time is a port.
pub type TimeSource = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// Generates cookies for browsers without a signed-in person; provided by the server, because randomness
/// is a port.
pub type VisitSource = Arc<dyn Fn() -> Secret + Send + Sync>;

/// Use cases of the pages; shared by all workers.
#[expect(missing_docs, reason = "each field is named after its use case")]
pub struct PageState {
    /// Dependencies shared with the middleware.
    pub http: Arc<HttpState>,
    /// Generator of visit cookies.
    pub visits: VisitSource,
    /// Current time, for pages that show or ask for today's date.
    pub now: TimeSource,
    pub kept_forms: KeptForms,
    pub show_profile: ShowProfile,
    pub change_profile: ChangeProfile,
    pub intakes: IntakeUseCases,
    pub begin_authorization: BeginAuthorization,
    pub find_pending_app: FindPendingApp,
    pub open_consent: OpenConsent,
    pub decide_consent: DecideConsent,
    pub sign_in: SignIn,
    pub find_pending_sign_in: FindPendingSignIn,
    pub complete_sign_in: CompleteSignIn,
    pub set_up_sign_in: SetUpSignIn,
    pub begin_set_up: BeginSetUp,
    pub find_second_factor: FindSecondFactor,
    pub turn_on_second_factor: TurnOnSecondFactor,
    pub turn_off_second_factor: TurnOffSecondFactor,
    pub replace_recovery_codes: ReplaceRecoveryCodes,
    /// Whether the operator requires a second factor.
    pub is_second_factor_required: bool,
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
    /// `None` if no email is sent.
    pub request_email_change: Option<RequestEmailChange>,
    pub confirm_email_change: ConfirmEmailChange,
    pub nights: NightUseCases,
    pub list_connected_apps: ListConnectedApps,
    pub disconnect_apps: DisconnectApps,
    pub personal_tokens: PersonalTokens,
    /// `None` if developers cannot register apps themselves.
    pub developer: Option<DeveloperUseCases>,
    pub passkeys: Passkeys,
    pub list_activity: ListActivity,
    pub imports: ImportUseCases,
    pub export: Arc<ExportUseCases>,
    pub erase_person: ErasePerson,
    /// Formats of files that people upload, for the help page.
    pub upload_formats: Vec<UploadFormat>,
    /// `None` if uploads are disabled.
    pub uploads: Option<UploadUseCases>,
}

/// Use cases of a person's own nights and intakes.
#[expect(missing_docs, reason = "each field is named after its use case")]
pub struct NightUseCases {
    pub list: ListNights,
    pub find: FindNight,
    pub delete: DeleteRecord,
    pub intakes: ListIntakes,
}

/// Use cases of a person's own intakes and products.
#[expect(missing_docs, reason = "each field is named after its use case")]
pub struct IntakeUseCases {
    pub show: ShowIntake,
    pub search: SearchSupplements,
    pub log: LogIntake,
    pub change: ChangeIntake,
    pub products: CustomProducts,
}

/// Use cases of a person's imports, apart from uploads in progress.
#[expect(missing_docs, reason = "each field is named after its use case")]
pub struct ImportUseCases {
    pub list: ListImports,
    pub find: FindImport,
    pub undo: UndoImport,
    pub apply_profile: ApplyProfile,
    pub discard_upload: DiscardUpload,
}

/// Use cases of developers.
#[expect(missing_docs, reason = "each field is named after its use case")]
pub struct DeveloperUseCases {
    pub own_apps: ShowDeveloperApps,
    pub register: RegisterApp,
    pub change: ChangeApp,
    pub rotate_secret: RotateAppSecret,
    pub retire_secret: RetireAppSecret,
    pub delete: DeleteApp,
    pub webhooks: AppWebhooks,
    pub create_people: CreateSandboxPeople,
    pub list_people: ListSandboxPeople,
    pub erase_people: EraseSandboxPeople,
    pub sandbox_code: IssueSandboxCode,
}

/// Use cases of uploads.
#[expect(missing_docs, reason = "each field is named after its use case")]
pub struct UploadUseCases {
    pub begin: BeginUpload,
    pub add_part: AddPart,
    pub finish: FinishUpload,
}
