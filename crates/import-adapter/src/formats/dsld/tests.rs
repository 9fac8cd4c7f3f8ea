use crate::Format;
use crate::testing::{items, notes, read, rejections};
use application::ports::import_source::{ImportItem, ImportRefusal, ImportedSupplement};
use domain::supplement::Ingredient;

fn labels(items: &[ImportItem]) -> Vec<ImportedSupplement> {
    items
        .iter()
        .filter_map(|item| match item {
            ImportItem::Supplement(supplement) => Some((**supplement).clone()),
            _ => None,
        })
        .collect()
}

fn only(text: &str) -> ImportedSupplement {
    let items = items(text, None, "UTC");
    assert_eq!((rejections(&items), notes(&items)), (vec![], vec![]));
    let [label] = <[ImportedSupplement; 1]>::try_from(labels(&items)).unwrap();
    label
}

fn printed(label: &ImportedSupplement) -> Vec<String> {
    let line = |(order, ingredient): (u32, &Ingredient)| {
        let amount = ingredient.amount().map(|amount| format!("{} {}", amount.quantity(), amount.unit()));
        let active = if ingredient.is_active() { "active" } else { "other" };
        format!("{order} {} {} {active}", ingredient.name(), amount.unwrap_or_else(|| "none".to_owned()))
    };
    label.label.ordered_ingredients().map(line).collect()
}

const LABEL: &str = r#"{
  "id": 4000123, "fullName": "Evening Capsule", "brandName": "Invented Brand", "upcSku": "9 00000 12345 6",
  "servingsPerContainer": "60", "events": [{"date": "2020-01-02", "type": "Off Market"},
  {"date": "2019-05-06", "type": "Date entered into DSLD"}],
  "ingredientRows": [
    {"order": 1, "name": "Calories", "quantity": [{"servingSizeOrder": 1, "quantity": 5, "unit": "{Calories}"}]},
    {"order": 2, "name": "Folate", "quantity": [
        {"servingSizeOrder": 2, "quantity": 800, "unit": "mcg DFE"},
        {"servingSizeOrder": 1, "quantity": 400.5, "unit": "mcg DFE", "operator": "<"}],
      "nestedRows": [{"order": 3, "name": "Folic Acid", "quantity": [{"quantity": 240, "unit": "mcg"}]}]},
    {"order": 4, "name": "Calm Blend", "quantity": [{"quantity": 100, "unit": "mg"}], "nestedRows": [
      {"order": 5, "name": "Hops", "quantity": [{"quantity": 0, "unit": "NP"}], "nestedRows": [
        {"order": 6, "name": "Hop Oil", "quantity": []}]},
      {"order": 7, "name": "Lavender", "quantity": [{"quantity": null, "unit": "mg"}]}]}
  ],
  "otheringredients": {"text": null, "ingredients": [{"order": 1, "name": "Cellulose"}, {"order": 2, "name": "Silica"}]}
}"#;

#[test]
fn a_label_lists_its_rows_depth_first_and_then_its_other_ingredients() {
    let label = only(LABEL);
    assert_eq!(
        printed(&label),
        [
            "1 Calories 5 {Calories} active",
            "2 Folate 400.5 mcg DFE active",
            "3 Folic Acid 240 mcg active",
            "4 Calm Blend 100 mg active",
            "5 Hops none active",
            "6 Hop Oil none active",
            "7 Lavender none active",
            "8 Cellulose none other",
            "9 Silica none other",
        ]
    );
    assert_eq!(label.key.to_string(), "dsld:4000123");
    assert_eq!((label.id, label.entry_date), (None, None));
    assert_eq!((label.label.brand(), label.label.name()), ("Invented Brand", "Evening Capsule"));
    assert_eq!((label.label.upc(), label.label.servings()), ("9 00000 12345 6", "60"));
    assert_eq!(label.label.entry_date().unwrap().to_string(), "2019-05-06");
}

#[test]
fn a_list_and_a_search_result_yield_the_same_label() {
    let alone = only(LABEL);
    assert_eq!(only(&format!("[{LABEL}]")), alone);
    assert_eq!(only(&format!(r#"{{"hits":[{{"_id":"1","_source":{LABEL}}}],"stats":{{}}}}"#)), alone);
}

#[test]
fn consecutive_labels_are_all_read_and_the_last_must_be_complete() {
    let one =
        |id: u32| format!(r#"{{"id":{id},"fullName":"Label {id}","brandName":"B","ingredientRows":[]}}"#);
    for between in ["\n", "\r\n\n", "", " "] {
        let text = [one(1), one(2), one(3)].join(between);
        let items = items(&text, None, "UTC");
        let names: Vec<_> = labels(&items).iter().map(|label| label.label.name().to_owned()).collect();
        assert_eq!(names, ["Label 1", "Label 2", "Label 3"]);
    }
    let lines = one(1) + "\n" + &one(2);
    for text in [
        lines.split_at(lines.len() - 1).0,
        &format!("{lines},"),
        &format!("{lines}\n[]"),
        &format!("{lines}\n1"),
    ] {
        let refused = read(text.as_bytes(), None, "UTC");
        assert!(matches!(refused, Err(ImportRefusal::Damaged { .. })), "{text}");
    }
}

#[test]
fn values_missing_from_a_label_are_empty() {
    for (from, to) in [
        ("\"9 00000 12345 6\"", "\"Not Present\""),
        ("\"9 00000 12345 6\"", "null"),
        ("\"9 00000 12345 6\"", "\"\""),
    ] {
        assert_eq!(only(&LABEL.replace(from, to)).label.upc(), "");
    }
    for (servings, expected) in [("null", ""), ("\"Not Present\"", ""), ("60", "60"), ("2.5", "2.5")] {
        let label =
            only(&LABEL.replace(
                "\"servingsPerContainer\": \"60\"",
                &format!("\"servingsPerContainer\": {servings}"),
            ));
        assert_eq!(label.label.servings(), expected);
    }
    let bare = only(r#"{"id":"A-1","fullName":"Bare","ingredientRows":[]}"#);
    assert_eq!((bare.label.brand(), bare.label.entry_date()), ("", None));
    assert_eq!(bare.key.to_string(), "dsld:A-1");
}

#[test]
fn the_entry_date_of_the_label_itself_comes_first() {
    let label = only(&LABEL.replace("\"id\"", "\"entryDate\": \"2018-07-08T00:00:00\", \"id\""));
    assert_eq!(label.label.entry_date().unwrap().to_string(), "2018-07-08");
}

#[test]
fn an_entry_date_that_is_no_date_is_noted_and_absent() {
    let dated = |date: &str, more: &str| {
        let text =
            format!(r#"{{"id":1,"fullName":"x","ingredientRows":[],"entryDate":{date},"events":[{more}]}}"#);
        let items = items(&text, Format::Dsld, "UTC");
        (labels(&items)[0].label.entry_date().map(|day| day.to_string()), notes(&items))
    };
    let event = r#"{"type":"date entered into dsld","date":"2020-01-02"}"#;
    let noted = vec!["record 1: an entry date is not a date and was left out".to_owned()];
    for date in ["\"2099-13-45\"", "\"soon\"", "20200102", "[]"] {
        assert_eq!(dated(date, ""), (None, noted.clone()), "{date}");
        assert_eq!(dated(date, event), (Some("2020-01-02".to_owned()), noted.clone()), "{date}");
    }
    assert_eq!(dated("null", r#"{"type":"Date entered into DSLD","date":"?"}"#), (None, noted));
    for date in ["null", "\"\"", "\"Not Present\"", "\"not present\""] {
        assert_eq!(dated(date, ""), (None, Vec::new()), "{date}");
    }
}

#[test]
fn an_invalid_label_is_rejected_and_the_rest_imported() {
    let long = "4711".repeat(200);
    let bad = [
        (r#"{"fullName":"x","ingredientRows":[]}"#.to_owned(), "id is missing"),
        (r#"{"id":1,"ingredientRows":[]}"#.to_owned(), "name is blank"),
        (r#"{"id":1,"fullName":"4711"}"#.to_owned(), "ingredientRows is missing"),
        (
            format!(r#"{{"id":1,"fullName":"{long}","ingredientRows":[]}}"#),
            "name is longer than 500 characters",
        ),
        (
            r#"{"id":1,"fullName":"x","ingredientRows":[{"name":"y","quantity":[{"quantity":-4711}]}]}"#
                .to_owned(),
            "quantity is not a number of 0 or more",
        ),
        (
            r#"{"id":1,"fullName":"x","ingredientRows":[{"name":"y","quantity":[{"quantity":"4711 mg"}]}]}"#
                .to_owned(),
            "the quantity of an ingredient is not a number",
        ),
        (r#"{"id":1,"fullName":"x","ingredientRows":"4711"}"#.to_owned(), "the wrong type"),
    ];
    let records: Vec<_> = bad.iter().map(|(text, _)| text.as_str()).chain([LABEL]).collect();
    let items = items(&format!("[{}]", records.join(",")), Format::Dsld, "UTC");
    let found = rejections(&items);
    assert_eq!(found.len(), bad.len());
    for (number, (found, (_, reason))) in (1..).zip(found.iter().zip(&bad)) {
        assert!(found.starts_with(&format!("record {number}: ")) && found.contains(reason), "{found}");
        assert!(!found.contains("4711"), "{found}");
    }
    assert_eq!(labels(&items).len(), 1);
}

#[test]
fn a_label_with_a_blank_id_lacks_its_id() {
    let label = |id: &str| format!(r#"{{"id":{id},"fullName":"x","ingredientRows":[]}}"#);
    let ids = ["\"\"", "\" \"", "null", "1.5", "[1]"].map(label);
    let found = rejections(&items(&format!("[{}]", ids.join(",")), Format::Dsld, "UTC"));
    let [missing, unreadable] = ["id is missing", "id is neither a whole number nor a string"];
    let expected = [missing, missing, missing, unreadable, unreadable];
    let numbered = (1..).zip(expected).map(|(number, reason)| format!("record {number}: {reason}"));
    assert_eq!(found, numbered.collect::<Vec<_>>());
}

#[test]
fn changed_and_omitted_values_are_reported() {
    let text = LABEL
        .replace("Evening Capsule", "Evening\\r\\nCapsule\\t")
        .replace("\"Hops\"", "\" \"")
        .replace("\"text\": null", "\"text\": \"Cellulose, silica.\"");
    let items = items(&text, Format::Dsld, "UTC");
    let label = &labels(&items)[0];
    assert_eq!(label.label.name(), "Evening Capsule ");
    assert_eq!(printed(label).len(), 8);
    assert_eq!(notes(&items).len(), 2);
    let only_text = r#"{"id":1,"fullName":"x","ingredientRows":[],"otheringredients":{"text":"Cellulose.","ingredients":[]}}"#;
    let items = crate::testing::items(only_text, Format::Dsld, "UTC");
    let expected = "record 1: other ingredients are given only as a single text and were left out";
    assert_eq!(notes(&items), [expected]);
}

#[test]
fn a_label_with_thousands_of_ingredients_is_rejected() {
    let rows = r#"{"name":"x"},"#.repeat(2_001);
    let text = format!(r#"{{"id":1,"fullName":"x","ingredientRows":[{}]}}"#, rows.trim_end_matches(','));
    let found = rejections(&items(&text, Format::Dsld, "UTC"));
    assert!(found[0].contains("more than 2000 entries"), "{found:?}");
    let huge =
        format!(r#"{{"id":1,"fullName":"x","ingredientRows":[],"pdf":"{}"}}"#, "x".repeat(1024 * 1024));
    assert_eq!(rejections(&items(&huge, Format::Dsld, "UTC")), ["record 1: a label is longer than 1 MiB"]);
}
