//! The section `traces`.

use super::problem::Problem;
use super::section::section;
use std::path::PathBuf;
use tls_trust::{Authorities, NoAuthorities, Trust};
use url::Url;

section! {
    /// Traces over OTLP.
    TraceSettings("traces") {
        /// Collector (OTLP over HTTP with protobuf); `/v1/traces` is appended. An http collector should run
        /// on this machine. If unset, traces are off.
        otlp_endpoint: Option<String> = None, "http or https URL", "http://127.0.0.1:4318";
        /// PEM file with the authorities of an https collector. Default: those of the operating system.
        otlp_certificates_file: Option<PathBuf> = None, "path", "/etc/restwell/collector-ca.pem";
        /// Share of traces recorded, decided by the trace id. The caller's sampling flag is ignored.
        sample_ratio: f64 = Some("0.1"), "0.0 to 1.0", "1.0";
    }
}

impl TraceSettings {
    /// Returns the URL to which traces are sent; `None` if traces are off.
    pub(crate) fn address(&self) -> Option<String> {
        self.otlp_endpoint.as_ref().map(|endpoint| format!("{}/v1/traces", endpoint.trim_end_matches('/')))
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let endpoint = self.otlp_endpoint.as_deref().filter(|endpoint| !is_collector(endpoint));
        let endpoint = endpoint.map(|_| {
            let text = "must be an http or https URL without name, password, query and fragment, such as http://127.0.0.1:4318";
            Problem::new("traces.otlp_endpoint", text)
        });
        let is_ratio = (0.0..=1.0).contains(&self.sample_ratio);
        let ratio = (!is_ratio).then(|| Problem::new("traces.sample_ratio", "must be between 0.0 and 1.0"));
        endpoint.into_iter().chain(self.certificates_problem()).chain(ratio).collect()
    }

    /// Returns which certificates of the collector are trusted.
    pub(crate) fn trust(&self) -> Result<Trust, NoAuthorities> {
        match &self.otlp_certificates_file {
            _ if !self.is_encrypted() => Ok(Trust::NoServer),
            Some(path) => Authorities::from_file(path).map(Trust::Authorities),
            None => Authorities::from_system().map(Trust::Authorities),
        }
    }

    fn is_encrypted(&self) -> bool {
        let scheme = self.otlp_endpoint.as_deref().and_then(|endpoint| endpoint.split_once("://"));
        scheme.is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"))
    }

    fn certificates_problem(&self) -> Option<Problem> {
        const KEY: &str = "traces.otlp_certificates_file";
        if self.otlp_certificates_file.is_some() && !self.is_encrypted() {
            return Some(Problem::new(KEY, "is set, but traces.otlp_endpoint is not an https URL"));
        }
        match self.trust() {
            Ok(_) => None,
            Err(none @ NoAuthorities::File(_)) => Some(Problem::new(KEY, format!("cannot be used: {none}"))),
            Err(none @ NoAuthorities::System) => Some(Problem::new(
                KEY,
                format!("must be set: {none}, and traces.otlp_endpoint is an https URL"),
            )),
        }
    }
}

fn is_collector(endpoint: &str) -> bool {
    Url::parse(endpoint).is_ok_and(|url| {
        let is_bare = url.username().is_empty() && url.password().is_none();
        let is_plain = url.query().is_none() && url.fragment().is_none();
        ["http", "https"].contains(&url.scheme()) && url.has_host() && is_bare && is_plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(endpoint: &str, sample_ratio: f64) -> TraceSettings {
        TraceSettings { otlp_endpoint: Some(endpoint.to_owned()), otlp_certificates_file: None, sample_ratio }
    }

    #[test]
    fn a_collector_is_an_http_url_without_secrets() {
        let good = settings("http://collector:4318/", 0.5);
        assert!(good.problems().is_empty());
        assert_eq!(good.address().as_deref(), Some("http://collector:4318/v1/traces"));
        for bad in ["collector:4318", "ftp://collector", "http://u:p@collector", "http://c/?key=x", "http://"]
        {
            assert_eq!(settings(bad, 1.0).problems().len(), 1, "{bad}");
        }
    }

    #[test]
    fn certificates_are_for_an_encrypted_collector_and_have_to_be_there() {
        let with = |endpoint: &str, path: &str| {
            let certificates = Some(PathBuf::from(path));
            let settings = TraceSettings { otlp_certificates_file: certificates, ..settings(endpoint, 1.0) };
            let problems = settings.problems();
            assert_eq!(problems.len(), 1, "{endpoint}");
            problems.iter().map(ToString::to_string).collect::<String>()
        };
        let message = with("http://collector", "/nonexistent/ca.pem");
        assert!(
            message.contains("otlp_certificates_file is set, but traces.otlp_endpoint is not an https"),
            "{message}"
        );
        let message = with("https://collector", "/nonexistent/ca.pem");
        assert!(
            message.contains("otlp_certificates_file cannot be used")
                && message.contains("/nonexistent/ca.pem"),
            "{message}"
        );
        assert!(matches!(settings("http://collector", 1.0).trust(), Ok(Trust::NoServer)));
    }

    #[test]
    fn a_sample_ratio_is_between_0_and_1() {
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(settings("http://c", bad).problems().len(), 1, "{bad}");
        }
    }
}
