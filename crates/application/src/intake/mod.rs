//! What a person takes: shown to them, and entered by hand.

mod change_intake;
mod log_intake;
mod own_product;
mod search_supplements;
mod show_intake;

pub use change_intake::*;
pub use log_intake::*;
pub use own_product::*;
pub use search_supplements::*;
pub use show_intake::*;
