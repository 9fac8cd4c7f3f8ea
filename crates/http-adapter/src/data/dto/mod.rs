//! Request and response types of the data endpoints, from which the `OpenAPI` document is generated.
//!
//! Responses destructure domain values exhaustively: a new field does not compile until it is shown or
//! deliberately omitted. Members are declared in the order in which they are sent. `restwell export` writes
//! the same types.

mod change;
pub mod item;
pub(super) mod name;
mod number;
pub mod query;

pub use change::{ChangeDto, ChangedRecord, ChangesAnswer};
pub use number::Number;

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
