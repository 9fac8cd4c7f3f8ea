use super::format;
use crate::problem::Fault;
use application::ports::export_writer::ExportFormat;

#[test]
fn lines_are_written_unless_a_zip_is_asked_for() {
    for (query, expected) in [
        ("", ExportFormat::Ndjson),
        ("format=ndjson", ExportFormat::Ndjson),
        ("format=zip", ExportFormat::Zip),
        ("other=1&format=zip", ExportFormat::Zip),
    ] {
        assert_eq!(format(query).ok(), Some(expected), "{query}");
    }
}

#[test]
fn an_unknown_form_is_refused() {
    for query in ["format=xml", "format=", "format=ZIP", "format=zip&format=zip"] {
        assert_eq!(format(query).map_err(|problem| problem.fault()), Err(Fault::InvalidParameter), "{query}");
    }
}
