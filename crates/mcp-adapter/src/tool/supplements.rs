//! `get_supplements`: products and sums of ingredients per day.

use super::answer::{Room, cut, put};
use super::days::{DayRange, days_before};
use super::{ToolCall, ToolError};
use application::intake::{Intake, IntakeRange};
use chrono::NaiveDate;
use domain::data_kind::DataKind;
use domain::id::SupplementId;
use domain::supplement::SupplementLabel;
use domain::supplement::daily::{IngredientTotal, IntakeDay, ProductIntake};
use http_adapter::data::gate;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Days of a range without `from`.
const USUAL_DAYS: u64 = 7;
/// Maximum number of days of one answer.
const MAX_DAYS: u64 = 92;
/// Numbers of products and of ingredients that are tried for a day that is too large for an answer.
const PARTS: [usize; 7] = [120, 80, 50, 30, 15, 5, 1];

pub(super) async fn run(call: &ToolCall<'_>) -> Result<Value, ToolError> {
    let access = call.admit(DataKind::Supplements).await?;
    let (zone, today) = (access.home_timezone, call.today(&access));
    let arguments = call.arguments(&["from", "to", "skip"])?;
    let asked = DayRange::read(arguments, today, USUAL_DAYS)?;
    let skip = arguments.number("skip")?.unwrap_or_default();
    let mut range = asked.latest(MAX_DAYS);
    let permit = gate::begin_page(&call.state.api, &access)?;
    let days = IntakeRange { first: range.first, last: range.last, zone };
    let mut intake = call.state.read_intake.run(&access, days).await?;
    drop(permit);
    let unread = drop_incomplete(&mut intake, &mut range);
    let dates: BTreeSet<NaiveDate> = intake.days.keys().copied().collect();
    let (missing_days, missing) = range.missing(&dates, today);
    let mut answer = json!({
        "time_zone": zone.name(),
        "today": today.to_string(),
        "from": range.first.to_string(),
        "to": range.last.to_string(),
        "days": [],
        "missing_days": missing_days,
        "missing": missing,
        "cut": null,
    });
    let Filled { days: shown, unshown, rest_of_day } = fill(&intake, skip, Room::beside(&answer));
    put(&mut answer, "days", Value::Array(shown));
    let first_shown = unshown.map_or(range.first, |date| date.succ_opt().unwrap_or(date));
    let later = unread.map(|from| json!({ "from": from.to_string(), "to": asked.last.to_string() }));
    let next = rest_of_day.into_iter().chain(asked.before(first_shown)).chain(later);
    let next: Vec<Value> = next.collect();
    if !next.is_empty() {
        put(&mut answer, "cut", cut("Days, or products and ingredients of a day, are left out.", &next));
    }
    Ok(answer)
}

/// Drops the last day that was read if later logs are missing; returns the first day without an answer.
fn drop_incomplete(intake: &mut Intake, range: &mut DayRange) -> Option<NaiveDate> {
    if !intake.is_cut {
        return None;
    }
    let (last, _) = intake.days.pop_last()?;
    range.last = days_before(last, 1).max(range.first);
    Some(last)
}

/// Days of an answer.
struct Filled {
    days: Vec<Value>,
    /// Latest day that does not fit.
    unshown: Option<NaiveDate>,
    /// Arguments for the rest of the latest day, if it alone is too large.
    rest_of_day: Option<Value>,
}

/// Describes the latest days that fit. The latest one is shown in part if it is too large.
fn fill(intake: &Intake, skip: usize, mut room: Room) -> Filled {
    let mut filled = Filled { days: Vec::new(), unshown: None, rest_of_day: None };
    for (date, day) in intake.days.iter().rev() {
        let whole = describe(*date, day, intake, skip, usize::MAX);
        if room.take(&whole) {
            filled.days.push(whole);
            continue;
        }
        if !filled.days.is_empty() {
            filled.unshown = Some(*date);
            return filled;
        }
        let parts = PARTS.into_iter().map(|most| (most, describe(*date, day, intake, skip, most)));
        let fitting = parts.into_iter().find(|(_, part)| room.take(part));
        filled.days.extend(fitting.map(|(most, part)| {
            let rest = json!({ "from": date.to_string(), "to": date.to_string(), "skip": skip + most });
            filled.rest_of_day = Some(rest);
            part
        }));
    }
    filled
}

/// Describes a day, without the first products and ingredients.
fn describe(date: NaiveDate, day: &IntakeDay, intake: &Intake, skip: usize, most: usize) -> Value {
    let IntakeDay { products, totals, without_amount } = day;
    let product = |(id, taken): (&SupplementId, &ProductIntake)| {
        let label = intake.supplements.get(id).map(|supplement| &supplement.label);
        json!({
            "name": label.map(SupplementLabel::name),
            "brand": label.map(SupplementLabel::brand),
            "servings": taken.servings,
            "entries": taken.entries,
        })
    };
    let ingredient = |total: &IngredientTotal| json!({ "name": total.name, "quantity": total.quantity, "unit": total.unit });
    let end = skip.saturating_add(most);
    json!({
        "date": date.to_string(),
        "products": products.iter().skip(skip).take(most).map(product).collect::<Vec<_>>(),
        "ingredients": totals.iter().skip(skip).take(most).map(ingredient).collect::<Vec<_>>(),
        "ingredients_without_amount": without_amount.len(),
        "products_left_out": products.len().saturating_sub(end),
        "ingredients_left_out": totals.len().saturating_sub(end),
    })
}
