//! Parameters of the supplements endpoint; `endDate` is not one of them.

use super::reader::Reader;
use crate::parameter::Parameters;
use crate::problem::Problem;
use actix_web::HttpRequest;
use application::read::SupplementPageQuery;
use chrono::{DateTime, Utc};
use domain::id::{SupplementId, UserId};
use domain::paging::{PageRequest, PageSize};
use domain::time::{Bound, TimeZone};

pub(super) const KNOWN: &[&str] = &["startDate", "supplementID", "sort", "page", "pageSize"];

/// Parsed parameters of the supplements endpoint.
pub(in crate::data) struct SupplementsParameters<'a> {
    start: Option<DateTime<Utc>>,
    supplement_id: Option<SupplementId>,
    pub(in crate::data) page: PageRequest,
    pub(in crate::data) given: Parameters<'a>,
}

impl<'a> SupplementsParameters<'a> {
    /// Parses the query of a request; a date is in the person's zone.
    pub(in crate::data) fn read(request: &'a HttpRequest, zone: TimeZone) -> Result<Self, Problem> {
        let mut reader = Reader::open(request, KNOWN)?;
        let start = reader.date("startDate").map(|date| date.resolve(zone, Bound::Start));
        let id =
            |text: &str| SupplementId::parse(text).map_err(|_| "must be a UUID in its 36-character form");
        let supplement_id = reader.read("supplementID", id);
        let page = reader.page(PageSize::SUPPLEMENTS_DEFAULT);
        Ok(Self { start, supplement_id, page, given: reader.finish()? })
    }

    /// Creates the query of the use case.
    pub(in crate::data) fn query(&self, user_id: UserId) -> SupplementPageQuery {
        let Self { start, supplement_id, page, given: _ } = self;
        let (start, supplement_id) = (*start, *supplement_id);
        SupplementPageQuery { user_id, start, end: None, supplement_id, page: *page }
    }
}
