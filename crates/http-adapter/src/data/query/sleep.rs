//! Parameters of the sleep endpoint.

use super::reader::Reader;
use crate::data::dto::Include;
use crate::parameter::Parameters;
use crate::problem::Problem;
use actix_web::HttpRequest;
use application::read::SleepPageQuery;
use domain::id::UserId;
use domain::paging::{PageRequest, PageSize};
use domain::time::{DateRange, TimeZone};

pub(super) const KNOWN: &[&str] =
    &["startDate", "endDate", "include_stages", "include_metrics", "sort", "page", "pageSize"];

/// Parsed parameters of the sleep endpoint.
pub(in crate::data) struct SleepParameters<'a> {
    range: DateRange,
    pub(in crate::data) include: Include,
    pub(in crate::data) page: PageRequest,
    pub(in crate::data) given: Parameters<'a>,
}

impl<'a> SleepParameters<'a> {
    /// Parses the query of a request; a date is in the person's zone.
    pub(in crate::data) fn read(request: &'a HttpRequest, zone: TimeZone) -> Result<Self, Problem> {
        let mut reader = Reader::open(request, KNOWN)?;
        let (start, end) = (reader.date("startDate"), reader.date("endDate"));
        let range = DateRange::of_parameters(start, end, zone).unwrap_or_else(|_| {
            reader.refuse("startDate", "must not be after endDate");
            reader.refuse("endDate", "must not be before startDate");
            DateRange::default()
        });
        let include =
            Include { stages: reader.flag("include_stages"), metrics: reader.flag("include_metrics") };
        let page = reader.page(PageSize::SLEEP_DEFAULT);
        Ok(Self { range, include, page, given: reader.finish()? })
    }

    /// Creates the query of the use case.
    pub(in crate::data) fn query(&self, user_id: UserId) -> SleepPageQuery {
        SleepPageQuery {
            user_id,
            range: self.range,
            page: self.page,
            with_stages: self.include.stages,
            with_metrics: self.include.metrics,
        }
    }
}
