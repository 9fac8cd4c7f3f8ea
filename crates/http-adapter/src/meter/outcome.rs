//! Outcomes of requests. Looking up their handles each time is cheap compared with the requests counted here.

use crate::problem::{Fault, Problem};
use application::import::ingest::IngestKind;
use application::import::ingest::IngestReport;
use metrics::counter;

/// Counts a problem by its code.
pub(crate) fn problem(fault: Fault) {
    counter!("restwell_problems_total", "code" => fault.row().code).increment(1);
}

/// Counts a token request that succeeded.
pub(crate) fn token_issued(grant_type: &'static str) {
    tokens(grant_type, "issued");
}

/// Counts a token request that failed. The grant type is `unread` if the request could not be parsed.
pub(crate) fn token_refused(grant_type: &'static str, problem: &Problem) {
    tokens(grant_type, problem.fault().row().code);
}

fn tokens(grant_type: &'static str, outcome: &'static str) {
    counter!("restwell_token_requests_total", "grant_type" => grant_type, "outcome" => outcome).increment(1);
}

/// Counts the items of an ingest request by outcome.
pub(crate) fn ingest_items(kind: IngestKind, report: &IngestReport) {
    let IngestReport { results: _, created, updated, unchanged, rejected } = report;
    let outcomes =
        [("created", *created), ("updated", *updated), ("unchanged", *unchanged), ("rejected", *rejected)];
    for (outcome, items) in outcomes {
        counter!("restwell_ingest_items_total", "kind" => kind.as_str(), "outcome" => outcome)
            .increment(items.into());
    }
}
