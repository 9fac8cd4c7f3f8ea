//! Progress of reading a file.

use crate::ports::import_source::ImportRefusal;
use std::ops::ControlFlow;

/// The two passes over a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportPass {
    /// Checks whether the file is complete; stores nothing.
    Checking,
    /// Stores records.
    Storing,
}

/// Receives the bytes read in a pass, and decides whether to continue.
pub type Progress<'a> = &'a (dyn Fn(ImportPass, u64) -> ControlFlow<()> + Send + Sync);

/// Fails with [`ImportRefusal::Stopped`] if the import must stop.
pub(super) fn stop_on_break(wish: ControlFlow<()>) -> Result<(), ImportRefusal> {
    if wish.is_break() { Err(ImportRefusal::Stopped) } else { Ok(()) }
}
