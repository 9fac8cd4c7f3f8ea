//! The overview: four weeks of intake, one day of them, and the products.

use super::calendar::{self, DAYS};
use super::view::{self, DayTotals, EntryLine, ProductLine, SummaryLine};
use super::{input, number, product_line, quantity, servings};
use crate::answer::{page, see_other};
use crate::person::{self, Destination};
use crate::{PageState, moment, query};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::intake::{Intake, IntakeRange};
use application::session::SignedInPerson;
use chrono::{Days, NaiveDate};
use domain::supplement::daily::{self, IntakeDay, local_day};
use domain::time::TimeZone;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use std::collections::HashSet;

/// Maximum number of ingredients that are listed on the page, over all products.
const MAX_LISTED: usize = 400;
/// Maximum number of ingredients whose sums are listed.
const MAX_SUMS: usize = 80;
/// Maximum number of products on the page.
const MAX_PRODUCTS: usize = 40;

/// Shows four weeks.
pub(super) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Supplements.sign_in()));
    };
    let query = query::read(&request, &["day", "last", "done"])?;
    let date = |name| match query.get(name) {
        Some(text) => input::date(text).map(Some).ok_or_else(|| Problem::new(Fault::InvalidForm)),
        None => Ok(None),
    };
    let (day, last) = (date("day")?, date("last")?);
    let notice = query.get("done").and_then(notice);
    let today = local_day(state.store.now(), person.home_timezone);
    let last = last.unwrap_or_else(|| window_end(day, today));
    let first = last.checked_sub_days(Days::new(u64::from(DAYS - 1))).unwrap_or(last);
    let range = IntakeRange { first, last, zone: person.home_timezone };
    let intake = state.records.intakes.show(person.user_id, range).await?;
    let day = day.filter(|day| (first..=last).contains(day));
    let day = day.or_else(|| intake.days.keys().next_back().copied());
    let shown = Overview { person: &person, intake: &intake, range, today, day };
    page(StatusCode::OK, &shown.view(notice))
}

/// Returns the last day of the four weeks that contain a day: whole windows back from today.
fn window_end(day: Option<NaiveDate>, today: NaiveDate) -> NaiveDate {
    let Some(day) = day else { return today };
    let back = (today - day).num_days().div_euclid(i64::from(DAYS)) * i64::from(DAYS);
    let end = u64::try_from(back).ok().and_then(|back| today.checked_sub_days(Days::new(back)));
    end.unwrap_or(day)
}

fn notice(done: &str) -> Option<String> {
    let text = match done {
        "added" => "Your intake has been added.",
        "changed" => "Your intake has been changed.",
        "deleted" => "Your intake has been deleted.",
        "product" => "Your product has been changed. Entries you already logged keep the old label.",
        "product-deleted" => "Your product has been deleted.",
        "product-used" => "Your product was not deleted, because you have logged it.",
        _ => return None,
    };
    Some(text.to_owned())
}

struct Overview<'a> {
    person: &'a SignedInPerson,
    intake: &'a Intake,
    range: IntakeRange,
    today: NaiveDate,
    /// The day of which the entries are shown.
    day: Option<NaiveDate>,
}

impl Overview<'_> {
    fn view(&self, notice: Option<String>) -> view::Supplements {
        let Self { person, intake, range, today, day } = self;
        let window =
            |last: Option<NaiveDate>| last.map(|last| format!("{}?last={last}", Endpoint::IntakePage.path()));
        let later = range.last.checked_add_days(Days::new(u64::from(DAYS))).map(|later| later.min(*today));
        let summary = daily::summarize(intake.days.values());
        let more_sums = summary.len().saturating_sub(MAX_SUMS);
        view::Supplements {
            person: person::to_view(person),
            notice,
            period: format!("{} to {}", moment::date(range.first), moment::date(range.last)),
            is_current: range.last >= *today,
            earlier: window(range.first.pred_opt()),
            later: window(later.filter(|later| *later > range.last)),
            calendar: calendar::draw(intake, range.last),
            day: day.map(|date| totals(intake, date, range.zone)),
            summary: summary.into_iter().take(MAX_SUMS).map(summary_line).collect(),
            more_sums,
            without_amount: intake
                .days
                .values()
                .flat_map(|day| &day.without_amount)
                .collect::<HashSet<_>>()
                .len(),
            products: self.products(),
            is_cut: intake.is_cut,
        }
    }

    /// Lists what was taken in these weeks and the person's own products, by name.
    fn products(&self) -> Vec<ProductLine> {
        let own: HashSet<_> = self.intake.own.iter().map(|product| product.id).collect();
        let taken = self.intake.supplements.values().filter(|taken| !own.contains(&taken.id));
        let mut all: Vec<_> = taken.chain(&self.intake.own).collect();
        all.sort_by_key(|supplement| (supplement.label.name().to_lowercase(), supplement.id));
        let mut room = MAX_LISTED;
        let lines = all.into_iter().take(MAX_PRODUCTS).map(|supplement| {
            let line = product_line(supplement, room);
            room = room.saturating_sub(line.ingredients.len());
            ProductLine { is_own: own.contains(&supplement.id), ..line }
        });
        lines.collect()
    }
}

fn summary_line(summary: daily::IngredientSummary) -> SummaryLine {
    let daily::IngredientSummary { name, unit, days, least, most } = summary;
    let (least_text, most_text) = (number(least), quantity(most, &unit));
    let amount = if number(most) == least_text { most_text } else { format!("{least_text} to {most_text}") };
    SummaryLine { name, days, amount }
}

/// Returns entries and sums of a day.
fn totals(intake: &Intake, date: NaiveDate, zone: TimeZone) -> DayTotals {
    let nothing = IntakeDay::default();
    let day = intake.days.get(&date).unwrap_or(&nothing);
    let logs = intake.logs.iter().filter(|log| local_day(log.record.created_at(), zone) == date);
    let entries = logs.map(|log| EntryLine {
        id: log.id.to_string(),
        at: moment::time_of_day(log.record.created_at(), zone),
        product: calendar::name(intake, log.record.supplement_id()),
        servings: servings(log.record.servings().get()),
        is_by_hand: log.record.is_by_hand(),
    });
    let sums = day.totals.iter();
    let sums = sums.map(|total| view::IngredientLine {
        name: total.name.clone(),
        amount: Some(quantity(total.quantity, &total.unit)),
    });
    DayTotals {
        date: moment::weekday_and_date(date),
        entries: entries.collect(),
        sums: sums.take(MAX_SUMS).collect(),
        more_sums: day.totals.len().saturating_sub(MAX_SUMS),
        without_amount: day.without_amount.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_of_four_weeks_end_today_and_touch_each_other() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let today = day("2026-11-23");
        let cases = [
            (None, "2026-11-23"),
            (Some("2026-11-23"), "2026-11-23"),
            (Some("2026-10-27"), "2026-11-23"),
            (Some("2026-10-26"), "2026-10-26"),
            (Some("2026-09-29"), "2026-10-26"),
            (Some("2026-12-01"), "2026-12-01"),
        ];
        for (asked, end) in cases {
            assert_eq!(window_end(asked.map(day), today), day(end), "{asked:?}");
        }
    }
}
