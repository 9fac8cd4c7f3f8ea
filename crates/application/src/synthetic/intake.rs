//! Supplements of synthetic people and their intake.

use super::{Stream, SyntheticPerson, number_of};
use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use domain::id::{IntakeLogId, SupplementId};
use domain::sandbox::Story;
use domain::supplement::{
    Amount, CatalogueKey, Ingredient, IntakeLog, IntakeLogRecord, Servings, Supplement, SupplementLabel,
    SupplementLabelFields,
};
use domain::time::Fold;

/// Ingredient: name, amount and unit if stated, whether it is active.
type IngredientRow = (&'static str, Option<(f64, &'static str)>, bool);

/// A fictional product, with hours and frequency of its intake.
#[derive(Debug, Clone, Copy)]
struct Product {
    key: &'static str,
    name: &'static str,
    servings: &'static str,
    upc: &'static str,
    ingredients: &'static [IngredientRow],
    hours: &'static [u32],
    every_days: i64,
    servings_taken: f64,
}

/// Products that every synthetic person takes.
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
        hours: &[8],
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
        hours: &[21],
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
        hours: &[12],
        every_days: 3,
        servings_taken: 1.0,
    },
    Product {
        key: "melatonin",
        name: "Melatonin Lozenges",
        servings: "120",
        upc: "0 00000 00004 8",
        ingredients: &[("Melatonin", Some((0.5, "milligrams")), true), ("Sorbitol", None, false)],
        hours: &[22],
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
        hours: &[20],
        every_days: 5,
        servings_taken: 1.5,
    },
];

/// Declares products of one ingredient that are taken every day at these hours.
macro_rules! daily {
    ($($key:literal $name:literal: $ingredient:literal $quantity:literal $unit:literal at $hours:expr;)+) => {
        [$(Product {
            key: $key,
            name: $name,
            servings: "120",
            upc: "",
            ingredients: &[($ingredient, Some(($quantity, $unit)), true), ("Cellulose", None, false)],
            hours: &$hours,
            every_days: 1,
            servings_taken: 1.0,
        },)+]
    };
}

/// Further products of a person with many supplements.
const EXTRA_PRODUCTS: [Product; 31] = daily! {
    "vitamin-a" "Vitamin A Softgels": "Vitamin A" 900.0 "mcg" at [8];
    "vitamin-b1" "Thiamine Tablets": "Thiamine" 50.0 "mg" at [8, 20];
    "vitamin-b2" "Riboflavin Tablets": "Riboflavin" 25.0 "mg" at [8, 20];
    "vitamin-b3" "Niacin Tablets": "Niacin" 100.0 "mg" at [8, 13, 20];
    "vitamin-b5" "Pantothenic Acid": "Pantothenic Acid" 250.0 "mg" at [8, 20];
    "vitamin-b6" "Vitamin B6 Tablets": "Vitamin B6" 10.0 "mg" at [8, 20];
    "vitamin-b12" "Vitamin B12 Lozenges": "Vitamin B12" 500.0 "mcg" at [8];
    "biotin" "Biotin Tablets": "Biotin" 300.0 "mcg" at [8, 20];
    "folate" "Folate Capsules": "Folate" 400.0 "mcg DFE" at [8];
    "vitamin-c" "Vitamin C Powder": "Vitamin C" 500.0 "mg" at [8, 13, 18];
    "vitamin-e" "Vitamin E Softgels": "Vitamin E" 15.0 "mg" at [12];
    "vitamin-k2" "Vitamin K2 Drops": "Vitamin K2" 75.0 "mcg" at [12];
    "calcium" "Calcium Citrate": "Calcium" 250.0 "mg" at [9, 14, 19];
    "iron" "Iron Bisglycinate": "Iron" 14.0 "mg" at [7, 17];
    "zinc" "Zinc Picolinate": "Zinc" 10.0 "mg" at [10, 19];
    "selenium" "Selenium Yeast": "Selenium" 55.0 "mcg" at [10, 19];
    "iodine" "Kelp Tablets": "Iodine" 75.0 "mcg" at [9, 18];
    "copper" "Copper Capsules": "Copper" 1.0 "mg" at [11];
    "chromium" "Chromium Capsules": "Chromium" 100.0 "mcg" at [12, 18];
    "potassium" "Potassium Powder": "Potassium" 300.0 "mg" at [9, 13, 17, 21];
    "glycine" "Glycine Powder": "Glycine" 1.5 "g" at [18, 21];
    "creatine" "Creatine Powder": "Creatine" 2.5 "g" at [8, 18];
    "taurine" "Taurine Capsules": "Taurine" 500.0 "mg" at [9, 17];
    "theanine" "Theanine Capsules": "L-Theanine" 100.0 "mg" at [15, 20];
    "carnitine" "Carnitine Tablets": "L-Carnitine" 250.0 "mg" at [9, 15];
    "collagen" "Collagen Powder": "Collagen" 5.0 "g" at [8, 20];
    "curcumin" "Curcumin Capsules": "Curcumin" 200.0 "mg" at [12, 19];
    "psyllium" "Psyllium Husk": "Psyllium" 3.0 "g" at [7, 12, 17];
    "probiotic" "Probiotic Capsules": "Lactobacillus" 10.0 "billion CFU" at [7, 21];
    "coenzyme-q10" "Coenzyme Q10": "Ubiquinone" 50.0 "mg" at [8, 13];
    "lutein" "Lutein Softgels": "Lutein" 5.0 "mg" at [12, 18];
};

/// Date of the labels.
fn entry_date() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, 1).unwrap_or_default()
}

impl SyntheticPerson {
    /// Returns the person's supplements, with keys of the catalogue. The ids are the person's own.
    pub fn supplements(&self) -> Vec<(CatalogueKey, Supplement)> {
        self.products().filter_map(|product| self.supplement(product)).collect()
    }

    /// Returns the intakes of these days, by supplement, then by time.
    pub fn logs(&self, days: &[NaiveDate]) -> Vec<IntakeLog> {
        let logs = self.products().zip(0i64..).flat_map(|(product, number)| {
            days.iter().flat_map(move |day| self.logs_of(product, number, *day))
        });
        logs.collect()
    }

    fn products(&self) -> impl Iterator<Item = &'static Product> + use<> {
        let more: &[Product] = if self.story == Story::ManySupplements { &EXTRA_PRODUCTS } else { &[] };
        PRODUCTS.iter().chain(more)
    }

    fn supplement_id(&self, product: &Product) -> SupplementId {
        SupplementId::from_uuid(self.id_of(&format!("supplement/{}", product.key)))
    }

    fn supplement(&self, product: &Product) -> Option<(CatalogueKey, Supplement)> {
        let key = CatalogueKey::new("demo".to_owned(), product.key.to_owned()).ok()?;
        let ingredients: Option<Vec<_>> = product.ingredients.iter().map(ingredient).collect();
        let label = SupplementLabel::new(SupplementLabelFields {
            brand: "Restwell Demo".to_owned(),
            name: product.name.to_owned(),
            servings: product.servings.to_owned(),
            upc: product.upc.to_owned(),
            entry_date: Some(entry_date()),
            ingredients: ingredients?,
        });
        let entered = entry_date().and_time(NaiveTime::MIN).and_utc();
        Some((key, Supplement::enter(self.supplement_id(product), label.ok()?, entered)))
    }

    fn logs_of(&self, product: &Product, number: i64, day: NaiveDate) -> Vec<IntakeLog> {
        let mut random = self.sequence(Stream::Intake, 100 * number_of(day) + number);
        if !random.one_in(product.every_days) {
            return Vec::new();
        }
        let logs = product.hours.iter().filter_map(|hour| {
            let minute = TimeDelta::minutes(random.between(0, 50));
            let name = format!("{}-{day}-{hour}", product.key);
            self.log(product, name, day.and_time(NaiveTime::from_hms_opt(*hour, 0, 0)?) + minute)
        });
        logs.collect()
    }

    fn log(&self, product: &Product, name: String, local: NaiveDateTime) -> Option<IntakeLog> {
        let id = IntakeLogId::from_uuid(self.id_of(&format!("log/{name}")));
        let servings = Servings::new(product.servings_taken).ok()?;
        let taken_at = self.zone.resolve(local, Fold::First);
        let record =
            IntakeLogRecord::new(self.supplement_id(product), taken_at, servings, Some(name)).ok()?;
        Some(record.with_id(id))
    }
}

fn ingredient(&(name, amount, active): &IngredientRow) -> Option<Ingredient> {
    let amount = match amount {
        Some((quantity, unit)) => Some(Amount::new(quantity, unit.to_owned()).ok()?),
        None => None,
    };
    Ingredient::new(name.to_owned(), amount, active).ok()
}
