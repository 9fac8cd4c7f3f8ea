//! A person's own products.

use super::view::{self, IngredientFields};
use super::{form_errors, input};
use crate::answer::{page, redirect_with_notice, see_other};
use crate::form::Form;
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::FormErrors;
use crate::{PageState, query};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::session::SignedInPerson;
use domain::id::{FormId, SupplementId};
use domain::supplement::{
    Amount, Ingredient, InvalidLabel, InvalidText, SupplementLabel, SupplementLabelFields, TextProblem, Upc,
};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

/// Rows of ingredients that a form has.
const ROWS: usize = 30;
/// Maximum length of name and brand.
const MAX_TEXT: usize = 200;
/// Largest amount that the form accepts.
const MAX_AMOUNT: f64 = 1e9;

/// Fields as typed.
#[derive(Default)]
struct ProductFields {
    name: String,
    brand: String,
    upc: String,
    ingredients: Vec<IngredientFields>,
}

impl ProductFields {
    fn read(form: &Form) -> Result<Self, Problem> {
        let line = |name| form.line(name).map(str::to_owned);
        let column = |name| -> Result<Vec<String>, Problem> {
            let values: Vec<String> = form.all(name).map(str::to_owned).collect();
            let is_sound =
                values.len() <= ROWS && !values.iter().any(|value| value.chars().any(char::is_control));
            is_sound.then_some(values).ok_or_else(|| Problem::new(Fault::InvalidForm))
        };
        let (names, amounts, units) = (column("ingredient")?, column("amount")?, column("unit")?);
        if names.len() != amounts.len() || names.len() != units.len() {
            return Err(Problem::new(Fault::InvalidForm));
        }
        let rows = names.into_iter().zip(amounts).zip(units);
        let ingredients =
            rows.map(|((name, amount), unit)| IngredientFields { name, amount, unit }).collect();
        Ok(Self { name: line("name")?, brand: line("brand")?, upc: line("upc")?, ingredients })
    }

    fn from_label(label: &SupplementLabel) -> Self {
        let ingredients = label.ingredients().iter().map(|ingredient| IngredientFields {
            name: ingredient.name().to_owned(),
            amount: ingredient.amount().map(|amount| amount.quantity().to_string()).unwrap_or_default(),
            unit: ingredient.amount().map(|amount| amount.unit().to_owned()).unwrap_or_default(),
        });
        Self {
            name: label.name().to_owned(),
            brand: label.brand().to_owned(),
            upc: label.upc().to_owned(),
            ingredients: ingredients.collect(),
        }
    }

    /// Returns the label, or what is wrong.
    fn label(&self) -> Result<SupplementLabel, FormErrors> {
        let mut errors = FormErrors::none();
        if self.name.trim().is_empty() || self.name.chars().count() > MAX_TEXT {
            errors =
                errors.and("name", format!("Enter the name of the product, at most {MAX_TEXT} characters."));
        }
        if self.brand.chars().count() > MAX_TEXT {
            errors = errors.and("brand", format!("Enter at most {MAX_TEXT} characters."));
        }
        if !self.upc.trim().is_empty() && Upc::parse(&self.upc).is_err() {
            errors = errors.and("upc", "Enter the 8 to 14 digits below the barcode, or leave this empty.");
        }
        let mut ingredients = Vec::new();
        for (row, fields) in (1..).zip(&self.ingredients) {
            match ingredient(fields) {
                Ok(found) => ingredients.extend(found),
                Err(text) => errors = errors.and("ingredients", format!("Ingredient {row}: {text}")),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let fields = SupplementLabelFields {
            name: self.name.trim().to_owned(),
            brand: self.brand.trim().to_owned(),
            upc: self.upc.trim().to_owned(),
            ingredients,
            ..SupplementLabelFields::default()
        };
        SupplementLabel::new(fields).map_err(|error| match error {
            InvalidLabel::Text(InvalidText { field: "brand", .. }) => {
                FormErrors::field("brand", "Enter a shorter brand.")
            }
            _ => FormErrors::field("name", "Enter a shorter name of visible characters."),
        })
    }
}

/// Reads a row; `None` if it is empty.
fn ingredient(fields: &IngredientFields) -> Result<Option<Ingredient>, &'static str> {
    let (name, amount, unit) = (fields.name.trim(), fields.amount.trim(), fields.unit.trim());
    if name.is_empty() {
        return if amount.is_empty() { Ok(None) } else { Err("enter its name.") };
    }
    let amount = if amount.is_empty() {
        None
    } else {
        let quantity = input::number(amount).filter(|quantity| *quantity > 0.0 && *quantity <= MAX_AMOUNT);
        let quantity = quantity
            .ok_or("enter an amount above 0 as a number, or leave it empty if the label states none.")?;
        if unit.is_empty() {
            return Err("enter the unit of the amount, such as mcg or mg.");
        }
        Some(Amount::new(quantity, unit.to_owned()).map_err(|_| "enter a unit such as mcg or mg.")?)
    };
    Ingredient::new(name.to_owned(), amount, true).map(Some).map_err(|error| match error {
        InvalidLabel::Text(InvalidText { problem: TextProblem::TooLong { .. }, .. }) => {
            "enter a shorter name."
        }
        _ => "enter a name of visible characters.",
    })
}

/// Shows the form for a new product, or for a change of one.
pub(super) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::OwnProduct.sign_in()));
    };
    let query = query::read(&request, &["product"])?;
    let Some(id) = query.get("product") else {
        return answer(&person, Target::new(&state), &ProductFields::default(), FormErrors::none());
    };
    let id = SupplementId::parse(id).map_err(|_| Problem::new(Fault::NotFound))?;
    let found = state.records.intakes.find_supplement(person.user_id, id).await?;
    let (_, product) = found
        .filter(|(key, _)| key.owner() == Some(person.user_id))
        .ok_or_else(|| Problem::new(Fault::NotFound))?;
    let target = Target { product: Some(id), ..Target::new(&state) };
    answer(&person, target, &ProductFields::from_label(&product.label), FormErrors::none())
}

/// Creates or changes a product. A search that found nothing leads here with its words as the name.
pub(super) async fn save(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    if let Some(name) = form.find("suggested_name")? {
        let name: String = name.chars().filter(|letter| !letter.is_control()).take(MAX_TEXT).collect();
        let typed = if Upc::parse(&name).is_ok() {
            ProductFields { upc: name, ..ProductFields::default() }
        } else {
            ProductFields { name, ..ProductFields::default() }
        };
        return answer(&person, Target::new(&state), &typed, FormErrors::none());
    }
    let entry = form.parse("entry", |id| FormId::parse(id).ok())?;
    let product = match form.find("product")? {
        Some(id) => Some(SupplementId::parse(id).map_err(|_| Problem::new(Fault::InvalidForm))?),
        None => None,
    };
    let (typed, target) = (ProductFields::read(&form)?, Target { entry, product });
    let label = match typed.label() {
        Ok(label) => label,
        Err(errors) => return answer(&person, target, &typed, errors),
    };
    let saved = match product {
        None => state.records.intakes.create_product(person.user_id, entry, label).await,
        Some(id) => state.records.intakes.change_product(person.user_id, id, label).await,
    };
    match saved {
        Ok(_) if product.is_some() => Ok(redirect_with_notice(Endpoint::IntakePage, "product")),
        Ok(id) => Ok(see_other(&format!("{}?supplement={id}&done=product", Endpoint::AddIntake.path()))),
        Err(error) => answer(&person, target, &typed, form_errors(error, "product")?),
    }
}

/// Deletes a product that was never logged.
pub(super) async fn delete(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("product", |id| SupplementId::parse(id).ok())?;
    let is_gone = state.records.intakes.delete_product(person.user_id, id).await?;
    Ok(redirect_with_notice(Endpoint::IntakePage, if is_gone { "product-deleted" } else { "product-used" }))
}

/// Kind of saving: a new product, or a change of one.
#[derive(Clone, Copy)]
struct Target {
    entry: FormId,
    product: Option<SupplementId>,
}

impl Target {
    fn new(state: &PageState) -> Self {
        Self { entry: state.records.intakes.new_form(), product: None }
    }
}

fn answer(
    person: &SignedInPerson,
    target: Target,
    typed: &ProductFields,
    errors: FormErrors,
) -> Result<HttpResponse, Problem> {
    let mut ingredients = typed.ingredients.clone();
    ingredients.resize_with(ROWS.max(ingredients.len()), IngredientFields::default);
    let view = view::ProductForm {
        person: person::to_view(person),
        entry: target.entry.to_string(),
        product: target.product.map(|id| id.to_string()),
        name: typed.name.clone(),
        brand: typed.brand.clone(),
        upc: typed.upc.clone(),
        ingredients,
        errors,
    };
    page(view.errors.status(), &view)
}
