//! Request and response types of the data endpoints: the contract of the `OpenAPI` document.
//!
//! Responses destructure domain values exhaustively, so that a new field does not compile until it is shown or left out
//! on purpose. Members are declared in the order in which they are sent. `restwell export` writes the same types.

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
