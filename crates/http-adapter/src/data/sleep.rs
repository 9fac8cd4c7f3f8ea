//! `GET /api/v1/sleep/{user_id}`.

use super::dto::query::{DateText, FlagText, SortText, UserPath};
use super::dto::{Number, PaginationDto, name};
use super::link::List;
use super::query::Reader;
use super::render::{Envelope, SleepItems, answer};
use super::{DataErrors, gate};
use crate::ApiState;
use crate::example;
use crate::parameter::Parameters;
use crate::problem::{Problem, RateLimitBody};
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::read::{SleepPage, SleepPageQuery};
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::paging::{PageRequest, PageSize};
use domain::sleep::{MetricKind, MetricValue, SleepRecordHead, SleepSession, SleepSource, StageEntry};
use domain::time::{DateRange, TimeZone, UtcOffset, format};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of a person's sleep sessions
///
/// Requires the scope `sleep`. Unknown parameters are ignored; a known one may appear once.
#[utoipa::path(
    get, path = Endpoint::Sleep.path(), tag = "data", operation_id = "readSleep", params(UserPath, SleepQuery),
    responses(
        (status = 200, description = "The page", body = SleepAnswer, example = example::sleep),
        DataErrors,
    ),
)]
pub(crate) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, DataKind::Sleep).await?;
    let parameters = SleepParameters::read(&request, access.home_timezone)?;
    let query = parameters.query(access.user_id);
    let permit = gate::begin_sleep_page(&state, &access, parameters.page)?;
    let SleepPage { rows, has_more } = state.read_records.sleep(&access, query).await?;
    drop(permit);
    let list = List { endpoint: DataKind::Sleep, user_id: access.user_id, given: &parameters.given };
    let envelope = Envelope { pagination: list.pagination(parameters.page, has_more), rate: access.rate };
    Ok(answer(SleepItems::new(rows, parameters.include), &envelope)?)
}

pub(super) const KNOWN: &[&str] =
    &["startDate", "endDate", "include_stages", "include_metrics", "sort", "page", "pageSize"];

/// Parsed parameters of the sleep endpoint.
struct SleepParameters<'a> {
    range: DateRange,
    include: Include,
    page: PageRequest,
    given: Parameters<'a>,
}

impl<'a> SleepParameters<'a> {
    /// Parses the query of a request; a date is in the person's zone.
    fn read(request: &'a HttpRequest, zone: TimeZone) -> Result<Self, Problem> {
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
    fn query(&self, user_id: UserId) -> SleepPageQuery {
        SleepPageQuery {
            user_id,
            range: self.range,
            page: self.page,
            with_stages: self.include.stages,
            with_metrics: self.include.metrics,
        }
    }
}

/// Parameters of the sleep endpoint.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SleepQuery {
    /// Only sessions whose time in bed starts at or after this time.
    #[param(rename = "startDate", value_type = Option<DateText>, inline)]
    pub start_date: Option<String>,
    /// Only sessions whose time in bed starts at or before this time. Not before `startDate`.
    #[param(rename = "endDate", value_type = Option<DateText>, inline)]
    pub end_date: Option<String>,
    /// Whether each session includes `raw_sleep`.
    #[param(value_type = Option<FlagText>, inline)]
    pub include_stages: Option<String>,
    /// Whether each session includes `sleep_metric`.
    #[param(value_type = Option<FlagText>, inline)]
    pub include_metrics: Option<String>,
    /// Oldest first (`asc`) or newest first (`desc`).
    #[param(value_type = Option<SortText>, inline)]
    pub sort: Option<String>,
    /// The page number, from 1; a page past the end is empty.
    #[param(minimum = 1, maximum = 999_999_999_999_999_999_u64, default = 1)]
    pub page: Option<u64>,
    /// The maximum number of records on a page.
    #[param(rename = "pageSize", minimum = 1, maximum = 10_000, default = json!(PageSize::SLEEP_DEFAULT.get()))]
    pub page_size: Option<u16>,
}

/// Response of the sleep endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SleepAnswer {
    /// The sessions of the page, by start of the time in bed.
    pub data: Vec<SleepSessionDto>,
    /// The position of the page.
    pub pagination: PaginationDto,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}

/// Optional parts of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Include {
    /// Whether `raw_sleep` is included.
    pub stages: bool,
    /// Whether `sleep_metric` is included.
    pub metrics: bool,
}

impl Include {
    /// All parts, as in an export.
    pub const ALL: Self = Self { stages: true, metrics: true };
}

/// A sleep session. Timestamps have the UTC offset at the place and time of recording, or `Z` if it is
/// unknown; a fraction of three digits only if it is not zero.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = SleepSession)]
pub struct SleepSessionDto {
    /// The session.
    #[schema(value_type = uuid::Uuid, example = "9c3e5b1a-2f60-4d8e-8a47-51b0c6d7e8f9")]
    pub id: String,
    /// Start of the time in bed.
    #[schema(format = DateTime, example = "2026-03-08T23:10:00-05:00")]
    pub time_in_bed_start: String,
    /// End of the time in bed, with the offset in force at the end.
    #[schema(format = DateTime, example = "2026-03-09T07:02:30-04:00")]
    pub time_in_bed_end: String,
    /// The metrics, if requested by `include_metrics`; metrics without a known value are omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sleep_metric: Option<Vec<MetricDto>>,
    /// The stages in time order, if requested by `include_stages`; empty if none were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub raw_sleep: Option<Vec<StageDto>>,
    /// The device or app that recorded the session.
    #[schema(required = true, example = "fitbit")]
    pub source: Option<String>,
    /// Whether it was a nap.
    #[schema(required = true, example = false)]
    pub is_nap: Option<bool>,
    /// The time of the last change, in UTC.
    #[schema(format = DateTime, example = "2026-03-09T12:00:00Z")]
    pub updated_at: String,
}

/// A metric: seconds (`time...`, `sleepLatency`), percent from 0 to 100, or a count.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Metric)]
pub struct MetricDto {
    /// The name of the metric.
    #[schema(schema_with = name::metrics)]
    pub sleep_metric: &'static str,
    /// The value.
    #[schema(value_type = f64, minimum = 0, example = 28350)]
    pub value: Number,
}

/// Period of one sleep stage; the times have the offset in force at the start of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SleepStage)]
pub struct StageDto {
    /// `AWAKE`, `LIGHT`, `DEEP`, `REM`, `ASLEEP` (asleep, stage not known) or `UNKNOWN`.
    #[schema(schema_with = name::stages)]
    pub stage: &'static str,
    /// Start of the period.
    #[schema(format = DateTime, example = "2026-03-08T23:10:00-05:00")]
    pub start: String,
    /// End of the period.
    #[schema(format = DateTime, example = "2026-03-08T23:42:30-05:00")]
    pub end: String,
}

impl SleepSessionDto {
    /// Creates the response body of a session.
    pub fn new(session: &SleepSession, include: Include) -> Self {
        let SleepSession { id, record, updated_at } = session;
        let SleepRecordHead { key: _, source, time_in_bed, is_nap } = record.head();
        let at_start = time_in_bed.offset_at_start();
        let metrics = || record.metrics().iter().map(MetricDto::from).collect();
        let stages = || record.hypnogram().entries().iter().map(|entry| StageDto::new(entry, at_start));
        Self {
            id: id.to_string(),
            time_in_bed_start: format::millis(time_in_bed.start_millis(), at_start),
            time_in_bed_end: format::millis(time_in_bed.end_millis(), time_in_bed.offset_at_end()),
            sleep_metric: include.metrics.then(metrics),
            raw_sleep: include.stages.then(|| stages().collect()),
            source: source.as_ref().map(SleepSource::as_str).map(str::to_owned),
            is_nap: *is_nap,
            updated_at: format::utc(*updated_at),
        }
    }
}

impl From<(MetricKind, MetricValue)> for MetricDto {
    fn from((kind, value): (MetricKind, MetricValue)) -> Self {
        Self { sleep_metric: kind.as_str(), value: value.into() }
    }
}

impl StageDto {
    fn new(entry: &StageEntry, offset: Option<UtcOffset>) -> Self {
        Self {
            stage: entry.stage().as_str(),
            start: format::millis(entry.start_millis(), offset),
            end: format::millis(entry.end_millis(), offset),
        }
    }
}
