//! Dependencies that every endpoint shares, fixed for tests.

use crate::problem::ErrorPages;
use crate::{
    Admission, Check, CheckState, HealthCheck, HttpSettings, HttpState, LogSuppression, UnnamedProxyWarning,
};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Request id of every test.
pub const REQUEST_ID: &str = "00000000-0000-4000-8000-0000000000aa";

/// Health that never changes.
#[derive(Debug, Clone, Copy)]
pub struct FixedHealth {
    /// Whether the clock is right.
    pub is_ready: bool,
    /// Reason why writes are refused.
    pub refuses_writes: Option<&'static str>,
    /// Whether the process is about to stop.
    pub is_draining: bool,
}

impl Default for FixedHealth {
    /// Returns the health of a process that serves everything.
    fn default() -> Self {
        Self { is_ready: true, refuses_writes: None, is_draining: false }
    }
}

impl HealthCheck for FixedHealth {
    fn checks(&self) -> Vec<Check> {
        let check = |name, is_ok| Check { name, state: CheckState::from_bool(is_ok) };
        let writes =
            self.refuses_writes.map(|reason| Check { name: "writes", state: CheckState::ReadOnly(reason) });
        [check("database", true), check("clock", self.is_ready)].into_iter().chain(writes).collect()
    }

    fn is_draining(&self) -> bool {
        self.is_draining
    }
}

/// Creates the state of a healthy process with default limits, in which no time passes.
pub fn http_state(settings: HttpSettings) -> HttpState {
    HttpState {
        health: Arc::new(FixedHealth::default()),
        request_ids: Arc::new(|| Uuid::try_parse(REQUEST_ID).unwrap()),
        elapsed_time: Arc::new(|| Duration::from_micros(7)),
        record_usage: Arc::new(|_, _| ()),
        trace: None,
        admission: Admission::default(),
        log_suppression: LogSuppression::default(),
        unnamed_proxy: UnnamedProxyWarning::default(),
        is_doctor_pass: Arc::new(|pass| pass == "valid"),
        error_pages: ErrorPages::default(),
        settings,
    }
}
