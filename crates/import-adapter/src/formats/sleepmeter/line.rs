//! Lines of the diary. Quotes, commas and line ends in the notes are not escaped, so it is no valid CSV.

/// Returns whether a line begins a record: it starts with a date and a time.
pub(super) fn begins_record(line: &str) -> bool {
    let form = "dddd-dd-dd dd:dd";
    let line = line.strip_prefix('"').unwrap_or(line);
    let fits = |(byte, form): (u8, u8)| if form == b'd' { byte.is_ascii_digit() } else { byte == form };
    line.len() >= form.len() && line.bytes().zip(form.bytes()).all(fits)
}

/// Splits a line into at most this many fields; the last has the rest of the line.
pub(super) fn fields(line: &str, count: usize) -> Vec<String> {
    let unquoted = |field: &str| {
        let inner = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
        inner.unwrap_or(field).to_owned()
    };
    line.splitn(count, ',').map(unquoted).collect()
}

/// Returns whether the last of this many fields begins with a quote that the line does not close.
pub(super) fn is_open(line: &str, count: usize) -> bool {
    let last = line.splitn(count, ',').nth(count.saturating_sub(1));
    last.and_then(|last| last.strip_prefix('"')).is_some_and(|rest| !closes(rest))
}

/// Returns whether a line ends the notes.
pub(super) fn closes(line: &str) -> bool {
    line.trim_end().ends_with('"')
}
