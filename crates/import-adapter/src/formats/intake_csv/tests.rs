use crate::Format;
use crate::testing::{notes, read, rejections};
use application::ports::import_source::{ImportItem, ImportRefusal};
use proptest::prelude::{prop_assert_eq, proptest};

const EVENING: &str = "1a2b3c4d-0000-4000-8000-000000000001";

fn intakes(text: &str) -> Vec<ImportItem> {
    read(text.as_bytes(), None, "Europe/Berlin").unwrap()
}

/// Formats intakes as `2026-01-10T21:00:00Z 1.5`.
fn logs(items: &[ImportItem]) -> Vec<String> {
    let log = |item: &ImportItem| match item {
        ImportItem::Log(log) => {
            assert_eq!(log.record.supplement_id().to_string(), EVENING);
            assert!(log.id.is_none() && log.upc.is_none() && log.record.external_key().is_none());
            let at = log.record.created_at().to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true);
            Some(format!("{at} {}", log.record.servings().get()))
        }
        _ => None,
    };
    items.iter().filter_map(log).collect()
}

#[test]
fn a_time_has_its_own_offset_or_the_zone_that_was_given() {
    let times =
        ["2026-01-10T22:00:00+02:00", "2026-01-10T22:00:00Z", "2026-01-10 22:00", "2026-07-10T22:00:30.25"];
    let rows = times.map(|time| format!("{time},{EVENING},1.5\n")).concat();
    let items = intakes(&format!("created_at,supplement_id,servings\n{rows}"));
    assert_eq!(
        logs(&items),
        [
            "2026-01-10T20:00:00Z 1.5",
            "2026-01-10T22:00:00Z 1.5",
            "2026-01-10T21:00:00Z 1.5",
            "2026-07-10T20:00:30.250Z 1.5"
        ]
    );
    assert_eq!(items[3].place(), "line 5");
}

#[test]
fn a_time_that_the_clocks_skip_is_read_with_the_offset_before_and_noted() {
    let rows = ["2026-03-29 02:30", "2026-03-29T02:30:00+01:00"]
        .map(|time| format!("{time},{EVENING},1\n"))
        .concat();
    let items = intakes(&format!("created_at,supplement_id,servings\n{rows}"));
    assert_eq!(logs(&items), ["2026-03-29T01:30:00Z 1", "2026-03-29T01:30:00Z 1"]);
    assert_eq!(notes(&items), [format!("line 2: {}", crate::local_time::SKIPPED_TIME_NOTE)]);
}

#[test]
fn a_header_in_capitals_and_lines_that_end_in_returns_are_read() {
    let text = format!("CREATED_AT,Supplement_Id,SERVINGS\r2026-01-10T22:00:00Z,{EVENING},1.5\r");
    assert_eq!(logs(&intakes(&text)), ["2026-01-10T22:00:00Z 1.5"]);
}

#[test]
fn a_table_with_semicolons_is_refused_with_the_hint_that_commas_are_needed() {
    let table = format!("\u{feff}created_at;\"supplement_id\"; servings\n2026-01-10 22:00;{EVENING};0,5\n");
    let refused = read(table.as_bytes(), None, "Europe/Berlin").unwrap_err();
    assert!(matches!(&refused, ImportRefusal::NotInThisWay(text) if text.contains("commas between columns")));
}

#[test]
fn the_header_decides_the_order_and_other_columns_are_noted() {
    let items = intakes(&format!(
        "\u{feff}servings,why,supplement_id,created_at\r\n\r\n2,\"for\nsleep\",{EVENING},2026-01-10T22:00:00Z\r\n"
    ));
    assert_eq!(logs(&items), ["2026-01-10T22:00:00Z 2"]);
    assert_eq!(notes(&items), ["line 1: unknown columns were skipped: 1"]);
}

#[test]
fn a_quote_within_a_field_loses_no_later_row() {
    let row = |day: u8, note: &str| format!("2026-01-{day}T22:00:00Z,{EVENING},1,{note}\n");
    let rows = [row(10, "5\" tall"), row(11, ""), row(12, "6\" tall"), row(13, "")].concat();
    let items = intakes(&format!("created_at,supplement_id,servings,note\n{rows}"));
    assert_eq!(logs(&items).len(), 4);
    assert_eq!(rejections(&items), Vec::<String>::new());
}

#[test]
fn rows_that_a_stray_quote_joins_are_rejected_with_the_number_of_their_lines() {
    let row = |day: u8, note: &str| format!("2026-01-{day}T22:00:00Z,{EVENING},1,{note}\n");
    for (third, reason) in [
        ("\"tall\"", "a quoted field of 3 lines has text after its end"),
        ("\",", "the number of fields in 3 lines, joined by a quote, differs from the header"),
    ] {
        let rows = [row(10, "\"tall"), row(11, ""), row(12, third), row(13, "")].concat();
        let items = intakes(&format!("created_at,supplement_id,servings,note\n{rows}"));
        assert_eq!(rejections(&items), [format!("line 2: {reason}")]);
        assert_eq!(logs(&items), ["2026-01-13T22:00:00Z 1"]);
    }
}

#[test]
fn an_invalid_row_is_rejected() {
    let unknown_time =
        "created_at is not a date and time, such as 2026-01-10T22:00:00+01:00 or 2026-01-10 22:00";
    for (row, reason) in [
        (format!("yesterday,{EVENING},1"), unknown_time),
        (format!(",{EVENING},1"), "created_at is missing"),
        (format!("2026-01-10T22:00:00Z,{EVENING},"), "servings is missing"),
        (format!("2026-01-10T22:00:00Z,{EVENING},two"), "servings is not a number"),
        (format!("2026-01-10T22:00:00Z,{EVENING},0"), "servings is not a number above 0 and up to 10000"),
        (format!("2026-01-10T22:00:00Z,{EVENING},NaN"), "servings is not a number above 0 and up to 10000"),
        ("2026-01-10T22:00:00Z,,1".to_owned(), "supplement_id is missing"),
        ("2026-01-10T22:00:00Z,1".to_owned(), "the number of fields differs from the header"),
    ] {
        let items = intakes(&format!("created_at,supplement_id,servings\n{row}\n"));
        assert_eq!(rejections(&items), [format!("line 2: {reason}")]);
    }
    let items = intakes("created_at,supplement_id,servings\n2026-01-10T22:00:00Z,7,1\n");
    assert!(rejections(&items).concat().starts_with("line 2: supplement_id: "));
}

#[test]
fn an_intake_by_product_code_carries_the_code_in_one_spelling() {
    let codes = ["0 36000 29145 2", "036000291452", "4006381333931", "none"];
    let rows = codes.map(|code| format!("2026-01-10T22:00:00Z,{code},1\n")).concat();
    let items = intakes(&format!("created_at,upc,servings\n{rows}"));
    let [ImportItem::Log(one), ImportItem::Log(same), ImportItem::Log(other), _] = items.as_slice() else {
        panic!("{items:?}")
    };
    assert_eq!((&one.upc, &one.record), (&same.upc, &same.record));
    assert_eq!(one.upc.as_ref().unwrap().as_str(), "00036000291452");
    assert_ne!(one.record.supplement_id(), other.record.supplement_id());
    let reason = "line 5: upc: a UPC has 8 to 14 digits, optionally with spaces and hyphens";
    assert_eq!(rejections(&items), [reason]);
}

#[test]
fn a_truncated_file_is_rejected() {
    for rest in ["2026-01-10T22:00:00Z,x", "2026-01-10T22:00:00Z,\"x"] {
        let text = format!("created_at,supplement_id,servings\n{rest}");
        let refused = read(text.as_bytes(), Format::IntakeCsv, "UTC").unwrap_err();
        assert!(matches!(refused, ImportRefusal::Damaged { .. }), "{refused}");
    }
}

#[test]
fn a_row_names_its_supplement_in_one_of_two_columns() {
    let rows = [
        format!("2026-01-10T22:00:00Z,,{EVENING},1"),
        "2026-01-10T22:00:00Z,036000291452,,1".to_owned(),
        format!("2026-01-10T22:00:00Z,036000291452,{EVENING},1"),
        "2026-01-10T22:00:00Z,,,1".to_owned(),
    ];
    let items = intakes(&format!("created_at,upc,supplement_id,servings\n{}\n", rows.join("\n")));
    let [ImportItem::Log(by_id), ImportItem::Log(by_code), ..] = items.as_slice() else {
        panic!("{items:?}")
    };
    assert_eq!((by_id.record.supplement_id().to_string().as_str(), &by_id.upc), (EVENING, &None));
    assert_eq!(by_code.upc.as_ref().unwrap().as_str(), "00036000291452");
    let expected =
        ["line 4: a row has supplement_id or upc, not both", "line 5: supplement_id or upc is missing"];
    assert_eq!(rejections(&items), expected);
    assert_eq!(notes(&items), Vec::<String>::new());
}

#[test]
fn a_table_without_a_needed_column_is_not_recognised() {
    for header in ["created_at,servings", "upc,servings", "created_at,upc"] {
        for format in [None, Some(Format::IntakeCsv)] {
            let refused = read(header.as_bytes(), format, "UTC");
            assert!(matches!(refused, Err(ImportRefusal::NotThisFormat(_))), "{header}");
        }
    }
    assert_eq!(intakes("created_at,upc,servings\n"), vec![]);
}

proptest! {
    #[test]
    fn any_intake_reads_back_as_it_was_written(second in 0_i64..4_000_000_000, micros in 0_u32..1_000_000, servings in 0.001..10_000.0_f64) {
        let at = chrono::DateTime::from_timestamp(second, micros * 1000).unwrap();
        let text = format!("created_at,supplement_id,servings\n{},{EVENING},{servings}\n", at.to_rfc3339());
        let items = intakes(&text);
        let [ImportItem::Log(log)] = items.as_slice() else { panic!("{items:?}") };
        prop_assert_eq!(log.record.created_at(), at);
        prop_assert_eq!(log.record.servings().get().to_bits(), servings.to_bits());
    }
}
