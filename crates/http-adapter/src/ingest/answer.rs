//! Response to a batch, item by item.

use crate::problem::RateLimitBody;
use application::import::ingest::{IngestReport, ItemResult, ItemStatus};
use domain::rate_limit::RateStatus;
use serde::Serialize;
use utoipa::ToSchema;

/// Results of the items of a request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IngestAnswer<'a> {
    /// The result of each item, in the order of the items.
    #[schema(value_type = Vec<ItemAnswer>)]
    pub(crate) results: Vec<ItemAnswer<'a>>,
    /// The number of new items.
    pub(crate) created: u32,
    /// The number of known items that changed.
    pub(crate) updated: u32,
    /// The number of known items that did not change.
    pub(crate) unchanged: u32,
    /// The number of rejected items.
    pub(crate) rejected: u32,
    /// The counters of the rate limit.
    pub(crate) limit: RateLimitBody,
}

/// Result of one item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ItemAnswer<'a> {
    /// `created`, `updated`, `unchanged` or `rejected`.
    #[schema(value_type = String)]
    pub(crate) status: &'static str,
    /// The id of the record; absent if the item was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) id: Option<String>,
    /// The reason for a rejection, from a fixed list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, nullable = false)]
    pub(crate) code: Option<&'static str>,
    /// The invalid member, if it is a known one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, nullable = false)]
    pub(crate) field: Option<&'static str>,
    /// The reason for a rejection in words, or the parts of a stored item that were ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, nullable = false)]
    pub(crate) detail: Option<&'a str>,
}

impl<'a> From<&'a ItemResult> for ItemAnswer<'a> {
    fn from(result: &'a ItemResult) -> Self {
        match result {
            ItemResult::Accepted { status, id, detail } => Self {
                status: match status {
                    ItemStatus::Created => "created",
                    ItemStatus::Updated => "updated",
                    ItemStatus::Unchanged => "unchanged",
                },
                id: Some(id.as_hyphenated().to_string()),
                code: None,
                field: None,
                detail: detail.as_deref(),
            },
            ItemResult::Rejected(refusal) => Self {
                status: "rejected",
                id: None,
                code: Some(refusal.code.as_str()),
                field: refusal.field,
                detail: Some(&refusal.detail),
            },
        }
    }
}

impl<'a> IngestAnswer<'a> {
    /// Creates the body of a report.
    pub(crate) fn new(report: &'a IngestReport, rate: RateStatus) -> Self {
        let IngestReport { results, created, updated, unchanged, rejected } = report;
        Self {
            results: results.iter().map(Into::into).collect(),
            created: *created,
            updated: *updated,
            unchanged: *unchanged,
            rejected: *rejected,
            limit: rate.into(),
        }
    }
}

pub(super) fn render(report: &IngestReport, rate: RateStatus) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&IngestAnswer::new(report, rate))
}
