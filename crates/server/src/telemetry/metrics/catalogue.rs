//! All metrics. The reference, the help texts and the buckets are generated from this table.

use application::import::ingest::IngestKind;
use domain::data_endpoint::PersonEndpoint;
use metrics::{describe_counter, describe_gauge, describe_histogram};
use std::fmt::Write as _;

/// Kind of a metric, with the buckets of histograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
    /// Request durations: half a millisecond to half a minute.
    RequestTimes,
    /// Durations of steps within a request: a tenth of a millisecond to ten seconds.
    StepTimes,
    /// Revocation delays: finest around the guaranteed two seconds.
    RevocationTimes,
}

#[derive(Debug, Clone, Copy)]
struct Metric {
    name: &'static str,
    kind: Kind,
    /// Labels with their possible values; empty if the head of the reference describes them.
    labels: &'static [(&'static str, &'static str)],
    about: &'static str,
}

const REQUEST_SECONDS: [f64; 15] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
const STEP_SECONDS: [f64; 13] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 3.0, 10.0];
const REVOCATION_SECONDS: [f64; 10] = [0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 5.0, 30.0];

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::RequestTimes | Self::StepTimes | Self::RevocationTimes => "histogram",
        }
    }

    const fn buckets(self) -> Option<&'static [f64]> {
        match self {
            Self::Counter | Self::Gauge => None,
            Self::RequestTimes => Some(&REQUEST_SECONDS),
            Self::StepTimes => Some(&STEP_SECONDS),
            Self::RevocationTimes => Some(&REVOCATION_SECONDS),
        }
    }
}

// The head of the reference describes these.
const ROUTE: (&str, &str) = ("route", "");
const METHOD: (&str, &str) = ("method", "");
const STATUS: (&str, &str) = ("status", "");
const POOL: (&str, &str) = ("pool", "");

// Values that other tables list.
const ENDPOINTS: &str = "each endpoint";
const INGEST_KINDS: &str = "each kind of item";

macro_rules! metrics {
    ($($name:literal $kind:ident [$($label:expr),*] $about:literal;)+) => {
        const METRICS: &[Metric] = &[
            $(Metric { name: $name, kind: Kind::$kind, labels: &[$($label),*], about: $about },)+
        ];
    };
}

metrics! {
    "restwell_http_requests_total" Counter [ROUTE, METHOD, STATUS]
        "Requests answered.";
    "restwell_http_request_seconds" RequestTimes [ROUTE, METHOD]
        "Time from the head of a request to the head of its response.";
    "restwell_http_requests_in_flight" Gauge []
        "Requests in progress.";
    "restwell_http_response_bytes_total" Counter [ROUTE, METHOD]
        "Bytes of response bodies.";
    "restwell_problems_total" Counter [("code", "")]
        "Requests answered with a problem.";
    "restwell_token_requests_total" Counter [("grant_type", "`authorization_code`, `refresh_token`, `client_credentials`, `unread`"), ("outcome", "`issued`, or a `code`")]
        "Requests to the token endpoints; `unread` are those with an invalid form.";
    "restwell_sign_ins_total" Counter [("outcome", "`signed_in`, `wrong_credentials`, `invalid_form`, `too_many_attempts`, `busy`, `failed`")]
        "Attempts to sign in with a password.";
    "restwell_rate_limit_decisions_total" Counter [("endpoint", ENDPOINTS), ("outcome", "`granted`, `refused`"), ("counted_in", "`process`, `redis`")]
        "Requests counted against the daily limits.";
    "restwell_revocation_delay_seconds" RevocationTimes []
        "Time from a revocation, by the store's clock, to the first rejection by this process. Only of grants and personal tokens that it had accepted within the three seconds before.";
    "restwell_store_round_trip_seconds" StepTimes [("store", "`postgres`, `sqlite`"), ("operation", "`read`, `query`, `execute`, `transaction`, `connect`, `write`")]
        "Time of a round trip to the store, without the wait for a connection. Postgres: `read` is a read on a worker's connection, `query` and `execute` are statements on a pooled one, `transaction` begins or ends one.";
    "restwell_pool_connections" Gauge [POOL]
        "Open connections.";
    "restwell_pool_connections_max" Gauge [POOL]
        "Maximum number of connections.";
    "restwell_pool_in_use" Gauge [POOL]
        "Connections in use.";
    "restwell_pool_waiting" Gauge [POOL]
        "Callers that wait for a connection.";
    "restwell_pool_wait_seconds" StepTimes [POOL]
        "Wait for a connection.";
    "restwell_pool_timeouts_total" Counter [POOL]
        "Waits that timed out.";
    "restwell_uploads_total" Counter [("outcome", "`done`, `refused`, `gone`, `failed`")]
        "Uploaded files that were read.";
    "restwell_upload_received_bytes_total" Counter []
        "Bytes received.";
    "restwell_upload_read_bytes_total" Counter [("pass", "`checking`, `storing`")]
        "Bytes read; a file is read once to check it and once to store it.";
    "restwell_upload_records_total" Counter [("kind", "`sleep`, `supplements`, `logs`, `any`"), ("outcome", "`new`, `updated`, `unchanged`, `rejected`")]
        "Records of finished uploads; rejected ones have the kind `any`.";
    "restwell_ingest_items_total" Counter [("kind", INGEST_KINDS), ("outcome", "`created`, `updated`, `unchanged`, `rejected`")]
        "Items sent by backends.";
    "restwell_mail_messages_total" Counter [("outcome", "`sent`, `postponed`, `given_up`")]
        "Messages taken from the outbox by this process.";
    "restwell_mail_waiting" Gauge []
        "Messages in the outbox, reported by every server every 15 seconds. Absent without an email server.";
    "restwell_mail_oldest_wait_seconds" Gauge []
        "Age of the oldest of them; 0 if there is none.";
    "restwell_webhook_deliveries_total" Counter [("outcome", "`delivered`, `postponed`, `given_up`")]
        "Attempts of this process to deliver webhook events.";
    "restwell_webhook_events_due" Gauge []
        "Webhook events that are due, including those of disabled endpoints, reported every 15 seconds by the server that sends.";
    "restwell_housekeeping_deleted_total" Counter [("kind", "")]
        "Expired rows deleted.";
    "restwell_clock_offset_seconds" Gauge []
        "This machine's clock minus the database's.";
    "restwell_ready" Gauge []
        "1 while `/readyz` reports that the process can serve, else 0.";
    "restwell_ready_check" Gauge [("check", "a check of `/readyz`")]
        "1 while the check passes, else 0.";
    "restwell_rate_limit_store_up" Gauge []
        "1 while the shared store counts requests, 0 while each process does. Absent without such a store.";
    "restwell_rate_limit_store_outages_total" Counter []
        "Outages of the shared store of the rate limits.";
    "restwell_tls_certificate_end_seconds" Gauge []
        "Unix time at which the listener's certificate chain first expires. Absent without `server.tls_certificate_file`.";
    "restwell_build_info" Gauge [("version", "")]
        "Always 1.";
    "process_start_time_seconds" Gauge []
        "Unix time at which the process started.";
    "process_cpu_seconds_total" Gauge []
        "User and system processor time.";
    "process_resident_memory_bytes" Gauge []
        "Resident memory, including mapped files.";
    "process_virtual_memory_bytes" Gauge []
        "Virtual memory.";
    "process_threads" Gauge []
        "Threads.";
    "process_open_fds" Gauge []
        "Open file descriptors.";
    "process_max_fds" Gauge []
        "Maximum number of file descriptors.";
}

const HEAD: &str = "# Metrics

Generated by `restwell reference metrics`; do not edit. `GET /metrics` on the address of `metrics.listen` exports them in the
text format of Prometheus. A series appears when it is first needed. No label has a value that a caller or a person chooses.

`route` is a pattern of the routes or `unmatched`, `method` a method that the route has or `other`, `status` a status or `other`,
`code` one of [errors.md](errors.md). `pool` is `readers` or `writer` (SQLite), `primary` or another pool of the Postgres adapter.

| metric | kind | labels | |
|---|---|---|---|
";

/// Lists the histograms with the upper ends of their buckets, in seconds.
pub(super) fn histograms() -> impl Iterator<Item = (&'static str, &'static [f64])> {
    METRICS.iter().filter_map(|metric| Some((metric.name, metric.kind.buckets()?)))
}

/// Registers the help text of every metric.
pub(super) fn describe() {
    for Metric { name, kind, labels: _, about } in METRICS.iter().copied() {
        match kind {
            Kind::Counter => describe_counter!(name, about),
            Kind::Gauge => describe_gauge!(name, about),
            Kind::RequestTimes | Kind::StepTimes | Kind::RevocationTimes => describe_histogram!(name, about),
        }
    }
}

fn label_text((label, values): &(&str, &str)) -> String {
    let list = |names: Vec<&str>| format!("`{}`", names.join("`, `"));
    let values = match *values {
        ENDPOINTS => list(PersonEndpoint::all().map(PersonEndpoint::as_str).collect()),
        INGEST_KINDS => list(IngestKind::ALL.map(IngestKind::as_str).to_vec()),
        values => values.to_owned(),
    };
    if values.is_empty() { format!("`{label}`") } else { format!("`{label}`: {values}") }
}

/// Returns the reference as Markdown.
pub(crate) fn markdown() -> String {
    let mut page = HEAD.to_owned();
    for Metric { name, kind, labels, about } in METRICS {
        let labels: Vec<String> = labels.iter().map(label_text).collect();
        // Writing into a String cannot fail.
        let _ = writeln!(page, "| `{name}` | {} | {} | {about} |", kind.name(), labels.join("; "));
    }
    page.push_str("\n## Buckets\n\nUpper bounds in seconds, without `+Inf`.\n\n");
    for (name, buckets) in histograms() {
        let ends: Vec<String> = buckets.iter().map(ToString::to_string).collect();
        let _ = writeln!(page, "* `{name}`: {}", ends.join(", "));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_contain_their_unit_and_kind() {
        let names: BTreeSet<_> = METRICS.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), METRICS.len());
        for Metric { name, kind, labels: _, about } in METRICS {
            assert_eq!(
                *kind == Kind::Counter,
                name.starts_with("restwell_") && name.ends_with("_total"),
                "{name}"
            );
            assert!(kind.buckets().is_none() || name.ends_with("_seconds"), "{name}");
            assert!(about.ends_with('.'), "{name}");
        }
    }

    #[test]
    fn buckets_ascend() {
        for (name, buckets) in histograms() {
            assert!(buckets.is_sorted() && buckets.len() < 20, "{name}");
        }
    }
}
