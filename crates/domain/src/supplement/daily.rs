//! Supplements that a person took, by day, with the totals of their ingredients.
//!
//! A day is a local day of the person. Amounts of an ingredient are added only if the labels state the same
//! unit. An ingredient without a stated amount is not in the sums, but named.

use super::{IntakeLog, Supplement};
use crate::id::SupplementId;
use crate::time::TimeZone;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasher;

/// Intake of one local day.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntakeDay {
    /// Servings and entries of each product.
    pub products: BTreeMap<SupplementId, ProductIntake>,
    /// Sums of the ingredients with a stated amount, in the order of their names.
    pub totals: Vec<IngredientTotal>,
    /// Names of the ingredients of which a label states no amount, in lower case.
    pub without_amount: BTreeSet<String>,
}

/// How much of a product was taken on a day.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ProductIntake {
    /// Sum of the servings.
    pub servings: f64,
    /// Number of entries.
    pub entries: usize,
}

/// Sum of an ingredient over a day, in one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct IngredientTotal {
    /// Name, as the first label of the day spells it.
    pub name: String,
    /// Sum in `unit`.
    pub quantity: f64,
    /// Unit on the labels; may be empty.
    pub unit: String,
}

/// Daily sums of an ingredient over several days.
#[derive(Debug, Clone, PartialEq)]
pub struct IngredientSummary {
    /// Name, as the first label spells it.
    pub name: String,
    /// Unit on the labels; may be empty.
    pub unit: String,
    /// Number of days with a sum.
    pub days: usize,
    /// Smallest daily sum.
    pub least: f64,
    /// Largest daily sum.
    pub most: f64,
}

/// Name and unit by which amounts are added: names match in any case.
type IngredientKey = (String, String);

/// Returns the local day of an instant.
pub fn local_day(at: DateTime<Utc>, zone: TimeZone) -> NaiveDate {
    let seconds = i64::from(zone.offset_at(at).seconds());
    at.naive_utc().checked_add_signed(TimeDelta::seconds(seconds)).unwrap_or(at.naive_utc()).date()
}

/// Sums up logs by local day. A log of a supplement that is not in `labels` counts without ingredients.
pub fn by_day<'a, S: BuildHasher>(
    logs: impl IntoIterator<Item = &'a IntakeLog>,
    labels: &HashMap<SupplementId, Supplement, S>,
    zone: TimeZone,
) -> BTreeMap<NaiveDate, IntakeDay> {
    let mut days: BTreeMap<NaiveDate, IntakeDay> = BTreeMap::new();
    let mut sums: BTreeMap<(NaiveDate, IngredientKey), IngredientTotal> = BTreeMap::new();
    for log in logs {
        let date = local_day(log.record.created_at(), zone);
        let day = days.entry(date).or_default();
        let servings = log.record.servings().get();
        let intake = day.products.entry(log.record.supplement_id()).or_default();
        intake.servings += servings;
        intake.entries += 1;
        let label = labels.get(&log.record.supplement_id());
        for ingredient in label.iter().flat_map(|supplement| supplement.label.ingredients()) {
            let Some(amount) = ingredient.amount() else {
                day.without_amount.insert(name_key(ingredient.name()));
                continue;
            };
            let sum = sums.entry((date, key(ingredient.name(), amount.unit()))).or_insert_with(|| {
                IngredientTotal {
                    name: ingredient.name().to_owned(),
                    quantity: 0.0,
                    unit: amount.unit().to_owned(),
                }
            });
            sum.quantity += amount.quantity() * servings;
        }
    }
    for ((date, _), total) in sums {
        days.entry(date).or_default().totals.push(total);
    }
    days
}

/// Summarizes the daily sums of each ingredient: those of the most days first, then by name.
pub fn summarize<'a>(days: impl IntoIterator<Item = &'a IntakeDay>) -> Vec<IngredientSummary> {
    let mut all: BTreeMap<IngredientKey, IngredientSummary> = BTreeMap::new();
    for total in days.into_iter().flat_map(|day| &day.totals) {
        let one = all.entry(key(&total.name, &total.unit)).or_insert_with(|| IngredientSummary {
            name: total.name.clone(),
            unit: total.unit.clone(),
            days: 0,
            least: total.quantity,
            most: total.quantity,
        });
        one.days += 1;
        one.least = one.least.min(total.quantity);
        one.most = one.most.max(total.quantity);
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.days));
    all
}

fn key(name: &str, unit: &str) -> IngredientKey {
    (name_key(name), unit.trim().to_owned())
}

fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

#[cfg(test)]
mod tests;
