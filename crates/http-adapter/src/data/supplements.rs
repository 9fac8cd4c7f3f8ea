//! `GET /api/v1/supplements/{user_id}`.

use super::dto::query::{DateText, SortText, UserPath};
use super::dto::{Number, PaginationDto};
use super::link::List;
use super::query::Reader;
use super::render::{Envelope, SupplementItems, answer};
use super::{DataErrors, gate};
use crate::ApiState;
use crate::example;
use crate::parameter::Parameters;
use crate::problem::{Problem, RateLimitBody};
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::read::{IntakeLogRow, SupplementPage, SupplementPageQuery, SupplementRecord};
use chrono::{DateTime, Utc};
use domain::data_kind::DataKind;
use domain::id::{SupplementId, UserId};
use domain::paging::{PageRequest, PageSize};
use domain::supplement::{Amount, Ingredient, IntakeLog, Supplement};
use domain::time::{Bound, TimeZone, UtcOffset, format};
use serde::Serialize;
use utoipa::ToSchema;

/// A page of the supplements that a person takes
///
/// Requires the scope `supplements`. Unknown parameters are ignored; a known one may appear once.
#[utoipa::path(
    get, path = Endpoint::Supplements.path(), tag = "data", operation_id = "readSupplements",
    params(UserPath, SupplementsQuery),
    responses(
        (status = 200, description = "The page", body = SupplementsAnswer, example = example::supplements),
        DataErrors,
    ),
)]
pub(crate) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, DataKind::Supplements).await?;
    let parameters = SupplementsParameters::read(&request, access.home_timezone)?;
    let query = parameters.query(access.user_id);
    // Even a short page may have any number of logs.
    let permit = gate::begin_page(&state, &access)?;
    let SupplementPage { records, has_more } = state.read_records.supplements(&access, query).await?;
    drop(permit);
    let list = List { endpoint: DataKind::Supplements, user_id: access.user_id, given: &parameters.given };
    let envelope = Envelope { pagination: list.pagination(parameters.page, has_more), rate: access.rate };
    Ok(answer(SupplementItems::new(records, access.user_id)?, &envelope)?)
}

pub(super) const KNOWN: &[&str] = &["startDate", "supplementID", "sort", "page", "pageSize"];

/// Parsed parameters of the supplements endpoint; `endDate` is not one of them.
struct SupplementsParameters<'a> {
    start: Option<DateTime<Utc>>,
    supplement_id: Option<SupplementId>,
    page: PageRequest,
    given: Parameters<'a>,
}

impl<'a> SupplementsParameters<'a> {
    /// Parses the query of a request; a date is in the person's zone.
    fn read(request: &'a HttpRequest, zone: TimeZone) -> Result<Self, Problem> {
        let mut reader = Reader::open(request, KNOWN)?;
        let start = reader.date("startDate").map(|date| date.resolve(zone, Bound::Start));
        let id =
            |text: &str| SupplementId::parse(text).map_err(|_| "must be a UUID in its 36-character form");
        let supplement_id = reader.read("supplementID", id);
        let page = reader.page(PageSize::SUPPLEMENTS_DEFAULT);
        Ok(Self { start, supplement_id, page, given: reader.finish()? })
    }

    /// Creates the query of the use case.
    fn query(&self, user_id: UserId) -> SupplementPageQuery {
        let Self { start, supplement_id, page, given: _ } = self;
        let (start, supplement_id) = (*start, *supplement_id);
        SupplementPageQuery { user_id, start, end: None, supplement_id, page: *page }
    }
}

/// Parameters of the supplements endpoint.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SupplementsQuery {
    /// Only logs at or after this time.
    #[param(rename = "startDate", value_type = Option<DateText>, inline)]
    pub start_date: Option<String>,
    /// Only this supplement; for an unknown one the page is empty.
    #[param(rename = "supplementID", value_type = Option<uuid::Uuid>)]
    pub supplement_id: Option<String>,
    /// Oldest first (`asc`) or newest first (`desc`).
    #[param(value_type = Option<SortText>, inline)]
    pub sort: Option<String>,
    /// The page number, from 1; a page past the end is empty.
    #[param(minimum = 1, maximum = 999_999_999_999_999_999_u64, default = 1)]
    pub page: Option<u64>,
    /// The maximum number of records on a page.
    #[param(
        rename = "pageSize", minimum = 1, maximum = 10_000, default = json!(PageSize::SUPPLEMENTS_DEFAULT.get())
    )]
    pub page_size: Option<u16>,
}

/// Response of the supplements endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SupplementsAnswer {
    /// The supplements of the page, by their first log in the range.
    pub data: Vec<SupplementDto>,
    /// The position of the page.
    pub pagination: PaginationDto,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}

/// A supplement with its logs in the requested range.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Supplement)]
pub struct SupplementDto {
    /// The supplement; the same as `details.id`.
    #[schema(value_type = uuid::Uuid, example = "b1d7f0c2-94a3-4e56-8c1b-7a2f3e4d5c60")]
    pub id: String,
    /// The contents of its label.
    pub details: SupplementDetailsDto,
    /// The intake logs, in the direction of `sort`.
    pub logs: Vec<SupplementLogDto>,
}

/// The contents of a label, as spelled on it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = SupplementDetails)]
pub struct SupplementDetailsDto {
    /// The supplement.
    #[schema(value_type = uuid::Uuid, example = "b1d7f0c2-94a3-4e56-8c1b-7a2f3e4d5c60")]
    pub id: String,
    /// The brand; empty if the label has none.
    #[schema(example = "Harbour Health")]
    pub brand: String,
    /// The name of the product.
    #[schema(example = "Magnesium Citrate")]
    pub name: String,
    /// Servings per container; empty if the label has none.
    #[schema(example = "60")]
    pub servings: String,
    /// The product code; empty if the label has none.
    #[schema(example = "0 12345 67890 5")]
    pub upc: String,
    /// The entry date of the label, or the time of the first import.
    #[schema(format = DateTime, example = "2024-02-01T00:00:00+00:00")]
    pub entry_date: String,
    /// The ingredients in the order of the label.
    pub supplement_ingredient: Vec<IngredientDto>,
}

/// One ingredient of one serving.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = SupplementIngredient)]
pub struct IngredientDto {
    /// The amount; 0 if the label states none.
    #[schema(value_type = f64, minimum = 0, example = 200)]
    pub quantity: Number,
    /// The unit as the label spells it; `NP` if the label states no amount.
    #[schema(example = "milligrams")]
    pub unit: String,
    /// Whether the ingredient is an active one.
    #[schema(example = true)]
    pub active: bool,
    /// The name of the ingredient.
    #[schema(example = "Magnesium")]
    pub ingredient_name: String,
    /// The position in the list, from 1.
    #[schema(minimum = 1, example = 1)]
    pub order: u32,
    /// Whether the label states an amount.
    #[schema(example = true)]
    pub amount_stated: bool,
}

/// One intake.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = SupplementLog)]
pub struct SupplementLogDto {
    /// The log entry.
    #[schema(value_type = uuid::Uuid, example = "5d0c2a7e-1b3f-4968-a7d4-e6f8091b2c3d")]
    pub id: String,
    /// The time of the log, with six decimals.
    #[schema(format = DateTime, example = "2026-03-09T07:30:00.000000+00:00")]
    pub created_at: String,
    /// The user.
    #[schema(value_type = uuid::Uuid, example = "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48")]
    pub user_id: String,
    /// The supplement taken.
    #[schema(value_type = uuid::Uuid, example = "b1d7f0c2-94a3-4e56-8c1b-7a2f3e4d5c60")]
    pub supplement_id: String,
    /// The servings taken.
    #[schema(value_type = f64, minimum = 0, example = 1)]
    pub servings: Number,
}

impl SupplementDto {
    /// Creates the response body of a record.
    pub fn new(record: &SupplementRecord, user_id: UserId) -> Self {
        let SupplementRecord { supplement, logs } = record;
        let log = |row| SupplementLogDto::of_row(row, user_id, supplement.id);
        Self {
            id: supplement.id.to_string(),
            details: SupplementDetailsDto::new(supplement),
            logs: logs.iter().map(log).collect(),
        }
    }
}

impl SupplementDetailsDto {
    /// Creates the details of a supplement.
    pub fn new(supplement: &Supplement) -> Self {
        let Supplement { id, label, entry_date } = supplement;
        Self {
            id: id.to_string(),
            brand: label.brand().to_owned(),
            name: label.name().to_owned(),
            servings: label.servings().to_owned(),
            upc: label.upc().to_owned(),
            entry_date: format::millis(entry_date.timestamp_millis(), Some(UtcOffset::UTC)),
            supplement_ingredient: label.ordered_ingredients().map(IngredientDto::from).collect(),
        }
    }
}

impl From<(u32, &Ingredient)> for IngredientDto {
    fn from((order, ingredient): (u32, &Ingredient)) -> Self {
        let (quantity, unit) = ingredient
            .amount()
            .map_or((0.0, Amount::NOT_PRESENT), |amount| (amount.quantity(), amount.unit()));
        Self {
            quantity: Number::from_f64(quantity),
            unit: unit.to_owned(),
            active: ingredient.is_active(),
            ingredient_name: ingredient.name().to_owned(),
            order,
            amount_stated: ingredient.amount().is_some(),
        }
    }
}

impl SupplementLogDto {
    /// Creates the log entry of a person; its external key is not included.
    pub fn new(log: &IntakeLog, user_id: UserId) -> Self {
        let IntakeLog { id, record } = log;
        let row = IntakeLogRow {
            id: *id,
            created_at_micros: record.created_at().timestamp_micros(),
            servings: record.servings().get(),
        };
        Self::of_row(&row, user_id, record.supplement_id())
    }

    fn of_row(row: &IntakeLogRow, user_id: UserId, supplement_id: SupplementId) -> Self {
        let IntakeLogRow { id, created_at_micros, servings } = row;
        Self {
            id: id.to_string(),
            created_at: format::micros_numeric(*created_at_micros),
            user_id: user_id.to_string(),
            supplement_id: supplement_id.to_string(),
            servings: Number::from_f64(*servings),
        }
    }
}
