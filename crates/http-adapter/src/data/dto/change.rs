//! The change feed.

use super::{ProfileDto, SleepSessionDto, SupplementDto, name};
use crate::problem::RateLimitBody;
use serde::Serialize;
use utoipa::ToSchema;

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Change)]
pub struct ChangeDto {
    /// `profile`, `sleep` or `supplements`.
    #[serde(rename = "type")]
    #[schema(schema_with = name::change_kinds)]
    pub kind: &'static str,
    /// `upsert`: the record is new or another; `delete`: it is gone.
    #[schema(schema_with = name::change_operations)]
    pub op: &'static str,
    /// The record: the user, the session, or the log entry.
    #[schema(value_type = uuid::Uuid, example = "9c3e5b1a-2f60-4d8e-8a47-51b0c6d7e8f9")]
    pub id: String,
    /// The record as it is now; not there when it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub record: Option<ChangedRecord>,
}

/// A record as its data endpoint tells it: a profile, a session with stages and metrics, or a supplement with one log.
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
    /// The operation that stores a record or another version of it.
    pub const UPSERT: &'static str = "upsert";
    /// The operation that deletes it.
    pub const DELETE: &'static str = "delete";
}

/// The answer of the change feed.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ChangesAnswer {
    /// What changed, in the order in which it was stored; of each record its last change alone.
    pub data: Vec<ChangeDto>,
    /// Where to go on: the parameter `cursor` of the next request. It means nothing else.
    #[schema(example = "AQAAAABpr5lAAAAAAAAAACoBnD5bGi9gTY6KR1Gwxtfo-Q")]
    pub cursor: String,
    /// Whether there are more changes at once.
    #[schema(example = false)]
    pub has_more: bool,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}
