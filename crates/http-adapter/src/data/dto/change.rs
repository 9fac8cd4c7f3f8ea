//! The change feed.

use super::name;
use crate::data::profile::ProfileDto;
use crate::data::sleep::SleepSessionDto;
use crate::data::supplements::SupplementDto;
use crate::problem::RateLimitBody;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Schema;

/// Latest change of one record.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Change)]
pub struct ChangeDto {
    /// `profile`, `sleep` or `supplements`.
    #[serde(rename = "type")]
    #[schema(schema_with = name::change_kinds)]
    pub kind: &'static str,
    /// `upsert`: the record is new or changed; `delete`: it was deleted.
    #[schema(schema_with = operations)]
    pub op: &'static str,
    /// The id of the record: the user, the session, or the log entry.
    #[schema(value_type = uuid::Uuid, example = "9c3e5b1a-2f60-4d8e-8a47-51b0c6d7e8f9")]
    pub id: String,
    /// The current record; absent if it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub record: Option<ChangedRecord>,
}

/// Record in the format of its data endpoint: a profile, a session with stages and metrics, or a supplement
/// with one log.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = ChangedRecord)]
pub enum ChangedRecord {
    /// A profile.
    Profile(ProfileDto),
    /// A session.
    Session(SleepSessionDto),
    /// A supplement with this one log.
    Supplement(SupplementDto),
}

impl ChangeDto {
    /// The operation that stores a record or a new version of it.
    pub const UPSERT: &'static str = "upsert";
    /// The operation that deletes a record.
    pub const DELETE: &'static str = "delete";
}

fn operations() -> Schema {
    name::one_of([ChangeDto::UPSERT, ChangeDto::DELETE])
}

/// Response of the change feed.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangesAnswer {
    /// The changes in the order in which they were stored; only the latest for each record.
    pub data: Vec<ChangeDto>,
    /// The position after these changes: the parameter `cursor` of the next request. It is opaque.
    #[schema(example = "AQAAAABpr5lAAAAAAAAAACoBnD5bGi9gTY6KR1Gwxtfo-Q")]
    pub cursor: String,
    /// Whether more changes are available now.
    #[schema(example = false)]
    pub has_more: bool,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}
