//! The demo's five supplements and their intake.

use super::id_of;
use super::random::Sequence;
use chrono::{Days, NaiveDate, NaiveTime, TimeDelta};
use domain::id::{IntakeLogId, SupplementId};
use domain::supplement::{
    Amount, CatalogueKey, Ingredient, IntakeLog, IntakeLogRecord, Servings, Supplement, SupplementLabel,
    SupplementLabelFields,
};
use domain::time::{Fold, TimeZone};

/// Number of days with logs.
const DAYS: u64 = 90;

/// Ingredient: name, amount and unit if stated, whether it is active.
type IngredientRow = (&'static str, Option<(f64, &'static str)>, bool);

/// A fictional product, with hour and frequency of its intake.
struct Product {
    key: &'static str,
    name: &'static str,
    servings: &'static str,
    upc: &'static str,
    ingredients: &'static [IngredientRow],
    hour: u32,
    every_days: i64,
    servings_taken: f64,
}

const PRODUCTS: [Product; 5] = [
    Product {
        key: "vitamin-d3",
        name: "Vitamin D3 Drops",
        servings: "365",
        upc: "0 00000 00001 7",
        ingredients: &[
            ("Vitamin D3", Some((25.0, "mcg")), true),
            ("Calories", Some((5.0, "calories")), false),
            ("Sunflower Oil", None, false),
        ],
        hour: 8,
        every_days: 1,
        servings_taken: 1.0,
    },
    Product {
        key: "magnesium",
        name: "Magnesium Glycinate Capsules",
        servings: "60",
        upc: "0 00000 00002 4",
        ingredients: &[
            ("Magnesium", Some((200.0, "milligrams")), true),
            ("Vegetable Cellulose", None, false),
        ],
        hour: 21,
        every_days: 2,
        servings_taken: 2.0,
    },
    Product {
        key: "omega-3",
        name: "Omega-3 Softgels",
        servings: "90",
        upc: "0 00000 00003 1",
        ingredients: &[
            ("Total Omega-3", Some((1.2, "grams")), true),
            ("EPA", Some((650.0, "milligrams")), true),
            ("DHA", Some((450.0, "milligrams")), true),
            ("Gelatin", None, false),
        ],
        hour: 12,
        every_days: 3,
        servings_taken: 1.0,
    },
    Product {
        key: "melatonin",
        name: "Melatonin Lozenges",
        servings: "120",
        upc: "0 00000 00004 8",
        ingredients: &[("Melatonin", Some((0.5, "milligrams")), true), ("Sorbitol", None, false)],
        hour: 22,
        every_days: 6,
        servings_taken: 0.5,
    },
    Product {
        key: "evening-blend",
        name: "Evening Herbal Blend",
        servings: "",
        upc: "",
        ingredients: &[
            ("Evening Blend", Some((600.0, "milligrams")), true),
            ("Lemon Balm", None, true),
            ("Valerian Root", None, true),
        ],
        hour: 20,
        every_days: 5,
        servings_taken: 1.5,
    },
];

fn first_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 1).unwrap_or_default()
}

fn supplement_id(product: &Product) -> SupplementId {
    SupplementId::from_uuid(id_of(&format!("supplement/{}", product.key)))
}

/// Returns the demo's supplements with their catalogue keys.
pub fn demo_supplements() -> Vec<(CatalogueKey, Supplement)> {
    PRODUCTS.iter().filter_map(supplement).collect()
}

fn supplement(product: &Product) -> Option<(CatalogueKey, Supplement)> {
    let key = CatalogueKey::new("demo".to_owned(), product.key.to_owned()).ok()?;
    let ingredients: Option<Vec<_>> = product.ingredients.iter().map(ingredient).collect();
    let label = SupplementLabel::new(SupplementLabelFields {
        brand: "Restwell Demo".to_owned(),
        name: product.name.to_owned(),
        servings: product.servings.to_owned(),
        upc: product.upc.to_owned(),
        entry_date: Some(first_day()),
        ingredients: ingredients?,
    });
    let label = label.ok()?;
    let entered = first_day().and_time(NaiveTime::MIN).and_utc();
    Some((key, Supplement::enter(supplement_id(product), label, entered)))
}

fn ingredient(&(name, amount, active): &IngredientRow) -> Option<Ingredient> {
    let amount = match amount {
        Some((quantity, unit)) => Some(Amount::new(quantity, unit.to_owned()).ok()?),
        None => None,
    };
    Ingredient::new(name.to_owned(), amount, active).ok()
}

/// Returns the demo's logs, by supplement, then by time.
pub fn demo_logs(zone: TimeZone) -> Vec<IntakeLog> {
    let days = PRODUCTS.iter().zip(0u64..).flat_map(|(product, number)| {
        let mut random = Sequence::new(7000 + number);
        (0..DAYS).filter_map(move |day| {
            let taken = random.once_in(product.every_days);
            let minute = random.between(0, 50);
            taken.then(|| log(zone, product, day, minute)).flatten()
        })
    });
    days.collect()
}

fn log(zone: TimeZone, product: &Product, day: u64, minute: i64) -> Option<IntakeLog> {
    let date = first_day().checked_add_days(Days::new(day))?;
    let local = date.and_time(NaiveTime::from_hms_opt(product.hour, 0, 0)?) + TimeDelta::minutes(minute);
    let name = format!("{}-{date}", product.key);
    let id = IntakeLogId::from_uuid(id_of(&format!("log/{name}")));
    let servings = Servings::new(product.servings_taken).ok()?;
    let taken_at = zone.resolve(local, Fold::First);
    let record = IntakeLogRecord::new(supplement_id(product), taken_at, servings, Some(name)).ok()?;
    Some(record.with_id(id))
}
