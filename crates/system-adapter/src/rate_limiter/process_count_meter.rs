//! Metrics of in-process counting.

use domain::data_endpoint::PersonEndpoint;
use metrics::{Counter, counter};

/// Counters of decisions, registered once so that a request only increments.
#[derive(Debug)]
pub(super) struct ProcessCountMeter(Vec<(PersonEndpoint, [Counter; 2])>);

impl ProcessCountMeter {
    /// Registers the counters with the installed recorder.
    pub(super) fn new() -> Self {
        let of = |endpoint: PersonEndpoint, outcome: &'static str| {
            counter!(
                "restwell_rate_limit_decisions_total",
                "endpoint" => endpoint.as_str(),
                "outcome" => outcome,
                "counted_in" => "process"
            )
        };
        let counters = |endpoint| (endpoint, [of(endpoint, "refused"), of(endpoint, "granted")]);
        Self(PersonEndpoint::all().map(counters).collect())
    }

    /// Records one decision.
    pub(super) fn decided(&self, endpoint: PersonEndpoint, is_granted: bool) {
        if let Some((_, [refused, granted])) = self.0.iter().find(|(metered, _)| *metered == endpoint) {
            if is_granted { granted } else { refused }.increment(1);
        }
    }
}
