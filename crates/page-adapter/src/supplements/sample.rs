//! Samples of the pages of supplements.

use super::view::{
    CalendarDay, CalendarMark, CalendarRow, CalendarWeek, ChoiceLine, ChooseSupplement, DayTotals, EntryLine,
    FoldChoice, FoundLines, IngredientFields, IngredientLine, IntakeCalendar, IntakeForm, ProductForm,
    ProductLine, SummaryLine, Supplements,
};
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, moment, person, sample, variant};

const ID: &str = "0d5a8f6e-4f0c-4d55-9a6b-6a7f0d6f3c11";

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = overview(source);
    samples.extend(choice(source));
    samples.extend(entry(source));
    samples.extend(product(source));
    samples
}

fn drops(source: TextSource) -> ProductLine {
    let line =
        |name: &str, amount: Option<&str>| IngredientLine { name: source(name), amount: amount.map(source) };
    ProductLine {
        id: ID.to_owned(),
        name: source("Vitamin D3 Drops"),
        brand: source("Restwell Demo"),
        servings: source("365"),
        upc: source("0 00000 00001 7"),
        ingredients: vec![line("Vitamin D3", Some("25 mcg")), line("Sunflower Oil", None)],
        ingredient_count: 3,
        is_own: false,
    }
}

fn picture(source: TextSource) -> IntakeCalendar {
    let day = |date: (&str, &str), taken: &str| CalendarDay {
        href: format!("/supplements?day={}#day", date.1),
        date: moment(source, date.0, date.1),
        taken: if taken.is_empty() { String::new() } else { source(taken) },
    };
    IntakeCalendar {
        finding: source("Vitamin D3 Drops on 2 of 28 days."),
        rows: vec![CalendarRow {
            name: source("Vitamin D3 Drops"),
            title: source("Vitamin D3 Drops: 2 of 28 days, at most 2 servings a day"),
            name_y: 14,
            base: 38,
            marks: vec![CalendarMark { x: 1, height: 16 }, CalendarMark { x: 325, height: 10 }],
        }],
        hidden: 1,
        weeks: vec![
            CalendarWeek { x: 0, label: source("26 Oct") },
            CalendarWeek { x: 84, label: source("2 Nov") },
        ],
        width: 336,
        bottom: 42,
        height: 62,
        days: vec![
            day(("Sunday, 22 November 2026", "2026-11-22"), "Vitamin D3 Drops: 1"),
            day(("Saturday, 21 November 2026", "2026-11-21"), ""),
        ],
    }
}

#[expect(clippy::too_many_lines, reason = "one block for each sample")]
fn overview(source: TextSource) -> Vec<Sample> {
    let total =
        |name: &str, amount: &str| IngredientLine { name: source(name), amount: Some(source(amount)) };
    let entry = EntryLine {
        id: ID.to_owned(),
        at: moment(source, "07:30", "2026-11-22T06:30:00Z"),
        product: source("Vitamin D3 Drops"),
        servings: source("1 serving"),
        is_by_hand: true,
    };
    let imported = EntryLine { is_by_hand: false, servings: source("2 servings"), ..entry.clone() };
    let own = ProductLine {
        name: source("Grandmother's tea"),
        brand: String::new(),
        servings: String::new(),
        upc: String::new(),
        ingredients: Vec::new(),
        ingredient_count: 0,
        is_own: true,
        ..drops(source)
    };
    let full = Supplements {
        person: person(source),
        notice: Some(source("Your intake has been added.")),
        period: source("26 October 2026 to 22 November 2026"),
        is_current: true,
        earlier: Some("/supplements?last=2026-10-25".to_owned()),
        later: None,
        calendar: Some(picture(source)),
        day: Some(DayTotals {
            date: moment(source, "Sunday, 22 November 2026", "2026-11-22"),
            entries: vec![entry, imported],
            sums: vec![total("Vitamin D3", "75 mcg")],
            more_sums: 1,
            without_amount: 3,
        }),
        summary: vec![SummaryLine { name: source("Vitamin D3"), days: 2, amount: source("25 to 75 mcg") }],
        more_sums: 1,
        without_amount: 3,
        products: vec![drops(source), own],
        is_cut: true,
    };
    let nothing = DayTotals {
        date: moment(source, "Saturday, 21 November 2026", "2026-11-21"),
        entries: Vec::new(),
        sums: Vec::new(),
        more_sums: 0,
        without_amount: 0,
    };
    let none = Supplements {
        notice: None,
        is_current: false,
        is_cut: false,
        earlier: Some("/supplements?last=2026-09-27".to_owned()),
        later: Some("/supplements?last=2026-11-22".to_owned()),
        calendar: None,
        day: Some(nothing),
        summary: Vec::new(),
        products: Vec::new(),
        ..full.clone()
    };
    vec![sample("supplements", &full), sample("supplements_none", &none)]
}

fn choice(source: TextSource) -> Vec<Sample> {
    let line = ChoiceLine {
        id: ID.to_owned(),
        name: source("Vitamin D3 Drops"),
        brand: source("Restwell Demo"),
        main_ingredients: source("Vitamin D3 25 mcg"),
        last: Some(source("Last: 21 November 2026, 07:30, 1 serving")),
    };
    let own = ChoiceLine {
        name: source("Grandmother's tea"),
        brand: String::new(),
        main_ingredients: String::new(),
        last: None,
        ..line.clone()
    };
    let first = ChooseSupplement {
        person: person(source),
        query: String::new(),
        found: None,
        recent: vec![line.clone()],
        own: vec![own.clone()],
        errors: FormErrors::none(),
    };
    let found = FoundLines { own: vec![own], catalogue: vec![line], is_partial: true };
    let found = ChooseSupplement { query: source("vitamin d"), found: Some(found), ..first.clone() };
    let nothing = FoundLines { own: Vec::new(), catalogue: Vec::new(), is_partial: false };
    let nothing = ChooseSupplement {
        query: source("unobtainium"),
        found: Some(nothing),
        recent: Vec::new(),
        own: Vec::new(),
        ..first.clone()
    };
    let refused =
        ChooseSupplement { errors: FormErrors::field("query", source("Enter a name.")), ..first.clone() };
    vec![
        sample("supplement_choice", &first),
        sample("supplement_choice_found", &found),
        sample("supplement_choice_nothing", &nothing),
        variant("supplement_choice_refused", &refused),
    ]
}

fn entry(source: TextSource) -> Vec<Sample> {
    let new = IntakeForm {
        person: person(source),
        notice: Some(source("Your product has been saved.")),
        entry: source(ID),
        is_change: false,
        product: drops(source),
        servings: source("1"),
        date: source("2026-11-22"),
        time: source("07:30"),
        fold: None,
        zone: "Europe/Berlin",
        errors: FormErrors::none(),
    };
    let fold = FoldChoice {
        first: source("02:30 (UTC+02:00)"),
        second: source("02:30 (UTC+01:00)"),
        is_first: true,
        is_second: false,
    };
    let change = IntakeForm { notice: None, is_change: true, fold: Some(fold), ..new.clone() };
    let errors = FormErrors::field("servings", source("Enter a number."))
        .and("date", source("Enter a date."))
        .and("time", source("Enter a time."));
    let refused = IntakeForm { errors, ..new.clone() };
    vec![sample("intake_new", &new), sample("intake_change", &change), variant("intake_refused", &refused)]
}

fn product(source: TextSource) -> Vec<Sample> {
    let row = |name: &str, amount: &str, unit: &str| IngredientFields {
        name: source(name),
        amount: source(amount),
        unit: source(unit),
    };
    let empty = IngredientFields::default();
    let new = ProductForm {
        person: person(source),
        entry: source(ID),
        product: None,
        name: source("Grandmother's tea"),
        brand: String::new(),
        upc: String::new(),
        ingredients: vec![row("Lemon balm", "1.5", "g"), empty.clone(), empty.clone(), empty.clone(), empty],
        errors: FormErrors::none(),
    };
    let mut many = new.ingredients.clone();
    many.push(row("Thyme", "2", "g"));
    let errors = FormErrors::field("name", source("Enter the name."))
        .and("brand", source("Enter a shorter brand."))
        .and("upc", source("Enter the digits."))
        .and("ingredients", source("Ingredient 2: enter its name."));
    let change = ProductForm { product: Some(source(ID)), ingredients: many, ..new.clone() };
    let refused = ProductForm { errors, ..new.clone() };
    vec![sample("product_new", &new), sample("product_change", &change), variant("product_refused", &refused)]
}
