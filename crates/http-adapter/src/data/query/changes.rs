//! Parameters of the change feed.

use super::reader::Reader;
use crate::problem::Problem;
use actix_web::HttpRequest;
use application::read::ReadChangesQuery;
use domain::change::ChangeCursor;
use domain::data_kind::DataKind;
use domain::paging::ChangeLimit;

pub(super) const KNOWN: &[&str] = &["cursor", "limit", "types"];

/// Parsed parameters of the change feed.
pub(in crate::data) struct ChangesParameters {
    cursor: Option<ChangeCursor>,
    kinds: Option<Vec<DataKind>>,
    limit: ChangeLimit,
}

impl ChangesParameters {
    /// Parses the query of a request.
    pub(in crate::data) fn read(request: &HttpRequest) -> Result<Self, Problem> {
        let mut reader = Reader::open(request, KNOWN)?;
        let cursor = reader.read("cursor", ChangeCursor::parse);
        let kinds = reader.read("types", DataKind::parse_list);
        let limit = reader.read("limit", ChangeLimit::parse).unwrap_or(ChangeLimit::DEFAULT);
        reader.finish()?;
        Ok(Self { cursor, kinds, limit })
    }

    /// Creates the query of the use case.
    pub(in crate::data) fn query(self) -> ReadChangesQuery {
        let Self { cursor, kinds, limit } = self;
        ReadChangesQuery { cursor, kinds, limit: u32::from(limit.get()) }
    }
}
