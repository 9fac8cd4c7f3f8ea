//! FHIR R4: Observations of sleep, alone, in lists or in Bundles.

use crate::recognition::{Recognised, Seen};

/// Recognises nothing yet.
pub(crate) const fn recognise(_seen: &Seen, _named: bool) -> Option<Recognised> {
    None
}
