//! Response bodies of the three data endpoints.

use super::{ProfileDto, SleepSessionDto, SupplementDto};
use crate::problem::RateLimitBody;
use serde::Serialize;
use utoipa::ToSchema;

/// The position of a page in its list. The links are relative: path without `v1`, and query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Pagination)]
pub struct PaginationDto {
    /// The number of this page.
    #[schema(minimum = 1, example = 2)]
    pub current_page: u64,
    /// Whether a further page exists.
    #[schema(example = true)]
    pub has_more: bool,
    /// The link to the next page; null if there is none.
    #[schema(
        required = true,
        example = "/api/sleep/3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48?page=3&pageSize=100"
    )]
    pub next_page: Option<String>,
    /// The link to the previous page; null on the first page.
    #[schema(
        required = true,
        example = "/api/sleep/3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48?page=1&pageSize=100"
    )]
    pub prev_page: Option<String>,
}

/// Response of the profile endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ProfileAnswer {
    /// The profile.
    pub data: ProfileDto,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}

/// Response of the sleep endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SleepAnswer {
    /// The sessions of the page, by start of the time in bed.
    pub data: Vec<SleepSessionDto>,
    /// The position of the page.
    pub pagination: PaginationDto,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}

/// Response of the supplements endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SupplementsAnswer {
    /// The supplements of the page, by their first log in the range.
    pub data: Vec<SupplementDto>,
    /// The position of the page.
    pub pagination: PaginationDto,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}
