use super::*;
use crate::supplement::{Amount, TextProblem};
use proptest::prelude::*;

fn ingredient(name: &str) -> Ingredient {
    let amount = Amount::new(2.5, "mg".into()).expect("an amount");
    Ingredient::new(name.into(), Some(amount), true).expect("an ingredient")
}

fn fields() -> SupplementLabelFields {
    SupplementLabelFields {
        brand: "Nordlicht".into(),
        name: "Evening Magnesium".into(),
        servings: "30".into(),
        upc: "0 00000 12345 6".into(),
        entry_date: NaiveDate::from_ymd_opt(2024, 2, 29),
        ingredients: vec![ingredient("Magnesium"), ingredient("Glycine")],
    }
}

#[test]
fn a_label_keeps_its_own_spelling_and_order() {
    let label = label(fields());
    assert_eq!(label.upc(), "0 00000 12345 6");
    assert_eq!((label.brand(), label.name(), label.servings()), ("Nordlicht", "Evening Magnesium", "30"));
    let ordered: Vec<_> = label.ordered_ingredients().map(|(order, entry)| (order, entry.name())).collect();
    assert_eq!(ordered, [(1, "Magnesium"), (2, "Glycine")]);
    assert_eq!(label.ingredients().len(), 2);
    assert_eq!(label.into_fields(), fields());
}

#[test]
fn the_entry_date_is_shown_at_midnight_utc() {
    let label = label(fields());
    assert_eq!(label.entry_date(), NaiveDate::from_ymd_opt(2024, 2, 29));
    assert_eq!(label.entry_instant(), "2024-02-29T00:00:00Z".parse().ok());
}

#[test]
fn everything_but_the_name_of_a_label_may_be_empty() {
    let bare = SupplementLabelFields { name: "Zinc".into(), ..SupplementLabelFields::default() };
    assert_eq!(label(bare).entry_instant(), None);
    let rejected = SupplementLabel::new(SupplementLabelFields { name: "  ".into(), ..fields() });
    assert_eq!(rejected, Err(InvalidLabel::Text(InvalidText { field: "name", problem: TextProblem::Blank })));
}

#[test]
fn every_text_has_its_limit_and_its_name_in_the_error() {
    type Setter = fn(&mut SupplementLabelFields, String);
    let cases: [(&str, usize, Setter); 4] = [
        ("brand", 300, |fields, value| fields.brand = value),
        ("name", 500, |fields, value| fields.name = value),
        ("servings", 50, |fields, value| fields.servings = value),
        ("upc", 100, |fields, value| fields.upc = value),
    ];
    for (field, limit, set) in cases {
        let with = |value: String| {
            let mut fields = fields();
            set(&mut fields, value);
            SupplementLabel::new(fields)
        };
        assert!(with("ß".repeat(limit)).is_ok(), "{field}");
        let too_long = InvalidText { field, problem: TextProblem::TooLong { limit } };
        assert_eq!(with("ß".repeat(limit + 1)), Err(InvalidLabel::Text(too_long)));
        for control in ['\0', '\n', '\t', '\u{7f}', '\u{85}'] {
            let problem = TextProblem::ControlCharacter;
            assert_eq!(with(format!("a{control}")), Err(InvalidLabel::Text(InvalidText { field, problem })));
        }
    }
}

#[test]
fn two_thousand_ingredients_are_the_most() {
    let with = |count| {
        let ingredients = vec![ingredient("Zinc"); count];
        SupplementLabel::new(SupplementLabelFields { ingredients, ..fields() })
    };
    assert!(with(2_000).is_ok());
    assert_eq!(with(2_001), Err(InvalidLabel::TooManyIngredients { limit: 2_000 }));
}

#[test]
fn an_entry_date_that_four_digits_cannot_write_is_rejected() {
    for year in [0, -1, 10_000] {
        let entry_date = NaiveDate::from_ymd_opt(year, 1, 1);
        let rejected = SupplementLabel::new(SupplementLabelFields { entry_date, ..fields() });
        assert_eq!(rejected, Err(InvalidLabel::EntryDate), "{year}");
    }
}

fn label(fields: SupplementLabelFields) -> SupplementLabel {
    SupplementLabel::new(fields).expect("a label")
}

/// Fields whose ingredients have no amount.
fn bare() -> SupplementLabelFields {
    let ingredient = |name: &str| Ingredient::new(name.into(), None, true).expect("an ingredient");
    SupplementLabelFields { ingredients: ["Magnesium", "Glycine"].map(ingredient).into(), ..fields() }
}

#[test]
fn the_same_label_changes_nothing_with_logs_or_without() {
    for has_logs in [true, false] {
        assert_eq!(LabelChange::between(&label(bare()), &label(bare()), has_logs), LabelChange::Unchanged);
    }
}

#[test]
fn any_difference_is_a_new_version_when_logged_and_an_update_when_not() {
    let corrections: [fn(&mut SupplementLabelFields); 8] = [
        |fields| fields.brand = "Südlicht".into(),
        |fields| fields.name = "Morning Magnesium".into(),
        |fields| fields.servings = "60".into(),
        |fields| fields.upc = "000000123456".into(),
        |fields| fields.entry_date = None,
        |fields| fields.ingredients.reverse(),
        |fields| fields.ingredients.truncate(1),
        |fields| {
            let amount = Amount::new(0.0, "mg".into()).ok();
            fields.ingredients[0] = Ingredient::new("Magnesium".into(), amount, true).expect("an ingredient");
        },
    ];
    for correct in corrections {
        let mut corrected = bare();
        correct(&mut corrected);
        let (kept, read) = (label(bare()), label(corrected));
        assert_eq!(LabelChange::between(&kept, &read, true), LabelChange::NewVersion);
        assert_eq!(LabelChange::between(&kept, &read, false), LabelChange::UpdateInPlace);
    }
}

proptest! {
    #[test]
    fn building_a_label_from_arbitrary_text_never_panics(brand in any::<String>(), name in any::<String>(), upc in any::<String>()) {
        let given = SupplementLabelFields { brand, name, upc, ..fields() };
        if let Ok(label) = SupplementLabel::new(given.clone()) {
            prop_assert_eq!(label.into_fields(), given);
        }
    }
}
