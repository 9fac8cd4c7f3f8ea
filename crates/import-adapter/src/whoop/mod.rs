//! WHOOP: `sleeps.csv` of its export.

use crate::recognition::{Recognised, Seen};

/// Recognises nothing yet.
pub(crate) const fn recognise(_seen: &Seen, _named: bool) -> Option<Recognised> {
    None
}
