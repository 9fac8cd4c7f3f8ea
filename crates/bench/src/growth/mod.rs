//! What grows: people's sessions, clients, replicas.

use crate::case::Case;

/// The cases of this module.
pub(crate) const CASES: &[Case] = &[];
