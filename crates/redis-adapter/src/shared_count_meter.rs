//! Metrics of the shared counter.

use domain::data_endpoint::PersonEndpoint;
use metrics::{Counter, counter, gauge};

/// Counters of the store's decisions, registered once so that a request only increments.
pub(crate) struct SharedCountMeter(Vec<(PersonEndpoint, [Counter; 2])>);

impl SharedCountMeter {
    /// Registers the counters with the installed recorder.
    pub(crate) fn new() -> Self {
        let of = |endpoint: PersonEndpoint, outcome: &'static str| {
            counter!(
                "restwell_rate_limit_decisions_total",
                "endpoint" => endpoint.as_str(),
                "outcome" => outcome,
                "counted_in" => "redis"
            )
        };
        let counters = |endpoint| (endpoint, [of(endpoint, "refused"), of(endpoint, "granted")]);
        Self(PersonEndpoint::all().map(counters).collect())
    }

    /// Records one decision.
    pub(crate) fn decided(&self, endpoint: PersonEndpoint, is_granted: bool) {
        let found = self.0.iter().find(|(metered, _)| *metered == endpoint);
        if let Some((_, [refused, granted])) = found {
            if is_granted { granted } else { refused }.increment(1);
        }
    }
}

/// Records whether requests are counted in the store.
pub(crate) fn set_up(is_up: bool) {
    gauge!("restwell_rate_limit_store_up").set(f64::from(u8::from(is_up)));
}

/// Records an outage.
pub(crate) fn outage() {
    counter!("restwell_rate_limit_store_outages_total").increment(1);
}
