//! CSV columns, and the rows of a record.

use application::ports::export_writer::{ExportItem, ExportSection};
use csv::{Error, Writer};
use domain::sleep::{SleepRecordHead, SleepSession, SleepSource};
use domain::supplement::{Amount, CatalogueKey, IntakeLog, Supplement};
use domain::time::{UtcOffset, format};
use domain::user::{ProfileField, User};

/// CSV rows being written.
type Rows = Writer<Vec<u8>>;

const fn columns(section: ExportSection) -> &'static [&'static str] {
    match section {
        // And the profile's fields.
        ExportSection::Profile => &["user_id", "email"],
        ExportSection::Sessions => {
            &["id", "external_id", "source", "time_in_bed_start", "time_in_bed_end", "is_nap", "updated_at"]
        }
        ExportSection::Stages => &["session_id", "stage", "start", "end"],
        ExportSection::Metrics => &["session_id", "sleep_metric", "value"],
        ExportSection::Supplements => {
            &["id", "external_source", "external_id", "brand", "name", "servings", "upc", "entry_date"]
        }
        ExportSection::Ingredients => {
            &["supplement_id", "order", "ingredient_name", "quantity", "unit", "active", "amount_stated"]
        }
        ExportSection::Logs => &["id", "external_id", "supplement_id", "created_at", "servings"],
    }
}

/// Returns the header row of a section.
pub(crate) fn head(section: ExportSection) -> Result<Vec<u8>, Error> {
    let fields = ProfileField::ALL.map(ProfileField::as_str);
    let fields = if section == ExportSection::Profile { &fields[..] } else { &[] };
    write_rows(|rows| rows.write_record(columns(section).iter().chain(fields)))
}

/// Returns the rows of a record in a section.
pub(crate) fn rows(section: ExportSection, item: &ExportItem) -> Result<Vec<u8>, Error> {
    write_rows(|rows| match (section, item) {
        (_, ExportItem::Profile(user)) => profile(rows, user),
        (ExportSection::Stages, ExportItem::Session(found)) => stages(rows, found),
        (ExportSection::Metrics, ExportItem::Session(found)) => metrics(rows, found),
        (_, ExportItem::Session(found)) => session(rows, found),
        (ExportSection::Ingredients, ExportItem::Supplement(found)) => ingredients(rows, &found.1),
        (_, ExportItem::Supplement(found)) => supplement(rows, &found.0, &found.1),
        (_, ExportItem::Log(found)) => log(rows, found),
    })
}

fn write_rows(write: impl FnOnce(&mut Rows) -> Result<(), Error>) -> Result<Vec<u8>, Error> {
    let mut rows = Writer::from_writer(Vec::new());
    write(&mut rows)?;
    // Writing to memory does not fail.
    rows.into_inner().map_err(|error| error.into_error().into())
}

fn profile(rows: &mut Rows, user: &User) -> Result<(), Error> {
    let fields = ProfileField::ALL.map(|field| match field {
        ProfileField::CreatedAt => format::utc(user.created_at),
        field => field.read(user).text().unwrap_or_default(),
    });
    rows.write_record([user.id.to_string(), text(user.email.as_str())].into_iter().chain(fields))
}

fn session(rows: &mut Rows, session: &SleepSession) -> Result<(), Error> {
    let SleepSession { id, record, updated_at } = session;
    let SleepRecordHead { key, source, time_in_bed, is_nap } = record.head();
    rows.write_record([
        id.to_string(),
        text(key.as_str()),
        text(source.as_ref().map(SleepSource::as_str).unwrap_or_default()),
        format::millis(time_in_bed.start_millis(), time_in_bed.offset_at_start()),
        format::millis(time_in_bed.end_millis(), time_in_bed.offset_at_end()),
        is_nap.map(|nap| nap.to_string()).unwrap_or_default(),
        format::utc(*updated_at),
    ])
}

fn stages(rows: &mut Rows, session: &SleepSession) -> Result<(), Error> {
    let id = session.id.to_string();
    let offset = session.record.time_in_bed().offset_at_start();
    for entry in session.record.hypnogram().entries() {
        let (start, end) =
            (format::millis(entry.start_millis(), offset), format::millis(entry.end_millis(), offset));
        rows.write_record([&id, entry.stage().as_str(), &start, &end])?;
    }
    Ok(())
}

fn metrics(rows: &mut Rows, session: &SleepSession) -> Result<(), Error> {
    let id = session.id.to_string();
    for (kind, value) in session.record.metrics().iter() {
        rows.write_record([&id, kind.as_str(), &value.as_f64().to_string()])?;
    }
    Ok(())
}

fn supplement(rows: &mut Rows, key: &CatalogueKey, supplement: &Supplement) -> Result<(), Error> {
    let Supplement { id, label, entry_date } = supplement;
    rows.write_record([
        id.to_string(),
        text(key.source()),
        text(key.key()),
        text(label.brand()),
        text(label.name()),
        text(label.servings()),
        text(label.upc()),
        format::millis(entry_date.timestamp_millis(), Some(UtcOffset::UTC)),
    ])
}

fn ingredients(rows: &mut Rows, supplement: &Supplement) -> Result<(), Error> {
    let id = supplement.id.to_string();
    for (order, ingredient) in supplement.label.ordered_ingredients() {
        let amount = ingredient.amount();
        rows.write_record([
            id.clone(),
            order.to_string(),
            text(ingredient.name()),
            amount.map(|amount| amount.quantity().to_string()).unwrap_or_default(),
            text(amount.map(Amount::unit).unwrap_or_default()),
            ingredient.is_active().to_string(),
            amount.is_some().to_string(),
        ])?;
    }
    Ok(())
}

fn log(rows: &mut Rows, log: &IntakeLog) -> Result<(), Error> {
    let IntakeLog { id, record } = log;
    rows.write_record([
        id.to_string(),
        text(record.external_key().unwrap_or_default()),
        record.supplement_id().to_string(),
        format::micros_numeric(record.created_at().timestamp_micros()),
        record.servings().get().to_string(),
    ])
}

/// First characters of a formula: the ASCII ones and the forms that spreadsheets treat as equal.
const FORMULA_STARTS: [char; 12] = [
    '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\u{fe66}', '\u{fe62}', '\u{fe63}',
    '\u{fe6b}',
];

/// Guards a text against evaluation as a formula by a leading apostrophe.
pub(crate) fn text(text: &str) -> String {
    let is_risky = text.starts_with(['\t', '\r', '\n'])
        || text.trim_start_matches(is_skipped).starts_with(FORMULA_STARTS);
    if is_risky { format!("'{text}") } else { text.to_owned() }
}

/// Returns whether a spreadsheet may skip a character before it looks for a formula: white space, control
/// characters, and invisible marks (zero-width spaces and joiners, direction marks, the byte order mark).
fn is_skipped(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}
