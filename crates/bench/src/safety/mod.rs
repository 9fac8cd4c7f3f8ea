//! What each check adds to a request.

use crate::case::Case;

/// The cases of this module.
pub(crate) const CASES: &[Case] = &[];
