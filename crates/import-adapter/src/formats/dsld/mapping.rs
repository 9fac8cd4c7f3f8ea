//! Conversion of NIH labels to the domain's.

use super::label::{Event, Label, Other, Quantity, Row};
use crate::json::LooseScalar;
use crate::source::Notes;
use application::ports::import_source::ImportedSupplement;
use chrono::NaiveDate;
use domain::supplement::{Amount, CatalogueKey, Ingredient, SupplementLabel, SupplementLabelFields};

/// NIH's text for missing values.
const NOT_PRESENT: &str = "Not Present";
/// The event with the day on which the database added the label.
const DATE_ENTERED_EVENT: &str = "Date entered into DSLD";

/// Converts one label, or returns why it is invalid; changes and omissions are noted.
pub(super) fn read(label: &Label, place: &str, notes: &mut Notes) -> Result<ImportedSupplement, String> {
    if label.id.is_blank() {
        return Err("id is missing".to_owned());
    }
    let id = label.id.identifier().ok_or("id is neither a whole number nor a string")?;
    let key = CatalogueKey::new(CatalogueKey::DSLD.to_owned(), id).map_err(|error| format!("id: {error}"))?;
    let rows = label.ingredient_rows.as_ref();
    let rows = rows.ok_or("ingredientRows is missing: this is a partial label, as returned by a search")?;
    let mut reading = Reading::default();
    let mut ingredients = Vec::new();
    for row in &rows.0 {
        reading.row(row, &mut ingredients)?;
    }
    if let Some(other) = &label.other_ingredients {
        reading.other(other, &mut ingredients, notes)?;
    }
    let fields = SupplementLabelFields {
        brand: reading.text(&label.brand_name),
        name: reading.text(&label.full_name),
        servings: reading.text(&label.servings_per_container),
        upc: reading.text(&label.upc_sku),
        entry_date: entry_date(label, notes),
        ingredients,
    };
    reading.report(notes);
    let label = SupplementLabel::new(fields).map_err(|error| error.to_string())?;
    Ok(ImportedSupplement { place: place.to_owned(), file: 0, id: None, key, label, entry_date: None })
}

/// Counts changes and omissions.
#[derive(Debug, Default)]
struct Reading {
    nameless: usize,
    controls: usize,
}

impl Reading {
    /// Returns a text as spelled on the label, or a number as printed; empty if absent.
    ///
    /// Control characters such as line breaks become spaces.
    fn text(&mut self, value: &LooseScalar) -> String {
        let text = value.printed().filter(|_| !states_none(value)).unwrap_or_default();
        if !text.contains(char::is_control) {
            return text;
        }
        self.controls = self.controls.saturating_add(1);
        text.replace("\r\n", " ").replace(char::is_control, " ")
    }

    /// Adds a row, followed by the rows nested in it.
    fn row(&mut self, row: &Row, ingredients: &mut Vec<Ingredient>) -> Result<(), String> {
        let name = self.text(&row.name);
        let amount = self.amount(&row.quantity.0)?;
        self.add(name, amount, true, ingredients)?;
        row.nested_rows.0.iter().try_for_each(|nested| self.row(nested, ingredients))
    }

    fn other(
        &mut self,
        other: &Other,
        ingredients: &mut Vec<Ingredient>,
        notes: &mut Notes,
    ) -> Result<(), String> {
        if other.ingredients.0.is_empty() && other.text.as_str().is_some_and(|text| !text.trim().is_empty()) {
            notes.add("other ingredients are given only as a single text and were left out");
        }
        for ingredient in &other.ingredients.0 {
            let name = self.text(&ingredient.name);
            self.add(name, None, false, ingredients)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: String,
        amount: Option<Amount>,
        active: bool,
        ingredients: &mut Vec<Ingredient>,
    ) -> Result<(), String> {
        if name.trim().is_empty() {
            self.nameless = self.nameless.saturating_add(1);
            return Ok(());
        }
        // One more than allowed is enough to reject the label.
        if ingredients.len() <= SupplementLabel::MAX_INGREDIENTS {
            ingredients.push(Ingredient::new(name, amount, active).map_err(|error| error.to_string())?);
        }
        Ok(())
    }

    /// Returns the amount in the first serving size; `None` if the label states none.
    ///
    /// The operator of "less than" is dropped; the printed number is kept.
    fn amount(&mut self, quantities: &[Quantity]) -> Result<Option<Amount>, String> {
        let order = |quantity: &&Quantity| quantity.serving_size_order.number().unwrap_or(f64::INFINITY);
        let Some(first) = quantities.iter().min_by(|one, other| order(one).total_cmp(&order(other))) else {
            return Ok(None);
        };
        if first.number.is_absent() || states_none(&first.number) || states_none(&first.unit) {
            return Ok(None);
        }
        let quantity = first.number.number().ok_or("the quantity of an ingredient is not a number")?;
        let unit = self.text(&first.unit);
        Amount::from_label(quantity, unit).map_err(|error| error.to_string())
    }

    fn report(&self, notes: &mut Notes) {
        notes.count(self.nameless, "ingredients without a name were left out");
        notes.count(self.controls, "texts had line breaks or control characters, replaced with spaces");
    }
}

/// Returns the day on which the database added the label; notes days that are no dates.
fn entry_date(label: &Label, notes: &mut Notes) -> Option<NaiveDate> {
    let is_entry = |event: &&Event| {
        event.r#type.as_str().is_some_and(|name| name.trim().eq_ignore_ascii_case(DATE_ENTERED_EVENT))
    };
    let entered = label.events.0.iter().find(is_entry).map(|event| &event.date);
    [Some(&label.entry_date), entered].into_iter().flatten().find_map(|value| {
        let day = date(value);
        if day.is_none() && !value.is_absent() && !states_none(value) {
            notes.add_once("an entry date is not a date and was left out");
        }
        day
    })
}

/// Returns whether a value is NIH's text for a missing one.
fn states_none(value: &LooseScalar) -> bool {
    value.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case(NOT_PRESENT) || text.trim().is_empty())
}

fn date(value: &LooseScalar) -> Option<NaiveDate> {
    let day = value.as_str()?.trim().get(..10)?;
    NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()
}
