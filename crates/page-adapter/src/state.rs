//! Dependencies of the pages.

use application::account::{
    ChangePassword, ChoosePassword, CompleteSignIn, ConfirmEmailChange, FindPasswordLink, FindPendingSignIn,
    KeptForms, RequestEmailChange, RequestPasswordReset, RequestSignUp, Sessions, SetUpSignIn, SignIn,
};
use application::audit::ListActivity;
use application::authorization::{BeginAuthorization, DecideConsent, FindPendingApp, OpenConsent};
use application::connection::{DisconnectApps, ListConnectedApps};
use application::developer::{
    ChangeApp, DeleteApp, IssueSandboxCode, RegisterApp, RetireAppSecret, RotateAppSecret, ShowDeveloperApps,
};
use application::erasure::ErasePerson;
use application::import::Imports;
use application::intake::Intakes;
use application::night::Nights;
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::profile::Profiles;
use application::sandbox::{CreateSandboxPeople, EraseSandboxPeople, ListSandboxPeople};
use application::second_factor::SecondFactors;
use application::upload::{UploadFormat, Uploads};
use application::webhook::Webhooks;
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
#[expect(missing_docs, reason = "each field is named after its service or use case")]
pub struct PageState {
    /// Dependencies shared with the middleware.
    pub http: Arc<HttpState>,
    /// Generator of visit cookies.
    pub visits: VisitSource,
    /// Current time, for pages that show or ask for today's date.
    pub now: TimeSource,
    pub kept_forms: KeptForms,
    pub profiles: Profiles,
    pub intakes: Intakes,
    pub begin_authorization: BeginAuthorization,
    pub find_pending_app: FindPendingApp,
    pub open_consent: OpenConsent,
    pub decide_consent: DecideConsent,
    pub sign_in: SignIn,
    pub find_pending_sign_in: FindPendingSignIn,
    pub complete_sign_in: CompleteSignIn,
    pub set_up_sign_in: SetUpSignIn,
    pub second_factors: SecondFactors,
    pub sessions: Sessions,
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
    pub nights: Nights,
    pub list_connected_apps: ListConnectedApps,
    pub disconnect_apps: DisconnectApps,
    pub personal_tokens: PersonalTokens,
    /// `None` if developers cannot register apps themselves.
    pub developer: Option<DeveloperUseCases>,
    pub passkeys: Passkeys,
    pub list_activity: ListActivity,
    pub imports: Imports,
    pub export: Arc<ExportUseCases>,
    pub erase_person: ErasePerson,
    /// Formats of files that people upload, for the help page.
    pub upload_formats: Vec<UploadFormat>,
    /// `None` if uploads are disabled.
    pub uploads: Option<Uploads>,
}

/// Use cases of developers.
#[expect(missing_docs, reason = "each field is named after its service or use case")]
pub struct DeveloperUseCases {
    pub own_apps: ShowDeveloperApps,
    pub register: RegisterApp,
    pub change: ChangeApp,
    pub rotate_secret: RotateAppSecret,
    pub retire_secret: RetireAppSecret,
    pub delete: DeleteApp,
    pub webhooks: Webhooks,
    pub create_people: CreateSandboxPeople,
    pub list_people: ListSandboxPeople,
    pub erase_people: EraseSandboxPeople,
    pub sandbox_code: IssueSandboxCode,
}
