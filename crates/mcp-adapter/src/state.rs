//! Dependencies of the endpoint.

use application::night::Nights;
use application::read::ReadIntake;
use http_adapter::ApiState;
use std::sync::Arc;

/// Use cases of the tools; shared by all workers.
pub struct McpState {
    /// Access checks and reads of the data endpoints.
    pub api: Arc<ApiState>,
    /// Today's date, and the first and last night on record.
    pub nights: Nights,
    /// Intake by day.
    pub read_intake: ReadIntake,
}
