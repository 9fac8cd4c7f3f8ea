use super::*;
use crate::supplement::{Amount, Ingredient, SupplementLabelFields};
use chrono::NaiveDate;

fn fields() -> SupplementLabelFields {
    let ingredient = |name: &str| Ingredient::new(name.into(), None, true).expect("an ingredient");
    SupplementLabelFields {
        brand: "Nordlicht".into(),
        name: "Evening Magnesium".into(),
        servings: "30".into(),
        upc: "0 00000 12345 6".into(),
        entry_date: NaiveDate::from_ymd_opt(2024, 2, 29),
        ingredients: vec![ingredient("Magnesium"), ingredient("Glycine")],
    }
}

fn label(fields: SupplementLabelFields) -> SupplementLabel {
    SupplementLabel::new(fields).expect("a label")
}

#[test]
fn the_same_label_changes_nothing_with_logs_or_without() {
    for has_logs in [true, false] {
        assert_eq!(
            LabelChange::between(&label(fields()), &label(fields()), has_logs),
            LabelChange::Unchanged
        );
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
        let mut corrected = fields();
        correct(&mut corrected);
        let (kept, read) = (label(fields()), label(corrected));
        assert_eq!(LabelChange::between(&kept, &read, true), LabelChange::NewVersion);
        assert_eq!(LabelChange::between(&kept, &read, false), LabelChange::UpdateInPlace);
    }
}
