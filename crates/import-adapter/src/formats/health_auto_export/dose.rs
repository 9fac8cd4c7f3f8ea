//! Doses of medications: those that were taken are intakes.

use super::time;
use crate::json::{Bounded, LooseScalar, decode};
use application::ports::import_source::{ImportedLog, ImportedSupplement};
use domain::id::{SupplementId, UserId};
use domain::supplement::{CatalogueKey, IntakeLogRecord, Servings, SupplementLabel, SupplementLabelFields};
use serde::Deserialize;
use uuid::Uuid;

/// Name space of products that are derived from a medication; never changes.
const MEDICATIONS: Uuid = Uuid::from_u128(0x3b7e_91d0_5c24_4f86_a0e3_7d15_c98b_264f);

/// A dose; every member may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RawDose {
    display_text: LooseScalar,
    start: LooseScalar,
    /// Also present for doses that were skipped.
    dosage: LooseScalar,
    units: LooseScalar,
    status: LooseScalar,
    codings: Bounded<Coding>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Coding {
    system: LooseScalar,
    code: LooseScalar,
}

/// What became of a dose.
#[derive(Debug)]
pub(super) enum Dose {
    Taken(Box<Taken>),
    /// Skipped, put off, or without any answer.
    NotTaken,
    /// The person took back an earlier answer.
    TakenBack,
}

/// A dose that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// The medication, as a product of the person: it is in no catalogue.
    pub(super) product: ImportedSupplement,
    pub(super) log: ImportedLog,
    /// Whether the number of units is not known.
    pub(super) is_of_unknown_size: bool,
}

/// Reads a dose, or returns why it is invalid.
pub(super) fn read(text: &str, user_id: Option<UserId>, place: &str) -> Result<Dose, String> {
    let dose: RawDose = decode(text)?;
    match dose.status.word().as_deref() {
        Some("taken") => dose.taken(user_id, place).map(|taken| Dose::Taken(Box::new(taken))),
        Some("skipped" | "snoozed" | "not interacted" | "notification not sent" | "unspecified") => {
            Ok(Dose::NotTaken)
        }
        Some("not logged") => Ok(Dose::TakenBack),
        _ if dose.status.is_blank() => Err("status is missing".to_owned()),
        _ => Err("status is not a known word".to_owned()),
    }
}

impl RawDose {
    fn taken(&self, user_id: Option<UserId>, place: &str) -> Result<Taken, String> {
        let user_id = user_id.ok_or("a dose belongs to a person, but the import has no user")?;
        let name = self.display_text.as_str().map(str::trim).filter(|name| !name.is_empty());
        let name = name.ok_or("displayText is missing")?;
        let (created_at, _) = time("start", &self.start)?;
        let servings = self.servings()?;
        let key = CatalogueKey::own(user_id, self.product(name));
        let id = SupplementId::from_uuid(Uuid::new_v5(&MEDICATIONS, key.key().as_bytes()));
        let fields = SupplementLabelFields { name: name.to_owned(), ..SupplementLabelFields::default() };
        let label = SupplementLabel::new(fields).map_err(|error| format!("displayText: {error}"))?;
        let one = Servings::new(1.0).map_err(|error| error.to_string())?;
        let record = IntakeLogRecord::new(id, created_at, servings.unwrap_or(one), None);
        let record = record.map_err(|error| format!("start: {error}"))?;
        let (place, file) = (place.to_owned(), 0);
        Ok(Taken {
            log: ImportedLog { place: place.clone(), file, id: None, upc: None, record },
            product: ImportedSupplement { place, file, id: Some(id), key, label, entry_date: None },
            is_of_unknown_size: servings.is_none(),
        })
    }

    /// Returns the number of units; `None` if the dosage is in another unit, such as a strength.
    fn servings(&self) -> Result<Option<Servings>, String> {
        if self.dosage.is_blank() || self.units.word().as_deref() != Some("count") {
            return Ok(None);
        }
        let invalid = || "dosage is not a number above 0 and up to 10000".to_owned();
        let servings = self.dosage.number().and_then(|number| Servings::new(number).ok());
        servings.map(Some).ok_or_else(invalid)
    }

    /// Returns the id of the product, from its name and its codes in any order. Lengths prevent ambiguity.
    fn product(&self, name: &str) -> Uuid {
        let mut codes: Vec<_> = self.codings.0.iter().map(Coding::words).collect();
        codes.sort_unstable();
        codes.dedup();
        let words = format!("{}:{name}{}", name.len(), codes.concat());
        Uuid::new_v5(&MEDICATIONS, words.as_bytes())
    }
}

impl Coding {
    fn words(&self) -> String {
        let words = [&self.system, &self.code].map(|word| word.printed().unwrap_or_default());
        words.map(|word| format!("|{}:{word}", word.len())).concat()
    }
}
