//! Records that form sessions together, also those of several files of an import.

use crate::segments::Segments;
use crate::source::Items;
use crate::{fhir, open_mhealth};

/// Records of each format whose sessions are known after its last file.
#[derive(Debug)]
pub(crate) struct Collections {
    pub(crate) apple_health: Segments,
    pub(crate) fhir: fhir::Collected,
    pub(crate) open_mhealth: open_mhealth::Collected,
    pub(crate) withings: Segments,
}

impl Default for Collections {
    fn default() -> Self {
        Self {
            apple_health: Segments::new("line"),
            fhir: fhir::Collected::default(),
            open_mhealth: open_mhealth::Collected::default(),
            withings: Segments::new("record"),
        }
    }
}

impl Collections {
    /// Sets the number of the file that contains the records that are added next.
    pub(crate) const fn begin_file(&mut self, file: u32) {
        self.apple_health.begin_file(file);
        self.fhir.begin_file(file);
        self.open_mhealth.begin_file(file);
        self.withings.begin_file(file);
    }

    /// Emits the next session; returns the file of its first record, `None` at the end.
    pub(crate) fn next_session(&mut self, items: &mut Items) -> Option<u32> {
        self.apple_health
            .next_session(items)
            .or_else(|| self.fhir.next_session(items))
            .or_else(|| self.open_mhealth.next_session(items))
            .or_else(|| self.withings.next_session(items))
    }
}
