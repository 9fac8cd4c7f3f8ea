//! Every metric: its name, its labels, what it says. The reference, the help texts and the buckets are made from here.

use metrics::{describe_counter, describe_gauge, describe_histogram};
use std::fmt::Write as _;

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only grows, until the process ends.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Requests: from half a millisecond to half a minute.
    RequestTimes,
    /// Steps within a request: from a tenth of a millisecond to ten seconds.
    StepTimes,
    /// Revocations: finest around the two seconds that are promised.
    RevocationTimes,
}

/// One metric.
#[derive(Debug, Clone, Copy)]
struct Metric {
    name: &'static str,
    kind: Kind,
    /// Its labels, with the values that each may have.
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

const ROUTE: (&str, &str) = ("route", "a pattern of the table of routes, or `unmatched`");
const METHOD: (&str, &str) = ("method", "nine methods of HTTP, or `other`");
const POOL: (&str, &str) =
    ("pool", "`primary` (and what else the Postgres adapter keeps), `readers`, `writer`");

macro_rules! metrics {
    ($($name:literal $kind:ident [$($label:expr),*] $about:literal;)+) => {
        const METRICS: &[Metric] = &[
            $(Metric { name: $name, kind: Kind::$kind, labels: &[$($label),*], about: $about },)+
        ];
    };
}

metrics! {
    "restwell_http_requests_total" Counter [ROUTE, METHOD, ("status", "a status that the server sends, or `other`")]
        "Requests answered.";
    "restwell_http_request_seconds" RequestTimes [ROUTE, METHOD]
        "Time from the head of a request to the head of its answer; a long body is sent after that.";
    "restwell_http_requests_in_flight" Gauge []
        "Requests that are worked on, or whose body of unknown length is being sent.";
    "restwell_http_response_bytes_total" Counter [ROUTE, METHOD]
        "Bytes of bodies, after compression, without heads.";
    "restwell_problems_total" Counter [("code", "a code of errors.md")]
        "Requests answered with a problem, by its code. A form that comes back with what is wrong in it is none.";
    "restwell_token_requests_total" Counter [("grant_type", "`authorization_code`, `refresh_token`, `client_credentials`, `unread`"), ("outcome", "`issued`, or a code of errors.md")]
        "Requests to the token endpoints, by what came of them; unread are those whose form was refused.";
    "restwell_sign_ins_total" Counter [("outcome", "`signed_in`, `wrong_credentials`, `invalid_form`, `too_many_attempts`, `busy`, `failed`")]
        "Attempts to sign in with a password.";
    "restwell_rate_limit_decisions_total" Counter [("endpoint", "`profile`, `sleep`, `supplements`, `changes`, `export`, `ingest`"), ("outcome", "`granted`, `refused`"), ("counted_in", "`process`, `redis`")]
        "Requests counted against the daily limits, by where they were counted.";
    "restwell_revocation_delay_seconds" RevocationTimes []
        "Time from a revocation, by the clock of the store, to the first request that this process refused because of it. Only of grants and personal tokens that it had let in within the three seconds before: for others there was nothing to forget, and the time would be that of the caller's pause.";
    "restwell_store_round_trip_seconds" StepTimes [("store", "`postgres`, `sqlite`"), ("operation", "`read`, `query`, `execute`, `transaction`, `connect`, `write`")]
        "Time of one round trip to the store, the wait for a connection not counted; its count is the number of round trips. Postgres: `read` is a statement on a connection that a worker has for itself, for a row, for the profiles that several requests wait for, or for a page; `query` and `execute` are statements on a connection of the pool, `transaction` begins or ends one. SQLite: `read` and `write` are what runs on a connection without a pause.";
    "restwell_pool_connections" Gauge [POOL]
        "Connections that are open.";
    "restwell_pool_connections_max" Gauge [POOL]
        "Connections that may be open.";
    "restwell_pool_in_use" Gauge [POOL]
        "Connections that somebody has.";
    "restwell_pool_waiting" Gauge [POOL]
        "Those who wait for one.";
    "restwell_pool_wait_seconds" StepTimes [POOL]
        "Time until a connection was there.";
    "restwell_pool_timeouts_total" Counter [POOL]
        "Waits that were given up.";
    "restwell_uploads_total" Counter [("outcome", "`done`, `refused`, `gone`, `failed`")]
        "Uploaded files that were read, by how that ended.";
    "restwell_upload_received_bytes_total" Counter []
        "Bytes of uploaded files that arrived.";
    "restwell_upload_read_bytes_total" Counter [("pass", "`checking`, `storing`")]
        "Bytes of uploaded files that were read; a file is read once to check it and once to store it.";
    "restwell_upload_records_total" Counter [("kind", "`sleep`, `supplements`, `logs`, `any`"), ("outcome", "`new`, `updated`, `unchanged`, `rejected`")]
        "Records of uploaded files, counted when a file is done; those that are rejected have the kind `any`.";
    "restwell_ingest_items_total" Counter [("kind", "`users`, `profile`, `sleep`, `supplements`, `logs`"), ("outcome", "`created`, `updated`, `unchanged`, `rejected`")]
        "Items that backends sent.";
    "restwell_mail_messages_total" Counter [("outcome", "`sent`, `postponed`, `given_up`")]
        "Messages taken out of the outbox by this process.";
    "restwell_mail_waiting" Gauge []
        "Messages in the outbox that are neither sent nor given up. Every server tells the same, each 15 seconds; absent where no mail server is set.";
    "restwell_mail_oldest_wait_seconds" Gauge []
        "How long the oldest of them waits; 0 when there is none.";
    "restwell_housekeeping_deleted_total" Counter [("kind", "what was deleted, a name of the program's")]
        "Rows deleted because nobody needs them any more.";
    "restwell_clock_offset_seconds" Gauge []
        "How far this machine's clock is ahead of that of the store; less than 0 when it is behind.";
    "restwell_ready" Gauge []
        "1 while `/readyz` says that the process can serve, else 0.";
    "restwell_ready_check" Gauge [("check", "a check that `/readyz` names")]
        "1 while the check is well, else 0.";
    "restwell_rate_limit_store_up" Gauge []
        "1 while requests are counted in the shared store, 0 while each process counts for itself; absent without such a store.";
    "restwell_rate_limit_store_outages_total" Counter []
        "How often the shared store of the rate limits was lost.";
    "restwell_tls_certificate_end_seconds" Gauge []
        "When the certificate of the listener ends, or one after it in its file if that is sooner, in seconds since 1970; absent without `server.tls_certificate_file`.";
    "restwell_build_info" Gauge [("version", "the version of the program")]
        "Always 1.";
    "process_start_time_seconds" Gauge []
        "When the process began, in seconds since 1970.";
    "process_cpu_seconds_total" Gauge []
        "Time on processors, user and system.";
    "process_resident_memory_bytes" Gauge []
        "Memory in use, files that are mapped into it included.";
    "process_virtual_memory_bytes" Gauge []
        "Addresses in use.";
    "process_threads" Gauge []
        "Threads.";
    "process_open_fds" Gauge []
        "Files and connections that are open.";
    "process_max_fds" Gauge []
        "Files and connections that may be open.";
}

const HEAD: &str = "# Metrics

Made from the table in the code by `restwell reference metrics`; do not edit. `metrics.listen` switches them on, and
`GET /metrics` on that address tells them in the text format of Prometheus. A series appears when it is first needed. No
label holds anything that a caller or a person could choose; a test asks for invented paths, methods and statuses and
counts the series, and another compares this list with what a server tells.

| metric | kind | labels | what it says |
|---|---|---|---|
";

/// Lists the histograms with the upper ends of their buckets, in seconds.
pub(super) fn histograms() -> impl Iterator<Item = (&'static str, &'static [f64])> {
    METRICS.iter().filter_map(|metric| Some((metric.name, metric.kind.buckets()?)))
}

/// Gives every metric its help text.
pub(super) fn describe() {
    for Metric { name, kind, labels: _, about } in METRICS.iter().copied() {
        match kind {
            Kind::Counter => describe_counter!(name, about),
            Kind::Gauge => describe_gauge!(name, about),
            Kind::RequestTimes | Kind::StepTimes | Kind::RevocationTimes => describe_histogram!(name, about),
        }
    }
}

/// Writes the reference as Markdown.
pub(crate) fn markdown() -> String {
    let mut page = HEAD.to_owned();
    for Metric { name, kind, labels, about } in METRICS {
        let labels: Vec<String> =
            labels.iter().map(|(label, values)| format!("`{label}`: {values}")).collect();
        // Writing into a String cannot fail.
        let _ = writeln!(page, "| `{name}` | {} | {} | {about} |", kind.name(), labels.join("; "));
    }
    page.push_str("\n## Buckets\n\nThe upper ends, in seconds; `+Inf` follows.\n\n");
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
    fn every_name_stands_once_and_says_its_unit_and_kind() {
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
    fn buckets_rise() {
        for (name, buckets) in histograms() {
            assert!(buckets.is_sorted() && buckets.len() < 20, "{name}");
        }
    }
}
