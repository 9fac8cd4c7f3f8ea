//! Reference of all settings.

use super::section::Row;
use super::table;
use std::fmt::Write;

const HEAD: &str = "\
# Configuration

<!-- Made by `restwell reference configuration`; write it again with scripts/generate. -->

Defaults are overridden by a TOML file (`--config FILE` or the variable `RESTWELL_CONFIG`), and that by the
environment. Unknown keys are rejected. `restwell check-config` prints the effective settings and what is wrong with them.

In a file, `server.listen` is the key `listen` of the table `[server]`. An empty variable is not set. See the example
`deploy/restwell.example.toml`. Secrets are never printed; each has a setting that names a file instead.
";

/// Returns the reference as Markdown.
pub(crate) fn markdown() -> String {
    let mut text = HEAD.to_owned();
    for section in table::sections() {
        let _ = write!(text, "\n## `[{}]`\n\n{}\n", section.name, section.about.trim());
        for row in section.rows {
            push_row(&mut text, row);
        }
    }
    text
}

fn push_row(text: &mut String, row: &Row) {
    let _ = write!(text, "\n### `{}`\n\n{}\n\n", row.key, row.about.trim());
    let default = match row.default {
        None => "not set".to_owned(),
        Some("") => "an empty list".to_owned(),
        Some(default) => format!("`{default}`"),
    };
    let secret = if row.is_secret { " Secret." } else { "" };
    // A number or switch as an example adds nothing to the default.
    let is_plain = row.example.parse::<f64>().is_ok() || row.example.parse::<bool>().is_ok();
    let example = if is_plain { String::new() } else { format!(", such as `{}`", row.example) };
    let (variable, unit) = (row.variable(), row.unit);
    let range = row.range.first().map(|range| format!(", {} to {}", range.start(), range.end()));
    let range = range.unwrap_or_default();
    let _ = writeln!(text, "`{variable}` = {unit}{range}{example}. Default: {default}.{secret}");
}
