//! What the data endpoints answer, as types: the contract of the `OpenAPI` document.
//!
//! Made of domain values by exhaustive destructuring, so that a new field does not compile until somebody has
//! decided whether the API shows it. The members stand in the order in which they are sent. `restwell export`
//! writes the same types, so that a line of an export has exactly the API's members and spellings.

mod answer;
mod change;
mod name;
mod number;
mod profile;
mod sleep;
mod supplement;

pub use answer::{PaginationDto, ProfileAnswer, SleepAnswer, SupplementsAnswer};
pub use change::{ChangeDto, ChangedRecord, ChangesAnswer};
pub use number::Number;
pub use profile::ProfileDto;
pub use sleep::{Include, MetricDto, SleepSessionDto, StageDto};
pub use supplement::{IngredientDto, SupplementDetailsDto, SupplementDto, SupplementLogDto};
