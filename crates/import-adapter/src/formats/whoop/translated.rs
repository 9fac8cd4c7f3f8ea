//! Headers in other languages: the order of the columns and their units are the same in each.

/// English names, in order.
const COLUMNS: [&str; 18] = [
    "Cycle start time",
    "Cycle end time",
    "Cycle timezone",
    "Sleep onset",
    "Wake onset",
    "Sleep performance %",
    "Respiratory rate (rpm)",
    "Asleep duration (min)",
    "In bed duration (min)",
    "Light sleep duration (min)",
    "Deep (SWS) duration (min)",
    "REM duration (min)",
    "Awake duration (min)",
    "Sleep need (min)",
    "Sleep debt (min)",
    "Sleep efficiency %",
    "Sleep consistency %",
    "Nap",
];

/// Returns whether a header has as many columns as the English one, and percentages and lengths in the same
/// places: the unit of lengths is the same in all of them, whatever its name.
pub(super) fn is_header(header: &[String]) -> bool {
    let units: Vec<Unit<'_>> = header.iter().map(|column| unit(column)).collect();
    let Some(&Unit::Named(minutes)) = units.get(7) else { return false };
    let expected = |index| match index {
        ..5 | 17 => Unit::None,
        5 | 15 | 16 => Unit::Percent,
        _ => Unit::Named(minutes),
    };
    let rate = 6;
    header.len() == COLUMNS.len()
        && units.iter().enumerate().all(|(index, unit)| index == rate || *unit == expected(index))
}

pub(super) fn columns() -> Vec<String> {
    COLUMNS.map(str::to_owned).to_vec()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit<'a> {
    None,
    Percent,
    Named(&'a str),
}

/// Returns the unit at the end of a column's name; that of a percentage may have no parentheses.
fn unit(column: &str) -> Unit<'_> {
    let is_parenthesis = |character| matches!(character, '(' | ')' | '\u{ff08}' | '\u{ff09}');
    if column.contains(['%', '\u{ff05}', '\u{66a}']) {
        return Unit::Percent;
    }
    let inside = column.trim_end_matches(is_parenthesis);
    match inside.rsplit_once(is_parenthesis) {
        Some((_, unit)) if inside.len() < column.len() => Unit::Named(unit.trim()),
        _ => Unit::None,
    }
}
