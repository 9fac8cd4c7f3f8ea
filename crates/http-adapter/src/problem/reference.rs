//! The error reference, made from the table.

use super::Fault;
use std::fmt::Write as _;

const HEAD: &str = "# Errors

Made from the table in the code by `restwell reference errors`; do not edit.

The token endpoints answer with `error` and `error_description` (RFC 6749 section 5.2). Every other endpoint
answers with `application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail`, `code`, `request_id`,
on 400 `errors` (field by field) and on 429 `limit`. `code` is stable: programs may rely on it.

| code | status | error at the token endpoints | log level |
|---|---|---|---|
";

/// Renders the reference of all errors: Markdown, one row and one section a code.
pub fn error_reference() -> String {
    let mut page = HEAD.to_owned();
    for fault in Fault::ALL {
        let row = fault.row();
        // Writing into a String cannot fail.
        let _ = writeln!(
            page,
            "| [`{code}`](#{code}) | {} | {} | {:?} |",
            row.status,
            if row.oauth == "-" { "-".to_owned() } else { format!("`{}`", row.oauth) },
            row.level,
            code = row.code
        );
    }
    for fault in Fault::ALL {
        let row = fault.row();
        let _ = write!(page, "\n## {}\n\n{} ({}). {}\n", row.code, row.title, row.status, row.meaning);
    }
    page
}
