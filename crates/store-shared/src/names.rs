//! Names of kinds, and values that are spread over several columns.

use application::ports::storage::RecordReference;
use chrono::{DateTime, Utc};
use domain::address::AddressBlock;
use domain::client::{ClientKind, Review};
use domain::grant::{AgentName, UsedFrom};
use domain::id::{ClientId, IntakeLogId, PersonalTokenId, SleepSessionId, SupplementId, UserId};
use domain::password_link::PasswordLinkPurpose;
use domain::read_tally::Reader;
use domain::sleep::SessionKeyKind;
use domain::user::Email;
use domain::webhook::{DisableReason, EndpointStatus};
use uuid::Uuid;

const SESSION: &str = "session";
const LOG: &str = "log";
const LABEL: &str = "label";

/// Returns the kind and the id of a record.
pub const fn record_parts(record: RecordReference) -> (&'static str, Uuid) {
    match record {
        RecordReference::Session(id) => (SESSION, id.as_uuid()),
        RecordReference::Log(id) => (LOG, id.as_uuid()),
        RecordReference::Label(id) => (LABEL, id.as_uuid()),
    }
}

/// Parses a record from its kind and id.
pub fn parse_record(kind: &str, id: Uuid) -> Option<RecordReference> {
    match kind {
        SESSION => Some(RecordReference::Session(SleepSessionId::from_uuid(id))),
        LOG => Some(RecordReference::Log(IntakeLogId::from_uuid(id))),
        LABEL => Some(RecordReference::Label(SupplementId::from_uuid(id))),
        _ => None,
    }
}

const CLIENT: &str = "client";
const PERSONAL_TOKEN: &str = "personal_token";

/// Returns the kind and the id of a reader.
pub const fn reader_parts(reader: Reader) -> (&'static str, Uuid) {
    match reader {
        Reader::Client(id) => (CLIENT, id.as_uuid()),
        Reader::PersonalToken(id) => (PERSONAL_TOKEN, id.as_uuid()),
    }
}

/// Parses a reader from its kind and id.
pub fn parse_reader(kind: &str, id: Uuid) -> Option<Reader> {
    match kind {
        CLIENT => Some(Reader::Client(ClientId::from_uuid(id))),
        PERSONAL_TOKEN => Some(Reader::PersonalToken(PersonalTokenId::from_uuid(id))),
        _ => None,
    }
}

/// Returns the name of a session key's kind.
pub const fn key_kind_name(kind: SessionKeyKind) -> &'static str {
    match kind {
        SessionKeyKind::Given => "given",
        SessionKeyKind::Derived => "derived",
    }
}

/// Parses the kind of a session key.
pub fn parse_key_kind(name: &str) -> Option<SessionKeyKind> {
    [SessionKeyKind::Given, SessionKeyKind::Derived].into_iter().find(|kind| key_kind_name(*kind) == name)
}

/// Returns the name of a client's kind, and whether the client is public.
pub const fn client_kind_parts(kind: ClientKind) -> (&'static str, bool) {
    match kind {
        ClientKind::App => ("app", false),
        ClientKind::PublicApp => ("app", true),
        ClientKind::Service => ("service", false),
    }
}

/// Parses the kind of a client.
pub fn parse_client_kind(name: &str, is_public: bool) -> Option<ClientKind> {
    let kinds = [ClientKind::App, ClientKind::PublicApp, ClientKind::Service];
    kinds.into_iter().find(|kind| client_kind_parts(*kind) == (name, is_public))
}

/// Returns the owner of a client, and whether it is a draft.
pub const fn review_parts(review: Review) -> (Option<UserId>, bool) {
    (review.owner(), review.is_draft())
}

/// Parses the review of a client.
pub const fn parse_review(owner: Option<UserId>, is_draft: bool) -> Option<Review> {
    match (owner, is_draft) {
        (owner, false) => Some(Review::Approved { owner }),
        (Some(owner), true) => Some(Review::Draft { owner }),
        (None, true) => None,
    }
}

const INVITATION: &str = "invitation";
const RESET: &str = "reset";
const SIGN_UP: &str = "sign_up";
const EMAIL_CHANGE: &str = "email_change";

/// Returns the purpose, the person and the email address of a password link.
pub const fn link_parts(purpose: &PasswordLinkPurpose) -> (&'static str, Option<UserId>, Option<&Email>) {
    match purpose {
        PasswordLinkPurpose::Invitation { user_id } => (INVITATION, Some(*user_id), None),
        PasswordLinkPurpose::Reset { user_id } => (RESET, Some(*user_id), None),
        PasswordLinkPurpose::SignUp { email } => (SIGN_UP, None, Some(email)),
        PasswordLinkPurpose::EmailChange { user_id, email } => (EMAIL_CHANGE, Some(*user_id), Some(email)),
    }
}

/// Parses the purpose of a password link.
pub fn parse_link(name: &str, user_id: Option<UserId>, email: Option<Email>) -> Option<PasswordLinkPurpose> {
    match (name, user_id, email) {
        (INVITATION, Some(user_id), None) => Some(PasswordLinkPurpose::Invitation { user_id }),
        (RESET, Some(user_id), None) => Some(PasswordLinkPurpose::Reset { user_id }),
        (SIGN_UP, None, Some(email)) => Some(PasswordLinkPurpose::SignUp { email }),
        (EMAIL_CHANGE, Some(user_id), Some(email)) => {
            Some(PasswordLinkPurpose::EmailChange { user_id, email })
        }
        _ => None,
    }
}

/// Returns the address and the user agent of a token's last use.
pub fn used_from_parts(from: &UsedFrom) -> (String, Option<String>) {
    let UsedFrom { address, agent } = from;
    (address.to_string(), agent.as_ref().map(|agent| agent.as_str().to_owned()))
}

/// Parses the address and the user agent of a token's last use; an error is the name of the corrupt column.
pub fn parse_used_from(address: Option<&str>, agent: Option<&str>) -> Result<Option<UsedFrom>, &'static str> {
    // A user agent is truncated and cleaned before it is stored, so parsing must not change it.
    let name = |text| AgentName::from_header(text).filter(|name| name.as_str() == text);
    let agent = agent.map(|text| name(text).ok_or("last_used_agent")).transpose()?;
    let address = address.map(AddressBlock::parse).transpose().map_err(|_| "last_used_address")?;
    match (address, agent) {
        (Some(address), agent) => Ok(Some(UsedFrom { address, agent })),
        (None, None) => Ok(None),
        (None, Some(_)) => Err("last_used_address"),
    }
}

/// Returns the name of an endpoint's status, and the time at which the endpoint was disabled.
pub const fn endpoint_status_parts(status: EndpointStatus) -> (&'static str, Option<DateTime<Utc>>) {
    match status {
        EndpointStatus::Unconfirmed => ("unconfirmed", None),
        EndpointStatus::Active => ("active", None),
        EndpointStatus::Disabled { at, reason } => (reason.as_str(), Some(at)),
    }
}

/// Parses an endpoint's status.
pub fn parse_endpoint_status(name: &str, disabled_at: Option<DateTime<Utc>>) -> Option<EndpointStatus> {
    match (name, disabled_at) {
        ("unconfirmed", None) => Some(EndpointStatus::Unconfirmed),
        ("active", None) => Some(EndpointStatus::Active),
        (_, Some(at)) => DisableReason::parse(name).map(|reason| EndpointStatus::Disabled { at, reason }),
        (_, None) => None,
    }
}
