//! The calendar of intake as a picture: products by day.

use super::view::{CalendarDay, CalendarMark, CalendarRow, CalendarWeek, IntakeCalendar};
use super::{moment, number};
use crate::view::Moment;
use application::intake::Intake;
use chrono::{Days, NaiveDate};
use domain::id::SupplementId;
use http_adapter::Endpoint;
use std::collections::BTreeMap;

/// Days of the calendar: four weeks.
pub(super) const DAYS: u32 = 28;
/// Products in the picture; the table has all.
const MAX_ROWS: usize = 12;
/// Width of a day.
const DAY: u32 = 12;
/// Height of a row: the name, then the marks.
const ROW: u32 = 42;
/// Height of the largest mark.
const MAX_MARK_HEIGHT: u32 = 16;
/// Height of the smallest mark.
const MIN_MARK_HEIGHT: u32 = 5;
/// Characters of a product's name in the picture.
const MAX_NAME: usize = 42;

/// Intake of a product: servings by day.
struct Product {
    name: String,
    servings: BTreeMap<NaiveDate, f64>,
}

/// Draws the calendar of the days that end with `last`; `None` if nothing was taken.
pub(super) fn draw(intake: &Intake, last: NaiveDate) -> Option<IntakeCalendar> {
    let days: Vec<NaiveDate> =
        (0..DAYS).rev().filter_map(|back| last.checked_sub_days(Days::new(u64::from(back)))).collect();
    let products = products(intake);
    if products.is_empty() {
        return None;
    }
    let rows =
        products.iter().take(MAX_ROWS).zip(0..).map(|(product, place)| row(product, &days, place * ROW));
    let rows: Vec<CalendarRow> = rows.collect();
    let height = u32::try_from(rows.len()).unwrap_or_default() * ROW;
    let weeks = days
        .iter()
        .step_by(7)
        .zip(0..)
        .map(|(day, week)| CalendarWeek { x: week * 7 * DAY, label: moment::short_day(*day) });
    let finding = products.iter().take(MAX_ROWS);
    let finding: Vec<_> = finding
        .map(|product| format!("{} on {} of {DAYS} days", product.name, product.servings.len()))
        .collect();
    Some(IntakeCalendar {
        finding: format!("{}.", finding.join("; ")),
        hidden: products.len().saturating_sub(MAX_ROWS),
        weeks: weeks.collect(),
        width: DAY * DAYS,
        bottom: height,
        height: height + 20,
        days: days.iter().rev().map(|day| table_day(intake, *day)).collect(),
        rows,
    })
}

/// Lists the products: those of the most days first, then by name.
fn products(intake: &Intake) -> Vec<Product> {
    let mut all: BTreeMap<SupplementId, Product> = BTreeMap::new();
    for (date, day) in &intake.days {
        for (id, taken) in &day.products {
            let product = all
                .entry(*id)
                .or_insert_with(|| Product { name: name(intake, *id), servings: BTreeMap::new() });
            product.servings.insert(*date, taken.servings);
        }
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.sort_by(|one, other| {
        other.servings.len().cmp(&one.servings.len()).then_with(|| one.name.cmp(&other.name))
    });
    all
}

pub(super) fn name(intake: &Intake, id: SupplementId) -> String {
    intake.supplements.get(&id).map(|found| found.label.name().to_owned()).unwrap_or_default()
}

fn row(product: &Product, days: &[NaiveDate], y: u32) -> CalendarRow {
    let most = product.servings.values().copied().fold(0.0, f64::max);
    let marks = days.iter().zip(0..).filter_map(|(day, place)| {
        let servings = product.servings.get(day)?;
        Some(CalendarMark { x: place * DAY + 1, height: mark_height(servings / most) })
    });
    let marks: Vec<_> = marks.collect();
    let letters: Vec<char> = product.name.chars().collect();
    let shown = match letters.get(..MAX_NAME) {
        Some(beginning) if letters.len() > MAX_NAME => format!("{}…", beginning.iter().collect::<String>()),
        _ => product.name.clone(),
    };
    CalendarRow {
        title: format!(
            "{}: {} of {DAYS} days, at most {} a day",
            product.name,
            marks.len(),
            super::servings(most)
        ),
        name: shown,
        name_y: y + 14,
        base: y + ROW - 4,
        marks,
    }
}

/// Returns the height of a mark for a share of the largest amount, in whole units.
fn mark_height(share: f64) -> u32 {
    let steps = f64::from(MAX_MARK_HEIGHT - MIN_MARK_HEIGHT);
    let height = (MIN_MARK_HEIGHT..=MAX_MARK_HEIGHT)
        .take_while(|height| f64::from(height - MIN_MARK_HEIGHT) <= share * steps)
        .last();
    height.unwrap_or(MIN_MARK_HEIGHT)
}

fn table_day(intake: &Intake, date: NaiveDate) -> CalendarDay {
    let taken = intake.days.get(&date).map(|day| {
        let mut parts: Vec<_> = day
            .products
            .iter()
            .map(|(id, taken)| format!("{}: {}", name(intake, *id), number(taken.servings)))
            .collect();
        parts.sort();
        parts.join("; ")
    });
    CalendarDay {
        href: format!("{}?day={date}#day", Endpoint::IntakePage.path()),
        date: Moment { text: moment::short_day(date), machine: date.to_string() },
        taken: taken.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_height_of_a_mark_grows_with_the_amount_within_its_bounds() {
        assert_eq!(mark_height(1.0), MAX_MARK_HEIGHT);
        assert_eq!(mark_height(0.0), MIN_MARK_HEIGHT);
        assert_eq!(mark_height(0.5), 10);
        assert_eq!(mark_height(f64::NAN), MIN_MARK_HEIGHT);
    }
}
