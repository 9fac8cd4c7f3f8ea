//! Dependencies of the pages.

use application::account::{PasswordLinks, Passwords, SignIns};
use application::audit::ListActivity;
use application::authorization::Authorizations;
use application::client::Clients;
use application::code::Codes;
use application::erasure::Erasures;
use application::grant::Grants;
use application::import::Imports;
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::profile::Profiles;
use application::record::RecordServices;
use application::sandbox::SandboxPeople;
use application::second_factor::SecondFactors;
use application::session::Sessions;
use application::store::Store;
use application::upload::{UploadFormat, Uploads};
use application::webhook::Webhooks;
use http_adapter::{ExportUseCases, HttpState};
use std::sync::Arc;

/// Services of the pages; shared by all workers.
#[expect(missing_docs, reason = "each field is named after its service or use case")]
pub struct PageState {
    /// Dependencies shared with the middleware.
    pub http: Arc<HttpState>,
    /// The clock, and the source of cookies for browsers without a signed-in person.
    pub store: Store,
    pub profiles: Profiles,
    pub records: RecordServices,
    pub authorizations: Authorizations,
    pub sign_ins: SignIns,
    pub second_factors: SecondFactors,
    pub sessions: Sessions,
    pub passwords: Passwords,
    pub password_links: PasswordLinks,
    pub grants: Grants,
    pub personal_tokens: PersonalTokens,
    /// `None` if developers cannot register apps themselves.
    pub developer: Option<DeveloperServices>,
    pub passkeys: Passkeys,
    pub list_activity: ListActivity,
    pub imports: Imports,
    pub export: Arc<ExportUseCases>,
    pub erasures: Erasures,
    /// Formats of files that people upload, for the help page.
    pub upload_formats: Vec<UploadFormat>,
    /// `None` if uploads are disabled.
    pub uploads: Option<Uploads>,
}

/// Services of developers.
#[expect(missing_docs, reason = "each field is named after its service or use case")]
pub struct DeveloperServices {
    pub clients: Clients,
    pub webhooks: Webhooks,
    pub people: SandboxPeople,
    pub codes: Codes,
}
