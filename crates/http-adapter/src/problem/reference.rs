//! The error reference, generated from the table.

use super::{Fault, FaultRow};
use serde::Serialize;
use std::fmt::Write as _;
use utoipa::ToSchema;

const HEAD: &str = "# Errors

Generated from the table in the code by `restwell reference errors`; do not edit.

The token endpoints respond with `error` and `error_description` (RFC 6749 section 5.2). Every other endpoint
responds with `application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail`, `code`, `request_id`,
on 400 `errors` (field by field) and on 429 `limit`. `code` is stable: programs may rely on it.

| code | status | error at the token endpoints |
|---|---|---|
";

/// Every error code, as JSON.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct ErrorList {
    /// The codes.
    pub(crate) errors: Vec<ErrorEntry>,
}

/// One error code.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct ErrorEntry {
    /// The stable `code` of a problem.
    #[schema(value_type = String)]
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The member `error` at the token endpoints; null for errors that cannot occur there.
    #[schema(value_type = Option<String>, required = true)]
    pub oauth_error: Option<&'static str>,
    /// The kind of problem in a few words.
    #[schema(value_type = String)]
    pub title: &'static str,
    /// The meaning and remedy.
    #[schema(value_type = String)]
    pub meaning: &'static str,
}

impl ErrorList {
    /// Lists every code.
    pub(crate) fn new() -> Self {
        Self { errors: Fault::ALL.iter().map(|fault| ErrorEntry::from(fault.row())).collect() }
    }
}

impl From<FaultRow> for ErrorEntry {
    fn from(FaultRow { status, code, oauth, level: _, title, meaning }: FaultRow) -> Self {
        Self { code, status, oauth_error: Some(oauth).filter(|error| *error != "-"), title, meaning }
    }
}

/// Renders the reference of all errors as Markdown: a row and a section for each code.
pub fn error_reference() -> String {
    let mut page = HEAD.to_owned();
    for fault in Fault::ALL {
        let row = fault.row();
        // Writing into a String cannot fail.
        let _ = writeln!(
            page,
            "| [`{code}`](#{code}) | {} | {} |",
            row.status,
            if row.oauth == "-" { "-".to_owned() } else { format!("`{}`", row.oauth) },
            code = row.code
        );
    }
    for fault in Fault::ALL {
        let row = fault.row();
        let _ = write!(page, "\n## {}\n\n{} ({}). {}\n", row.code, row.title, row.status, row.meaning);
    }
    page
}
