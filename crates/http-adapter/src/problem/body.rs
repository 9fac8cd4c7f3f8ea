//! Error bodies.

use super::FieldError;
use domain::rate_limit::RateStatus;
use serde::Serialize;
use utoipa::ToSchema;

/// The counters of the rate limit, named as in the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct RateLimitBody {
    /// The limit of the UTC day.
    #[serde(rename = "X-RateLimit-Limit")]
    pub limit: u32,
    /// The remaining requests of the day.
    #[serde(rename = "X-RateLimit-Remaining")]
    pub remaining: u32,
    /// The next 00:00 UTC in Unix seconds.
    #[serde(rename = "X-RateLimit-Reset")]
    pub reset: i64,
}

impl From<RateStatus> for RateLimitBody {
    fn from(RateStatus { limit, remaining, reset, allowed: _ }: RateStatus) -> Self {
        Self { limit, remaining, reset }
    }
}

/// Error of every endpoint but the token endpoints: `application/problem+json` (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
pub struct ProblemBody<'a> {
    /// The URL of the reference's entry about this kind of problem.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub kind: String,
    /// The kind of problem in a few words.
    #[schema(value_type = String)]
    pub title: &'a str,
    /// The HTTP status.
    pub status: u16,
    /// The details of this occurrence.
    #[schema(value_type = String)]
    pub detail: &'a str,
    /// The stable name of the kind of problem.
    #[schema(value_type = String)]
    pub code: &'a str,
    /// The id of the request in the operator's log; also the header `X-Request-Id`.
    #[schema(value_type = String)]
    pub request_id: &'a str,
    /// The errors of the parameters, on 400.
    #[serde(skip_serializing_if = "<[FieldError]>::is_empty")]
    #[schema(value_type = Vec<FieldError>, required = false)]
    pub errors: &'a [FieldError],
    /// The counters of the rate limit, on 429.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub limit: Option<RateLimitBody>,
}

/// Error of the token endpoints (RFC 6749 section 5.2).
#[derive(Debug, Serialize, ToSchema)]
pub struct OAuthErrorBody<'a> {
    /// The error code.
    #[schema(value_type = String)]
    pub error: &'a str,
    /// The details: ASCII without quotes and backslashes, never a part of the request.
    #[schema(value_type = String)]
    pub error_description: &'a str,
}
