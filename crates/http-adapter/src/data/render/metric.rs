//! Metrics of a session as JSON.

use super::json::put;
use super::name::NamePrefixes;
use super::stage::close_list;
use domain::sleep::packed::{InvalidPacked, MetricWalk};

/// Appends the member `sleep_metric`; fails like `check_metrics`.
pub(super) fn write_metrics(metrics: &[u8], out: &mut Vec<u8>) -> Result<(), InvalidPacked> {
    out.extend_from_slice(b",\"sleep_metric\":[");
    let prefixes = NamePrefixes::get();
    for entry in MetricWalk::new(metrics)? {
        let (kind, value) = entry?;
        let (beginning, length) = prefixes.of_metric(kind);
        put(out, beginning, *length);
        match value.short_json() {
            Some((number, length)) => put(out, &number, length),
            None => value.write_json(out),
        }
        out.extend_from_slice(b"},");
    }
    close_list(out);
    Ok(())
}
