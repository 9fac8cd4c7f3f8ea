use super::*;
use crate::id::IntakeLogId;
use crate::supplement::{
    Amount, Ingredient, IntakeLogRecord, Servings, SupplementLabel, SupplementLabelFields,
};
use proptest::prelude::*;
use uuid::Uuid;

fn id(number: u128) -> SupplementId {
    SupplementId::from_uuid(Uuid::from_u128(number))
}

fn product(number: u128, ingredients: &[(&str, Option<(f64, &str)>)]) -> (SupplementId, Supplement) {
    let ingredients = ingredients.iter().map(|(name, amount)| {
        let amount = amount.map(|(quantity, unit)| Amount::new(quantity, unit.to_owned()).unwrap());
        Ingredient::new((*name).to_owned(), amount, true).unwrap()
    });
    let fields = SupplementLabelFields {
        name: format!("product {number}"),
        ingredients: ingredients.collect(),
        ..SupplementLabelFields::default()
    };
    let label = SupplementLabel::new(fields).unwrap();
    (id(number), Supplement { id: id(number), label, entry_date: DateTime::UNIX_EPOCH })
}

fn log(number: u128, at: &str, servings: f64) -> IntakeLog {
    let servings = Servings::new(servings).unwrap();
    let record = IntakeLogRecord::new(id(number), at.parse().unwrap(), servings, None).unwrap();
    record.with_id(IntakeLogId::from_uuid(Uuid::from_u128(number)))
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn berlin() -> TimeZone {
    TimeZone::parse("Europe/Berlin").unwrap()
}

#[test]
fn amounts_of_one_ingredient_and_unit_are_added_with_their_servings() {
    let labels = HashMap::from([
        product(1, &[("Vitamin D3", Some((25.0, "mcg"))), ("Oil", None)]),
        product(2, &[("vitamin d3", Some((10.0, "mcg"))), ("Vitamin D3", Some((400.0, "IU")))]),
    ]);
    let logs = [
        log(1, "2026-11-03T07:00:00Z", 1.5),
        log(1, "2026-11-03T08:00:00Z", 0.5),
        log(2, "2026-11-03T20:00:00Z", 0.5),
    ];
    let days = by_day(&logs, &labels, berlin());
    let only = &days[&day("2026-11-03")];
    let totals: Vec<_> =
        only.totals.iter().map(|one| (one.name.as_str(), one.quantity, one.unit.as_str())).collect();
    assert_eq!(totals, [("Vitamin D3", 200.0, "IU"), ("Vitamin D3", 55.0, "mcg")]);
    assert_eq!(only.without_amount, BTreeSet::from(["oil".to_owned()]));
    assert_eq!(only.products[&id(1)], ProductIntake { servings: 2.0, entries: 2 });
    assert_eq!(days.len(), 1);
}

#[test]
fn a_day_is_a_local_day_also_when_clocks_change() {
    let labels = HashMap::new();
    // Clocks are set back at 01:00 UTC on 25 October; local midnight is at 22:00 UTC before and 23:00 UTC
    // after.
    let logs =
        ["2026-10-24T21:59:00Z", "2026-10-24T22:00:00Z", "2026-10-25T22:59:00Z", "2026-10-25T23:00:00Z"];
    let logs = logs.map(|at| log(1, at, 1.0));
    let days = by_day(&logs, &labels, berlin());
    let counts: Vec<_> =
        days.iter().map(|(date, day)| (date.to_string(), day.products[&id(1)].entries)).collect();
    let expected = [("2026-10-24", 1), ("2026-10-25", 2), ("2026-10-26", 1)];
    assert_eq!(counts, expected.map(|(date, count)| (date.to_owned(), count)));
}

#[test]
fn a_summary_has_the_range_of_the_daily_sums() {
    let labels = HashMap::from([
        product(1, &[("Zinc", Some((5.0, "mg")))]),
        product(2, &[("Iron", Some((1.0, "mg")))]),
    ]);
    let logs = [
        log(1, "2026-11-01T12:00:00Z", 1.0),
        log(1, "2026-11-02T12:00:00Z", 1.0),
        log(1, "2026-11-02T13:00:00Z", 2.0),
        log(2, "2026-11-02T13:00:00Z", 1.0),
    ];
    let days = by_day(&logs, &labels, TimeZone::UTC);
    let summary: Vec<_> =
        summarize(days.values()).into_iter().map(|one| (one.name, one.days, one.least, one.most)).collect();
    assert_eq!(summary, [("Zinc".to_owned(), 2, 5.0, 15.0), ("Iron".to_owned(), 1, 1.0, 1.0)]);
}

proptest! {
    #[test]
    fn every_entry_falls_on_one_day_and_no_amount_is_lost(
        entries in proptest::collection::vec((0i64..4_000_000, 1u32..20, 1u128..4), 0..60),
    ) {
        let labels = HashMap::from([
            product(1, &[("A", Some((1.0, "mg"))), ("B", None)]),
            product(2, &[("a", Some((2.0, "mg")))]),
            product(3, &[("A", Some((4.0, "g")))]),
        ]);
        let logs: Vec<_> = entries.iter().map(|(at, servings, product)| {
            let at = DateTime::from_timestamp(1_770_000_000 + at, 0).unwrap().to_rfc3339();
            log(*product, &at, f64::from(*servings))
        }).collect();
        let days = by_day(&logs, &labels, berlin());
        let count: usize = days.values().flat_map(|day| day.products.values()).map(|taken| taken.entries).sum();
        prop_assert_eq!(count, logs.len());
        let of = |unit: &str| -> f64 {
            days.values().flat_map(|day| &day.totals).filter(|one| one.unit == unit).map(|one| one.quantity).sum()
        };
        let expected = |product: u128, quantity: f64| -> f64 {
            entries.iter().filter(|one| one.2 == product).map(|one| f64::from(one.1) * quantity).sum()
        };
        // Whole numbers of this size are exact.
        prop_assert_eq!(of("mg").to_bits(), (expected(1, 1.0) + expected(2, 2.0)).to_bits());
        prop_assert_eq!(of("g").to_bits(), expected(3, 4.0).to_bits());
        for day in days.values() {
            let without: Vec<_> = day.without_amount.iter().map(String::as_str).collect();
            prop_assert_eq!(without, if day.products.contains_key(&id(1)) { vec!["b"] } else { vec![] });
        }
    }
}
