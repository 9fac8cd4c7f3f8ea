//! Oura: sleep documents of its API, versions 1 and 2, and of its export.

use crate::recognition::{Recognised, Seen};

/// Recognises nothing yet.
pub(crate) const fn recognise(_seen: &Seen, _named: bool) -> Option<Recognised> {
    None
}
