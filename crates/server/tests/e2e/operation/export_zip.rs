//! The archive of tables has exactly the imported values.

use super::reader::Reader;
use super::records;
use crate::e2e::app::{register, text};
use crate::e2e::world::World;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use zip::ZipArchive;

const TABLES: [&str; 7] = [
    "profile.csv",
    "sleep_sessions.csv",
    "sleep_stages.csv",
    "sleep_metrics.csv",
    "supplements.csv",
    "supplement_ingredients.csv",
    "supplement_logs.csv",
];

/// Row by column name.
type Row = BTreeMap<String, String>;

/// Files of an archive by name.
struct Archive(BTreeMap<String, String>);

impl Archive {
    /// Downloads the archive of a person.
    async fn download(reader: &Reader, query: &str) -> Self {
        let answer = reader.begin("export", query).await;
        assert_eq!(answer.headers()["content-type"], "application/zip");
        assert_eq!(answer.headers()["content-disposition"], "attachment; filename=\"restwell-export.zip\"");
        let bytes = answer.bytes().await.expect("archive");
        let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a zip");
        let mut files = BTreeMap::new();
        for place in 0..archive.len() {
            let mut entry = archive.by_index(place).expect("entry");
            let name = entry.name().expect("name").into_owned();
            let mut content = String::new();
            // The checksum of the entry is verified at its end.
            entry.read_to_string(&mut content).expect("UTF-8");
            assert!(files.insert(name, content).is_none());
        }
        Self(files)
    }

    fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    fn rows(&self, name: &str) -> Vec<Row> {
        let table = self.0[name].strip_prefix('\u{feff}').expect("a byte order mark");
        let mut records = records_of(table).into_iter();
        let columns = records.next().expect("the names of the columns");
        let row = |cells: Vec<String>| {
            assert_eq!(cells.len(), columns.len(), "{name}: {cells:?}");
            columns.iter().cloned().zip(cells).collect()
        };
        records.map(row).collect()
    }

    /// Returns the rows of a table by a unique column.
    fn by(&self, name: &str, column: &str) -> BTreeMap<String, Row> {
        let rows = self.rows(name);
        let count = rows.len();
        let rows: BTreeMap<_, _> = rows.into_iter().map(|row| (row[column].clone(), row)).collect();
        assert_eq!(rows.len(), count, "{name} has a {column} twice");
        rows
    }
}

/// Parses a table as RFC 4180 specifies.
fn records_of(table: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut letters = table.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, is_quoted) {
            ('"', true) if letters.peek() == Some(&'"') => cell.extend(letters.next()),
            ('"', _) => is_quoted = !is_quoted,
            (',', false) => record.push(std::mem::take(&mut cell)),
            ('\n', false) => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            ('\r', false) if letters.peek() == Some(&'\n') => {}
            _ => cell.push(letter),
        }
    }
    assert!(cell.is_empty() && record.is_empty() && !is_quoted, "the table is truncated");
    records
}

/// Returns the expected cell for a member of a line.
fn cell(line: &Value, member: &str) -> String {
    match &line[member] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Compares members of a line with the cells of the same names.
fn assert_cells(row: &Row, line: &Value, members: &[&str]) {
    for member in members {
        assert_eq!(row[*member], cell(line, member), "{member} of {line}");
    }
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

/// Returns the lines of the re-importable export, by type.
fn lines(world: &World, user: &str) -> BTreeMap<String, Vec<Value>> {
    let mut lines: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in world.json_lines(&["export", "--user", user]) {
        lines.entry(text(&line, "type")).or_default().push(line);
    }
    lines
}

/// Imports some of everything, including a label whose name is a formula for a spreadsheet.
fn import_sample_data(world: &World, user: &str) {
    let formula = "{\"type\":\"supplement\",\"id\":\"5e7a0000-0000-4000-8000-000000000009\",\"name\":\"\\u00a0\\uff1d1+1\"}\n\
        {\"type\":\"supplement_log\",\"created_at\":\"2026-03-02T08:00:00Z\",\
        \"supplement_id\":\"5e7a0000-0000-4000-8000-000000000009\",\"servings\":1}\n";
    let stub = world.file("stub.ndjson", &records::label_stub(900_001));
    // Before it is logged: a log keeps its version of the label.
    let label = world.file("label.json", &records::dsld(900_001, "Night Harbour Magnesium"));
    let odd = world.file("odd.ndjson", &(records::odd_lines() + formula));
    let fitbit = world.file("sleep.json", &records::fitbit());
    world.ok(&["import", "--user", user, "--timezone", "America/New_York", &stub, &label, &odd, &fitbit]);
}

fn compare_sessions(archive: &Archive, nights: &[Value]) {
    let rows = archive.by("sleep_sessions.csv", "id");
    assert_eq!((rows.len(), nights.len()), (9, 9));
    let (stages, metrics) = (archive.rows("sleep_stages.csv"), archive.rows("sleep_metrics.csv"));
    let mut compared = 0;
    for night in nights {
        let id = text(night, "id");
        let members =
            ["external_id", "source", "time_in_bed_start", "time_in_bed_end", "is_nap", "updated_at"];
        assert_cells(&rows[&id], night, &members);
        let own = stages.iter().filter(|row| row["session_id"] == id);
        let reported = night["raw_sleep"].as_array().into_iter().flatten();
        compared += own.clone().count();
        assert!(own.clone().count() == reported.clone().count(), "{night}");
        own.zip(reported).for_each(|(row, stage)| assert_cells(row, stage, &["stage", "start", "end"]));
        let own = metrics.iter().filter(|row| row["session_id"] == id);
        let own: BTreeMap<_, _> =
            own.map(|row| (row["sleep_metric"].clone(), number(&row["value"]))).collect();
        let reported = night["sleep_metric"].as_array().into_iter().flatten();
        let reported =
            reported.map(|metric| (text(metric, "sleep_metric"), metric["value"].as_f64().expect("number")));
        assert_eq!(own, reported.collect(), "{night}");
    }
    assert_eq!(compared, stages.len(), "a stage belongs to nothing");
    assert!(stages.len() > 12 && metrics.len() > 30, "too little was compared");
}

fn compare_supplements(archive: &Archive, labels: &[Value], logs: &[Value]) {
    let rows = archive.by("supplements.csv", "id");
    let ingredients = archive.rows("supplement_ingredients.csv");
    assert_eq!((rows.len(), labels.len(), logs.len()), (4, 4, 7));
    for label in labels {
        let row = &rows[&text(label, "id")];
        assert_cells(
            row,
            label,
            &["external_source", "external_id", "brand", "servings", "upc", "entry_date"],
        );
        // Escaped, so that a spreadsheet does not treat it as a formula.
        let name = text(label, "name").replace("\u{a0}\u{ff1d}1+1", "'\u{a0}\u{ff1d}1+1");
        assert_eq!(row["name"], name);
        let own = ingredients.iter().filter(|row| row["supplement_id"] == text(label, "id"));
        let reported = label["supplement_ingredient"].as_array().expect("list");
        assert_eq!(own.clone().count(), reported.len(), "{label}");
        for (row, ingredient) in own.zip(reported) {
            assert_cells(row, ingredient, &["order", "ingredient_name", "active", "amount_stated"]);
            if ingredient["amount_stated"] == true {
                assert_eq!(Some(number(&row["quantity"])), ingredient["quantity"].as_f64());
                assert_cells(row, ingredient, &["unit"]);
            } else {
                assert_eq!((row["quantity"].as_str(), row["unit"].as_str()), ("", ""), "{ingredient}");
            }
        }
    }
    assert!(ingredients.iter().any(|row| row["ingredient_name"] == "Magnesium Citrate"), "{ingredients:?}");
    let rows = archive.by("supplement_logs.csv", "id");
    assert_eq!(rows.len(), logs.len());
    for log in logs {
        let row = &rows[&text(log, "id")];
        assert_cells(row, log, &["external_id", "supplement_id", "created_at"]);
        assert_eq!(Some(number(&row["servings"])), log["servings"].as_f64());
    }
}

on_sqlite! {
    async fn the_archive_has_the_imported_values_and_a_readme(world: World) {
        let registration = register(&world);
        import_sample_data(&world, &registration.user_id);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let archive = Archive::download(&reader, "format=zip").await;
        let mut expected = [&["README.txt"], &TABLES[..]].concat();
        expected.sort_unstable();
        assert_eq!(archive.names(), expected);

        let lines = lines(&world, &registration.user_id);
        compare_sessions(&archive, &lines["sleep_session"]);
        compare_supplements(&archive, &lines["supplement"], &lines["supplement_log"]);
        let profile = archive.rows("profile.csv");
        let [profile] = profile.as_slice() else { panic!("{profile:?}") };
        for (column, value) in [
            ("user_id", registration.user_id.as_str()), ("email", "sleeper@example.org"), ("birth_date", "1979-02-28"),
            ("biological_sex", "other"), ("blood_type", "AB-"), ("height_cm", "171.5"), ("weight_kg", "64"),
            ("skin_type", "6"), ("wheelchair_use", "false"),
        ] {
            assert_eq!(profile[column], value, "{column}");
        }
        assert_cells(profile, &lines["profile"][0], &["created_at", "home_timezone"]);

        let readme = &archive.0["README.txt"];
        for table in TABLES {
            assert!(readme.contains(table), "{table}");
            for column in archive.0[table].trim_start_matches('\u{feff}').lines().next().expect("columns").split(',') {
                assert!(readme.contains(column), "{column} of {table}");
            }
        }
    }

    async fn the_intakes_of_an_archive_can_be_imported_again(world: World) {
        let registration = register(&world);
        import_sample_data(&world, &registration.user_id);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let archive = Archive::download(&reader, "format=zip").await;
        let table = world.file("supplement_logs.csv", &archive.0["supplement_logs.csv"]);
        let other = world.json(&["user", "create", "--email", "other@example.org", "--timezone", "UTC", "--json"]);
        let other = text(&other, "user_id");
        world.ok(&["import", "--user", &other, &table]);
        let values = |user: &str| {
            let logs = lines(&world, user)["supplement_log"].clone();
            let mut values: Vec<_> =
                logs.iter().map(|log| ["supplement_id", "created_at", "servings"].map(|name| cell(log, name))).collect();
            values.sort();
            // The table omits the source's key: two intakes of one label at one time become one.
            values.dedup();
            values
        };
        assert_eq!(values(&other), values(&registration.user_id));
    }

    async fn an_archive_of_some_types_has_only_their_tables(world: World) {
        let registration = register(&world);
        import_sample_data(&world, &registration.user_id);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        for (types, tables) in [
            ("profile", &TABLES[..1]), ("sleep", &TABLES[1..4]), ("supplements", &TABLES[4..]),
        ] {
            let archive = Archive::download(&reader, &format!("format=zip&types={types}")).await;
            let mut expected = [&["README.txt"], tables].concat();
            expected.sort_unstable();
            assert_eq!(archive.names(), expected);
            assert!(tables.iter().all(|table| !archive.rows(table).is_empty()), "{types}");
        }
    }

    async fn the_archive_of_a_person_without_data_is_complete(world: World) {
        let registration = register(&world);
        let server = world.serve();
        let reader = Reader::authorized(&world, &server, &registration).await;
        let archive = Archive::download(&reader, "format=zip").await;
        assert_eq!(archive.names().len(), 8);
        assert_eq!(archive.rows("profile.csv").len(), 1);
        assert!(TABLES[1..].iter().all(|table| archive.rows(table).is_empty()));
    }
}
