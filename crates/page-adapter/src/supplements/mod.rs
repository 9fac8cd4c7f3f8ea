//! `/supplements`: what a person takes, and intake entered by hand.

mod add;
mod calendar;
mod entry;
mod input;
mod overview;
mod product;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::view::FormErrors;
use crate::{moment, page_with_form};
use actix_web::web::{ServiceConfig, get, post};
use application::intake::IntakeError;
use domain::supplement::{Ingredient, Supplement};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use view::{IngredientLine, ProductLine};

/// Maximum number of ingredients that are listed of one product.
const MAX_INGREDIENTS: usize = 60;

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::IntakePage.resource().route(get().to(overview::show)))
        .service(page_with_form(Endpoint::AddIntake, add::show, entry::add))
        .service(Endpoint::SearchSupplements.resource().route(post().to(add::search)))
        .service(page_with_form(Endpoint::ChangeIntake, entry::show_change, entry::change))
        .service(Endpoint::DeleteIntake.resource().route(post().to(entry::delete)))
        .service(page_with_form(Endpoint::OwnProduct, product::show, product::save))
        .service(Endpoint::DeleteOwnProduct.resource().route(post().to(product::delete)));
}

/// Returns a product for a page; at most `limit` of its ingredients are listed.
fn product_line(supplement: &Supplement, limit: usize) -> ProductLine {
    let label = &supplement.label;
    let ingredients = label.ingredients();
    ProductLine {
        id: supplement.id.to_string(),
        name: label.name().to_owned(),
        brand: label.brand().to_owned(),
        servings: label.servings().to_owned(),
        upc: label.upc().to_owned(),
        ingredients: ingredients.iter().take(limit.min(MAX_INGREDIENTS)).map(ingredient_line).collect(),
        ingredient_count: ingredients.len(),
        is_own: false,
    }
}

fn ingredient_line(ingredient: &Ingredient) -> IngredientLine {
    let amount = ingredient.amount();
    IngredientLine {
        name: ingredient.name().to_owned(),
        amount: amount.map(|amount| quantity(amount.quantity(), amount.unit())),
    }
}

/// Formats a quantity with its unit.
fn quantity(quantity: f64, unit: &str) -> String {
    let number = number(quantity);
    if unit.trim().is_empty() { number } else { format!("{number} {unit}") }
}

/// Formats a number with at most six significant digits: `0.5`, `1000`, `33.3333`.
fn number(value: f64) -> String {
    // A sum of binary fractions may lie just below a half, which is rounded up.
    let value = value * (1.0 + 1e-12);
    let size = value.abs();
    if !(1e-6..1e15).contains(&size) && size > 0.0 {
        return format!("{value:.5e}");
    }
    let decimals = [1e5, 1e4, 1e3, 1e2, 1e1, 1.0].iter().take_while(|least| size < **least).count();
    let decimals = if size < 1.0 { 9 } else { decimals };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Formats servings: `1 serving`, `0.5 servings`.
fn servings(servings: f64) -> String {
    let number = number(servings);
    if number == "1" { "1 serving".to_owned() } else { format!("{number} servings") }
}

/// Returns the errors of a form that saves this; an error that it cannot show becomes a [`Problem`].
fn form_errors(error: IntakeError, saved: &str) -> Result<FormErrors, Problem> {
    Ok(match error {
        IntakeError::Future => FormErrors::field("time", "Enter a time in the past."),
        IntakeError::TooEarly => FormErrors::field("date", "Enter a date after 1900."),
        IntakeError::TooManyProducts => FormErrors::form(
            "You have reached the limit of your own products. Delete one that you no longer need.",
        ),
        IntakeError::SentBefore => FormErrors::form(format!(
            "You have already saved this form. Open the {saved} in your list to change it, or start a new one."
        )),
        IntakeError::UnknownSupplement | IntakeError::UnknownEntry => {
            return Err(Problem::new(Fault::NotFound));
        }
        IntakeError::Storage(error) => return Err(error.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_six_significant_digits_and_no_empty_decimals() {
        let cases = [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (0.5, "0.5"),
            (1.0, "1"),
            (33.333_333_3, "33.3333"),
            (1000.0, "1000"),
            (123_456.789, "123457"),
            (1e300, "1.00000e300"),
            (1e-9, "1.00000e-9"),
            (0.000_25, "0.00025"),
            (1017.275, "1017.28"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!(number(f64::INFINITY), "inf");
    }

    #[test]
    fn servings_are_words() {
        assert_eq!(servings(1.0), "1 serving");
        assert_eq!(servings(0.5), "0.5 servings");
        assert_eq!(quantity(5.0, ""), "5");
        assert_eq!(quantity(25.0, "mcg"), "25 mcg");
    }
}
