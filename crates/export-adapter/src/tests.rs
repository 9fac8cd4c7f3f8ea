use crate::ZipExport;
use crate::table::{head, rows, text};
use application::ports::export_writer::{ExportItem, ExportSection, ExportWriter as _};
use chrono::{DateTime, TimeDelta};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSession, Stage, StageEntry, TimeInBed,
};
use domain::supplement::{
    Amount, CatalogueKey, Ingredient, IntakeLogRecord, Servings, Supplement, SupplementLabel,
    SupplementLabelFields,
};
use std::io::{Cursor, Read as _};
use uuid::Uuid;
use zip::ZipArchive;

fn session() -> ExportItem {
    let start = DateTime::from_timestamp(1_773_000_000, 0).unwrap();
    let at = |minutes| start + TimeDelta::minutes(minutes);
    let time_in_bed = TimeInBed::new(start, at(60), None, None).unwrap();
    let entry = |stage, from, to| StageEntry::new(stage, at(from), at(to)).unwrap();
    let stages = vec![entry(Stage::Awake, 0, 10), entry(Stage::Light, 10, 60)];
    let head = SleepRecordHead {
        key: SessionKey::from_source("=1+1").unwrap(),
        source: None,
        time_in_bed,
        is_nap: None,
    };
    let hypnogram = Hypnogram::new(stages, &time_in_bed).unwrap();
    let record = SleepRecord::from_stages(head, hypnogram).unwrap();
    let id = SleepSessionId::from_uuid(Uuid::from_u128(1));
    ExportItem::Session(Box::new(SleepSession { id, record, updated_at: at(90) }))
}

fn supplement() -> ExportItem {
    let amount = Amount::new(2.5, "mg".to_owned()).unwrap();
    let fields = SupplementLabelFields {
        brand: "Owl, \"Son\"".to_owned(),
        name: "Magnesium".to_owned(),
        ingredients: vec![
            Ingredient::new("Magnesium".to_owned(), Some(amount), true).unwrap(),
            Ingredient::new("Starch".to_owned(), None, false).unwrap(),
        ],
        ..SupplementLabelFields::default()
    };
    let key = CatalogueKey::new("dsld".to_owned(), "17".to_owned()).unwrap();
    let id = SupplementId::from_uuid(Uuid::from_u128(5));
    let entered = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let label = SupplementLabel::new(fields).unwrap();
    ExportItem::Supplement(Box::new((key, Supplement::enter(id, label, entered))))
}

fn log() -> ExportItem {
    let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let id = SupplementId::from_uuid(Uuid::from_u128(5));
    let record = IntakeLogRecord::new(id, at, Servings::new(1.5).unwrap(), None).unwrap();
    ExportItem::Log(Box::new(record.with_id(IntakeLogId::from_uuid(Uuid::from_u128(6)))))
}

fn lines(section: ExportSection, item: &ExportItem) -> Vec<String> {
    let text = String::from_utf8(rows(section, item).unwrap()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_row_has_a_cell_for_each_column() {
    for (section, item) in [
        (ExportSection::Sessions, session()),
        (ExportSection::Stages, session()),
        (ExportSection::Metrics, session()),
        (ExportSection::Supplements, supplement()),
        (ExportSection::Ingredients, supplement()),
        (ExportSection::Logs, log()),
    ] {
        let text = [head(section).unwrap(), rows(section, &item).unwrap()].concat();
        let mut reader = csv::Reader::from_reader(text.as_slice());
        let columns = reader.headers().unwrap().len();
        let found: Vec<_> = reader.records().map(|record| record.unwrap().len()).collect();
        assert!(!found.is_empty() && found.iter().all(|cells| *cells == columns), "{section:?}: {found:?}");
    }
}

#[test]
fn stages_are_rows_in_time_order_and_a_formula_is_none() {
    let stages = lines(ExportSection::Stages, &session());
    assert_eq!(stages.len(), 2);
    assert!(stages[0].contains(",AWAKE,") && stages[1].contains(",LIGHT,"), "{stages:?}");
    assert!(lines(ExportSection::Sessions, &session())[0].contains(",'=1+1,"));
}

#[test]
fn every_form_of_a_formula_is_escaped_whatever_its_prefix() {
    let starts = ["=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "\u{fe66}", "\u{fe6b}"];
    let before = [
        "",
        " ",
        "  ",
        "\u{a0}",
        "\u{feff}",
        "\u{200b}",
        "\u{3000}",
        "\u{2060}",
        "\u{202d}",
        "\t",
        "\r",
        "\n",
        " \u{feff}\t",
    ];
    for start in starts {
        for skipped in before {
            let formula = format!("{skipped}{start}HYPERLINK(1)");
            assert_eq!(text(&formula), format!("'{formula}"), "{formula:?}");
        }
    }
}

#[test]
fn a_text_that_is_not_a_formula_is_exported_unchanged() {
    for name in
        ["Magnesium", "Vitamin B-12", " 5-HTP", "\u{a0}Zink", "'quoted'", "\u{2212}5", "(=)", "\u{feff}", ""]
    {
        assert_eq!(text(name), name);
    }
}

#[test]
fn an_amount_that_is_not_stated_is_an_empty_cell() {
    let ingredients = lines(ExportSection::Ingredients, &supplement());
    assert!(ingredients[0].ends_with(",1,Magnesium,2.5,mg,true,true"), "{ingredients:?}");
    assert!(ingredients[1].ends_with(",2,Starch,,,false,false"), "{ingredients:?}");
}

#[test]
fn the_archive_has_a_file_per_part_and_a_readme_that_names_every_column() {
    let mut export = ZipExport::default();
    let mut bytes = Vec::new();
    let parts = [ExportSection::Sessions, ExportSection::Supplements, ExportSection::Logs];
    for (section, item) in parts.into_iter().zip([session(), supplement(), log()]) {
        export.begin(section).unwrap();
        export.write(&item).unwrap();
        bytes.extend(export.take());
    }
    export.finish().unwrap();
    assert!(!bytes.is_empty());
    bytes.extend(export.take());
    assert!(export.write(&log()).is_err());
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names, ["README.txt", "sleep_sessions.csv", "supplements.csv", "supplement_logs.csv"]);
    let mut readme = String::new();
    archive.by_name("README.txt").unwrap().read_to_string(&mut readme).unwrap();
    for section in ZipExport::default().sections() {
        assert!(readme.contains(&format!("{}.csv", section.as_str())), "{section:?}");
        let columns = String::from_utf8(head(*section).unwrap()).unwrap();
        for column in columns.trim().split(',') {
            assert!(readme.contains(column), "{column} of {section:?}");
        }
    }
    let mut labels = String::new();
    archive.by_name("supplements.csv").unwrap().read_to_string(&mut labels).unwrap();
    assert!(labels.contains("\"Owl, \"\"Son\"\"\""), "{labels}");
    assert!(labels.starts_with("\u{feff}id,") && labels.matches('\u{feff}').count() == 1, "{labels}");
    assert!(!readme.contains('\u{feff}'));
}
