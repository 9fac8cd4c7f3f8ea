//! The section `traces`.

use super::problem::Problem;
use super::section::section;
use url::Url;

section! {
    /// Traces of requests, sent to a collector by OTLP.
    TraceSettings("traces") {
        /// Where traces are sent: a collector that takes OTLP over HTTP in protobuf; `/v1/traces` is appended. Plain
        /// http, so that it should run on this machine or beside it. Not set, no traces are made.
        otlp_endpoint: Option<String> = None, "http URL", "http://127.0.0.1:4318";
        /// Which share of the traces is recorded; the id of a trace decides, so that servers with the same share
        /// record the same ones. What a caller wishes does not count.
        sample_ratio: f64 = Some("0.1"), "0.0 to 1.0", "1.0";
    }
}

impl TraceSettings {
    /// Returns the address to which traces are sent, where they are.
    pub(crate) fn address(&self) -> Option<String> {
        self.otlp_endpoint.as_ref().map(|endpoint| format!("{}/v1/traces", endpoint.trim_end_matches('/')))
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let endpoint = self.otlp_endpoint.as_deref().filter(|endpoint| !is_collector(endpoint));
        let endpoint = endpoint.map(|_| {
            let text = "must be an http URL without name, password, query and fragment, such as http://127.0.0.1:4318";
            Problem::new("traces.otlp_endpoint", text)
        });
        let is_ratio = (0.0..=1.0).contains(&self.sample_ratio);
        let ratio = (!is_ratio).then(|| Problem::new("traces.sample_ratio", "must be between 0.0 and 1.0"));
        endpoint.into_iter().chain(ratio).collect()
    }
}

fn is_collector(endpoint: &str) -> bool {
    Url::parse(endpoint).is_ok_and(|url| {
        let is_bare = url.username().is_empty() && url.password().is_none();
        let is_plain = url.query().is_none() && url.fragment().is_none();
        url.scheme() == "http" && url.has_host() && is_bare && is_plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(endpoint: &str, sample_ratio: f64) -> TraceSettings {
        TraceSettings { otlp_endpoint: Some(endpoint.to_owned()), sample_ratio }
    }

    #[test]
    fn a_collector_is_an_http_url_without_secrets() {
        let good = settings("http://collector:4318/", 0.5);
        assert!(good.problems().is_empty());
        assert_eq!(good.address().as_deref(), Some("http://collector:4318/v1/traces"));
        for bad in
            ["collector:4318", "https://collector", "http://u:p@collector", "http://c/?key=x", "http://"]
        {
            assert_eq!(settings(bad, 1.0).problems().len(), 1, "{bad}");
        }
    }

    #[test]
    fn a_share_is_between_nothing_and_all() {
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(settings("http://c", bad).problems().len(), 1, "{bad}");
        }
    }
}
