//! Lines of the diary. Quotes, commas and line ends in the notes are not escaped, so it is no valid CSV.

/// What follows the line of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notes {
    /// Another record: there are no notes.
    None,
    /// Another record, or notes that have a quote at the end of a line.
    MayContinue,
    /// The rest of the notes.
    Continue,
}

/// Form of a time without its offset.
const TIME: &str = "dddd-dd-dd dd:dd";
/// Longest form of a time with its offset and quotes.
const TIME_LENGTH: usize = 24;

/// Returns whether a line begins a record: its first field is a date and a time.
pub(super) fn begins_record(line: &str) -> bool {
    let Some((time, _)) = line.split_once(',') else { return false };
    let time = without_quote(time);
    time.len() >= TIME.len() && may_be_time(time)
}

/// Returns whether a line is the beginning of the first field of a record.
pub(super) fn is_cut_record(line: &str) -> bool {
    !line.trim().is_empty() && may_be_time(without_quote(line))
}

fn without_quote(text: &str) -> &str {
    text.strip_prefix('"').unwrap_or(text)
}

/// Returns whether a text begins like a time, or is the beginning of one.
fn may_be_time(text: &str) -> bool {
    let fits = |(byte, form): (u8, u8)| if form == b'd' { byte.is_ascii_digit() } else { byte == form };
    text.len() <= TIME_LENGTH && text.bytes().zip(TIME.bytes()).all(fits)
}

/// Returns whether a line has this many fields, as a record that begins with no time may.
pub(super) fn has_fields(line: &str, count: usize) -> bool {
    line.splitn(count, ',').count() == count
}

/// Splits a line into at most this many fields; the last has the rest of the line.
pub(super) fn fields(line: &str, count: usize) -> Vec<String> {
    let unquoted = |field: &str| {
        let inner = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
        inner.unwrap_or(field).to_owned()
    };
    line.splitn(count, ',').map(unquoted).collect()
}

/// Returns what follows a record of this many fields, of which the last is the notes.
pub(super) fn notes_after(line: &str, count: usize) -> Notes {
    match line.splitn(count, ',').nth(count.saturating_sub(1)).and_then(|notes| notes.strip_prefix('"')) {
        None | Some("\"") => Notes::None,
        Some(notes) => notes_within(notes),
    }
}

/// Returns what follows a line of notes.
pub(super) fn notes_within(line: &str) -> Notes {
    if line.trim_end().ends_with('"') { Notes::MayContinue } else { Notes::Continue }
}
