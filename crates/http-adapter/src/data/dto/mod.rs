//! Request and response types of the data endpoints, from which the `OpenAPI` document is generated.
//!
//! Responses destructure domain values exhaustively: a new field does not compile until it is shown or
//! deliberately omitted. Members are declared in the order in which they are sent. `restwell export` writes
//! the same types.

mod answer;
mod change;
pub mod item;
mod name;
mod number;
mod profile;
pub mod query;
mod sleep;
mod supplement;

pub use answer::{PaginationDto, ProfileAnswer, SleepAnswer, SupplementsAnswer};
pub use change::{ChangeDto, ChangedRecord, ChangesAnswer};
pub use number::Number;
pub use profile::ProfileDto;
pub use sleep::{Include, MetricDto, SleepSessionDto, StageDto};
pub use supplement::{IngredientDto, SupplementDetailsDto, SupplementDto, SupplementLogDto};
