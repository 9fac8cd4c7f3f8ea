//! Formatting of numbers and tables.

use std::fmt::Write as _;

/// Renders a Markdown table; the first column is left-aligned, the others right-aligned.
pub(super) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let rule: Vec<_> =
        heads.iter().enumerate().map(|(place, _)| if place == 0 { "---" } else { "---:" }).collect();
    let mut text = format!("| {} |\n|{}|\n", heads.join(" | "), rule.join("|"));
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// Formats a number with three significant digits and thousands separators; a dash for `None`.
pub(super) fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), figure)
}

/// Formats a number with three significant digits and thousands separators.
pub(super) fn figure(value: f64) -> String {
    match value.abs() {
        small if small < 10.0 => format!("{value:.2}"),
        middle if middle < 100.0 => format!("{value:.1}"),
        _ => grouped(&format!("{value:.0}")),
    }
}

/// Adds thousands separators to a whole number.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        let left = digits.len() - place;
        if place > 0 && left.is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_they_mean() {
        let shown = [0.1234, 12.345, 123.4, 1_234.5, -1_234_567.0].map(figure);
        assert_eq!(shown, ["0.12", "12.3", "123", "1,234", "-1,234,567"]);
        assert_eq!(number(None), "–");
    }

    #[test]
    fn a_bar_in_a_cell_does_not_end_it() {
        let text = table(&["a", "b"], &[vec!["x|y".to_owned(), "1".to_owned()]]);
        assert_eq!(text, "| a | b |\n|---|---:|\n| x\\|y | 1 |\n");
    }
}
