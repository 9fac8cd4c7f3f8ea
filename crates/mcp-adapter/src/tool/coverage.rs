//! `get_coverage`: what is recorded, and what is not.

use super::answer::put;
use super::days::{DayRange, days_before};
use super::session::{self, MAX_DAYS};
use super::sleep::spans;
use super::{ToolCall, ToolError, profile};
use application::access::GrantedAccess;
use application::intake::IntakeRange;
use chrono::NaiveDate;
use domain::data_kind::DataKind;
use domain::sleep::trend;
use http_adapter::data::gate;
use http_adapter::data::profile::ProfileDto;
use http_adapter::problem::{Fault, Problem};
use serde_json::{Value, json};

/// Maximum number of sources and of products that are named.
const MAX_NAMED: usize = 10;

/// Reads each kind of data that the token allows; each counts.
pub(super) async fn run(call: &ToolCall<'_>) -> Result<Value, ToolError> {
    let usable = call.permission.usable();
    let mut answer = json!({ "profile": null, "sleep": null, "supplements": null });
    let mut not_granted = Vec::new();
    let mut invalid = None;
    for kind in DataKind::ALL {
        if !usable.contains(kind.scope()) {
            not_granted.push(kind.as_str());
            continue;
        }
        let access = call.admit(kind).await?;
        if let Err(error) = call.arguments(&[]) {
            invalid = Some(error);
            continue;
        }
        let today = call.today(&access);
        let found = match kind {
            DataKind::Profile => of_profile(call, &access).await?,
            DataKind::Sleep => of_sleep(call, &access, today).await?,
            DataKind::Supplements => of_supplements(call, &access, today).await?,
        };
        put(&mut answer, kind.as_str(), found);
        put(&mut answer, "time_zone", access.home_timezone.name().into());
        put(&mut answer, "today", today.to_string().into());
    }
    if let Some(error) = invalid {
        return Err(error.into());
    }
    put(&mut answer, "not_granted", not_granted.into());
    Ok(answer)
}

async fn of_profile(call: &ToolCall<'_>, access: &GrantedAccess) -> Result<Value, ToolError> {
    let user = call.state.api.read_records.profile(access).await?;
    let user = user.ok_or_else(|| Problem::new(Fault::InvalidToken))?;
    let profile = serde_json::to_value(ProfileDto::new(&user, access.scopes)).map_err(Problem::internal)?;
    Ok(json!({ "missing": profile::unknown(&profile) }))
}

async fn of_sleep(call: &ToolCall<'_>, access: &GrantedAccess, today: NaiveDate) -> Result<Value, ToolError> {
    let zone = access.home_timezone;
    let year = DayRange { first: days_before(today, MAX_DAYS - 1), last: today };
    let found = session::read(call, access, year, false).await?;
    let spans = spans(&found.rows, zone)?;
    let days = trend::days(&spans, zone);
    let within = |number: u64| {
        let first = days_before(today, number - 1);
        days.iter().filter(|day| day.date >= first).count()
    };
    let sources = trend::sources(&days).into_iter().take(MAX_NAMED);
    Ok(json!({
        "first_date": call.state.nights.earliest(access.user_id, zone).await?.map(|date| date.to_string()),
        "last_date": call.state.nights.latest(access.user_id, zone).await?.map(|date| date.to_string()),
        "days_of_last_7": within(7),
        "days_of_last_28": within(28),
        "days_of_last_366": within(MAX_DAYS),
        "sources_of_last_366_days": sources
            .map(|found| json!({ "source": found.source, "nights": found.nights }))
            .collect::<Vec<_>>(),
    }))
}

async fn of_supplements(
    call: &ToolCall<'_>,
    access: &GrantedAccess,
    today: NaiveDate,
) -> Result<Value, ToolError> {
    let zone = access.home_timezone;
    let first = days_before(today, 27);
    let permit = gate::begin_page(&call.state.api, access)?;
    let intake = call.state.read_intake.run(access, IntakeRange { first, last: today, zone }).await?;
    let earliest = call.state.read_intake.earliest(access).await?;
    drop(permit);
    let recent = |number: u64| {
        let first = days_before(today, number - 1);
        intake.days.keys().filter(|date| **date >= first).count()
    };
    let mut products: Vec<&str> = intake.supplements.values().map(|found| found.label.name()).collect();
    products.sort_unstable();
    products.truncate(MAX_NAMED);
    Ok(json!({
        "first_date": earliest.map(|date| date.to_string()),
        "last_date_of_last_28": intake.days.keys().next_back().map(NaiveDate::to_string),
        "days_of_last_7": recent(7),
        "days_of_last_28": recent(28),
        "products_of_last_28_days": products,
    }))
}
