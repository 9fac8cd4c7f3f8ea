use super::*;
use crate::supplement::{InvalidText, TextProblem};
use proptest::prelude::*;

#[test]
fn an_amount_keeps_quantity_and_unit_as_the_label_prints_them() {
    let amount = Amount::new(667.5, "mcg DFE".into()).expect("an amount");
    assert_eq!((amount.quantity(), amount.unit()), (667.5, "mcg DFE"));
    assert!(Amount::new(0.0, "{Calories}".into()).is_ok());
    assert!(Amount::new(3.0, String::new()).is_ok());
}

#[test]
fn the_unit_np_means_no_stated_amount() {
    assert_eq!(Amount::from_label(0.0, "NP".into()), Ok(None));
    assert_eq!(Amount::from_label(5.0, "NP".into()), Ok(None));
    assert_eq!(Amount::new(0.0, "NP".into()), Err(InvalidLabel::NotPresentUnit));
}

#[test]
fn an_invalid_quantity_is_rejected() {
    for quantity in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
        assert_eq!(Amount::new(quantity, "mg".into()), Err(InvalidLabel::Quantity), "{quantity}");
    }
}

#[test]
fn a_negative_zero_loses_its_sign() {
    let amount = Amount::new(-0.0, "mg".into()).expect("an amount");
    assert!(amount.quantity().is_sign_positive());
}

#[test]
fn a_refused_text_names_its_field() {
    let rejected = |field, problem| InvalidLabel::Text(InvalidText { field, problem });
    assert_eq!(
        Amount::new(1.0, "m".repeat(61)),
        Err(rejected("unit", TextProblem::TooLong { limit: Amount::MAX_UNIT }))
    );
    assert_eq!(
        Ingredient::new("Zinc\n".into(), None, true),
        Err(rejected("ingredient_name", TextProblem::ControlCharacter))
    );
    assert_eq!(Ingredient::new(" ".into(), None, true), Err(rejected("ingredient_name", TextProblem::Blank)));
    assert_eq!(
        Ingredient::new("é".repeat(501), None, false).expect_err("too long").to_string(),
        "ingredient_name is longer than 500 characters"
    );
    assert!(Ingredient::new("é".repeat(500), None, false).is_ok());
}

proptest! {
    #[test]
    fn an_ingredient_returns_its_parts(
        name in "[^\\p{Cc}]{0,40}x",
        quantity in 0.0..1e12_f64,
        unit in "[a-z(){} ]{0,20}",
        active in any::<bool>(),
    ) {
        let amount = Amount::from_label(quantity, unit.clone()).expect("an amount");
        let ingredient = Ingredient::new(name.clone(), amount.clone(), active).expect("an ingredient");
        prop_assert_eq!(ingredient.name(), name.as_str());
        prop_assert_eq!(ingredient.amount(), amount.as_ref());
        prop_assert_eq!(ingredient.is_active(), active);
    }

    #[test]
    fn building_an_ingredient_never_panics(name in any::<String>(), quantity in any::<f64>(), unit in any::<String>()) {
        if let Ok(amount) = Amount::from_label(quantity, unit) {
            let _ = Ingredient::new(name, amount, true);
        }
    }
}
