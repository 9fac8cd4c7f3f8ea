//! Intakes of a person: reading and manual entry.

mod change_intake;
mod custom_product;
mod log_intake;
mod search_supplements;
mod show_intake;

pub use change_intake::*;
pub use custom_product::*;
pub use log_intake::*;
pub use search_supplements::*;
pub use show_intake::*;
