//! Reads a user's intake by local day.

use crate::access::GrantedAccess;
use crate::audit::ReadRecorder;
use crate::intake::{Intake, IntakeRange, Intakes};
use crate::ports::storage::StorageError;
use chrono::NaiveDate;
use derive_more::Constructor;
use domain::data_kind::DataKind;
use domain::read_tally::RequestedRange;

/// Reads intake by day.
#[derive(Constructor)]
pub struct ReadIntake {
    intakes: Intakes,
    recorder: ReadRecorder,
}

impl ReadIntake {
    /// Returns the authorized user's intake of a range of days.
    pub async fn run(&self, access: &GrantedAccess, range: IntakeRange) -> Result<Intake, StorageError> {
        let intake = self.intakes.show(access.user_id, range).await?;
        let IntakeRange { first, last, zone } = range;
        let range =
            RequestedRange { from: Some(zone.first_instant_of(first)), to: Some(zone.last_instant_of(last)) };
        self.recorder.record_data(access, DataKind::Supplements, intake.supplements.len(), range);
        Ok(intake)
    }

    /// Returns the local day of the user's oldest log, if there is one. Part of a read that is recorded.
    pub async fn earliest(&self, access: &GrantedAccess) -> Result<Option<NaiveDate>, StorageError> {
        self.intakes.earliest(access.user_id, access.home_timezone).await
    }
}
