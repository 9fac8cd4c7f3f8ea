use super::{allowed, parse_query};
use crate::problem::Fault;
use application::export::ExportFormat;
use domain::data_kind::DataKind;
use domain::scope::{Scope, ScopeSet};

#[test]
fn lines_are_written_unless_a_zip_is_asked_for() {
    for (query, expected) in [
        ("", ExportFormat::Ndjson),
        ("format=ndjson", ExportFormat::Ndjson),
        ("format=zip", ExportFormat::Zip),
        ("other=1&format=zip", ExportFormat::Zip),
    ] {
        assert_eq!(parse_query(query).ok().map(|options| options.format), Some(expected), "{query}");
    }
}

#[test]
fn an_unknown_format_or_type_is_rejected() {
    for query in ["format=xml", "format=", "format=ZIP", "format=zip&format=zip", "types=dreams"] {
        let fault = parse_query(query).err().map(|problem| problem.fault());
        assert_eq!(fault, Some(Fault::InvalidParameter), "{query}");
    }
}

#[test]
fn a_disallowed_type_is_rejected_if_requested_and_omitted_otherwise() {
    let usable = ScopeSet::from_iter([Scope::Sleep]);
    assert_eq!(allowed(usable, None).ok(), Some(usable));
    assert_eq!(allowed(usable, Some(vec![DataKind::Sleep])).ok(), Some(usable));
    let refused = allowed(usable, Some(vec![DataKind::Sleep, DataKind::Profile]));
    assert_eq!(refused.err().map(|problem| problem.fault()), Some(Fault::InsufficientScope));
}
