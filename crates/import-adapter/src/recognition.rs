//! What a file is, by its content.

use crate::fitbit;
use crate::format::Format;
use crate::input::Cursor;
use crate::json::Layout;
use application::ports::import_source::ImportRefusal;
use std::fmt::Write as _;

/// The most member names that are looked at; a record of a known format has fewer.
const NAMES_LOOKED_AT: usize = 200;
/// The most member names, and characters of each, that a message repeats.
const NAMES_SHOWN: usize = 8;
const CHARS_SHOWN: usize = 40;

/// What is recognised: which reader takes the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recognised {
    FitbitJson(Layout),
    FitbitCsv,
    Dsld(Layout),
    Ndjson,
}

impl Recognised {
    pub(crate) const fn format(self) -> Format {
        match self {
            Self::FitbitJson(_) | Self::FitbitCsv => Format::Fitbit,
            Self::Dsld(_) => Format::Dsld,
            Self::Ndjson => Format::Ndjson,
        }
    }
}

/// What the beginning of a file shows.
#[derive(Debug)]
enum Seen {
    Empty,
    /// A list; absent when it has no elements.
    List(Option<Members>),
    Object(Members),
    Text {
        first_line: String,
    },
    Binary(&'static str),
}

/// The members of an object, as far as they were read.
#[derive(Debug, Default)]
struct Members {
    names: Vec<String>,
    /// The member that may have the records in it.
    wrapper: Option<Wrapper>,
    /// Whether `type` is one of Restwell's own.
    own_line: bool,
    /// Why reading them stopped.
    damage: Option<ImportRefusal>,
}

/// A member with a list of objects, or one object.
#[derive(Debug)]
struct Wrapper {
    name: &'static str,
    /// The first object; absent when the list has no elements.
    first: Option<Box<Members>>,
}

impl Wrapper {
    fn holds(&self, name: &str, test: impl FnOnce(&Members) -> bool) -> bool {
        self.name == name && self.first.as_deref().is_none_or(test)
    }
}

/// Recognises a file, or says what was seen instead of the format that was asked for.
pub(crate) fn recognise(cursor: &mut Cursor, asked: Format) -> Result<Recognised, ImportRefusal> {
    let seen = look(cursor)?;
    let formats: &[Format] = match asked {
        Format::Auto => &[Format::Ndjson, Format::Fitbit, Format::Dsld],
        Format::Fitbit => &[Format::Fitbit],
        Format::Dsld => &[Format::Dsld],
        Format::Ndjson => &[Format::Ndjson],
    };
    let named = asked != Format::Auto;
    let found = formats.iter().find_map(|format| match format {
        Format::Auto => None,
        Format::Fitbit => as_fitbit(&seen, named),
        Format::Dsld => as_dsld(&seen, named),
        Format::Ndjson => as_ndjson(&seen, named),
    });
    found.ok_or_else(|| seen.refusal(asked))
}

fn as_fitbit(seen: &Seen, named: bool) -> Option<Recognised> {
    match seen {
        // An empty list is an empty month of Takeout; there is nothing in it to tell it by.
        Seen::List(None) => Some(Recognised::FitbitJson(Layout::List)),
        Seen::List(Some(first)) => first.is_sleep_log(named).then_some(Recognised::FitbitJson(Layout::List)),
        Seen::Object(Members { wrapper: Some(wrapper), .. }) => wrapper
            .holds("sleep", |first| first.is_sleep_log(named))
            .then_some(Recognised::FitbitJson(Layout::Wrapped("sleep"))),
        Seen::Object(members) => {
            members.is_sleep_log(named).then_some(Recognised::FitbitJson(Layout::Single))
        }
        Seen::Text { first_line } if fitbit::begins_web_export(first_line) => Some(Recognised::FitbitCsv),
        Seen::Text { .. } | Seen::Empty | Seen::Binary(_) => None,
    }
}

fn as_dsld(seen: &Seen, named: bool) -> Option<Recognised> {
    match seen {
        Seen::List(None) if named => Some(Recognised::Dsld(Layout::List)),
        Seen::List(Some(first)) => first.is_label().then_some(Recognised::Dsld(Layout::List)),
        Seen::Object(Members { wrapper: Some(wrapper), .. }) => wrapper
            .holds("hits", |first| first.has("_source"))
            .then_some(Recognised::Dsld(Layout::Wrapped("hits"))),
        Seen::Object(members) => members.is_label().then_some(Recognised::Dsld(Layout::Single)),
        Seen::List(None) | Seen::Text { .. } | Seen::Empty | Seen::Binary(_) => None,
    }
}

fn as_ndjson(seen: &Seen, named: bool) -> Option<Recognised> {
    match seen {
        Seen::Object(members) => (named || members.own_line).then_some(Recognised::Ndjson),
        Seen::Empty => named.then_some(Recognised::Ndjson),
        Seen::List(_) | Seen::Text { .. } | Seen::Binary(_) => None,
    }
}

impl Members {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Fitbit's activity logs have `logId`, `startTime` and `duration` too, hence the list.
    fn is_sleep_log(&self, named: bool) -> bool {
        const SLEEP_ONLY: [&str; 6] =
            ["dateOfSleep", "minutesAsleep", "timeInBed", "minuteData", "isMainSleep", "mainSleep"];
        SLEEP_ONLY.iter().any(|name| self.has(name))
            || self.has("startTime") && (self.has("levels") || named && !self.has("activityName"))
    }

    fn is_label(&self) -> bool {
        self.has("ingredientRows") || self.has("fullName") && self.has("brandName")
    }

    /// Tells that nothing that follows can change what the object is.
    fn is_enough(&self) -> bool {
        self.wrapper.is_some()
            || self.own_line
            || self.is_label()
            || self.is_sleep_log(false)
            || self.names.len() >= NAMES_LOOKED_AT
    }
}

fn look(cursor: &mut Cursor) -> Result<Seen, ImportRefusal> {
    match cursor.peek_token()? {
        None => Ok(Seen::Empty),
        Some(b'{') => Ok(Seen::Object(members(cursor))),
        Some(b'[') => {
            cursor.expect(b'[')?;
            match cursor.peek_token()? {
                Some(b']') => Ok(Seen::List(None)),
                Some(b'{') => Ok(Seen::List(Some(members(cursor)))),
                Some(_) => Ok(Seen::List(Some(Members::default()))),
                None => Err(cursor.ends_too_early()),
            }
        }
        Some(_) => Ok(text(cursor)),
    }
}

fn text(cursor: &mut Cursor) -> Seen {
    let mut line = Vec::new();
    // A first line that is too long is no title line, and what else it is does not matter.
    if cursor.read_line(&mut line).is_err() {
        return Seen::Text { first_line: String::new() };
    }
    if line.starts_with(b"PK\x03\x04") {
        return Seen::Binary("a zip archive: unpack it first");
    }
    if line.starts_with(b"\x1f\x8b") {
        return Seen::Binary("a gzip file: unpack it first");
    }
    match String::from_utf8(line) {
        Ok(first_line) if !first_line.contains('\0') => Seen::Text { first_line },
        _ => Seen::Binary("not a text file in UTF-8"),
    }
}

fn members(cursor: &mut Cursor) -> Members {
    let mut members = Members::default();
    if let Err(damage) = read_members(cursor, &mut members) {
        members.damage = Some(damage);
    }
    members
}

fn wrapper(cursor: &mut Cursor, name: &'static str) -> Result<Wrapper, ImportRefusal> {
    if cursor.peek_token()? == Some(b'[') {
        cursor.expect(b'[')?;
    }
    let first = match cursor.peek_token()? {
        None => return Err(cursor.ends_too_early()),
        Some(b']') => None,
        Some(b'{') => Some(Box::new(members(cursor))),
        Some(_) => Some(Box::default()),
    };
    Ok(Wrapper { name, first })
}

fn read_members(cursor: &mut Cursor, members: &mut Members) -> Result<(), ImportRefusal> {
    let mut raw = Vec::new();
    cursor.expect(b'{')?;
    if cursor.peek_token()? == Some(b'}') {
        return Ok(());
    }
    while !members.is_enough() {
        cursor.peek_token()?;
        cursor.read_value(&mut raw)?;
        let name: String = serde_json::from_slice(&raw).unwrap_or_default();
        cursor.expect(b':')?;
        let value = cursor.peek_token()?;
        match name.as_str() {
            "sleep" if matches!(value, Some(b'[' | b'{')) => {
                members.wrapper = Some(wrapper(cursor, "sleep")?);
            }
            "hits" if value == Some(b'[') => members.wrapper = Some(wrapper(cursor, "hits")?),
            "type" if value == Some(b'"') => {
                cursor.read_value(&mut raw)?;
                members.own_line = crate::ndjson::is_line_type(&raw);
            }
            _ => cursor.skip_value()?,
        }
        members.names.push(name);
        if members.is_enough() || cursor.peek_token()? == Some(b'}') {
            return Ok(());
        }
        cursor.expect(b',')?;
    }
    Ok(())
}

impl Seen {
    fn refusal(self, asked: Format) -> ImportRefusal {
        let seen = match self {
            Self::Empty => "an empty file".to_owned(),
            Self::List(None) => "an empty JSON list".to_owned(),
            Self::List(Some(Members { damage: Some(damage), .. }))
            | Self::Object(Members { damage: Some(damage), .. }) => return damage,
            Self::List(Some(first)) if first.names.is_empty() => {
                "a JSON list whose first element is no object with members".to_owned()
            }
            Self::List(Some(first)) => {
                format!("a JSON list of objects with {}", shown(&first.names))
            }
            Self::Object(members) if members.names.is_empty() => "an empty JSON object".to_owned(),
            Self::Object(members) => format!("a JSON object with {}", shown(&members.names)),
            Self::Text { .. } => {
                "text that begins neither as JSON does nor with the title line of a Fitbit web export"
                    .to_owned()
            }
            Self::Binary(what) => what.to_owned(),
        };
        ImportRefusal::NotThisFormat(match asked {
            Format::Auto => format!("not a format that is known; it is {seen}"),
            other => format!("not a {} file; it is {seen}", other.name()),
        })
    }
}

/// Lists names of members, at most a few and without anything that could disturb a terminal.
fn shown(names: &[String]) -> String {
    let mut text = String::from(if names.len() == 1 { "the member " } else { "the members " });
    for (index, name) in names.iter().take(NAMES_SHOWN).enumerate() {
        let clean: String = name.chars().filter(|letter| !letter.is_control()).take(CHARS_SHOWN).collect();
        let _infallible = write!(text, "{}{clean}", if index == 0 { "" } else { ", " });
    }
    if names.len() > NAMES_SHOWN {
        text.push_str(", ...");
    }
    text
}

#[cfg(test)]
mod tests;
