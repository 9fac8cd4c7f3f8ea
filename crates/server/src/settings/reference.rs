//! The reference of all settings, made from the table.

use super::section::Row;
use super::table;
use std::fmt::Write;

const HEAD: &str = "\
# Configuration

<!-- Made by `restwell reference configuration`; write it again with scripts/generate. -->

Every setting has a default. A TOML file, named with `--config FILE` or the environment variable
`RESTWELL_CONFIG`, goes over the defaults, and the environment goes over the file. A key that is not listed here is
refused by its full name. `restwell check-config` says what counts and what is wrong with it.

In a file, `server.listen` is the key `listen` in the table `[server]`; in the environment it is
`RESTWELL__SERVER__LISTEN`. An empty variable counts as not set. An example file is `deploy/restwell.example.toml`.
";

/// Writes the reference as Markdown.
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
    let _ = writeln!(text, "* Unit: {}", row.unit);
    let default = match row.default {
        None => "not set".to_owned(),
        Some("") => "an empty list".to_owned(),
        Some(default) => format!("`{default}`"),
    };
    let _ = writeln!(text, "* Default: {default}");
    let _ = writeln!(text, "* Example: `{}`", row.example);
    let _ = writeln!(text, "* Environment: `{}`", row.variable());
    if row.is_secret {
        text.push_str("* Secret: never printed\n");
    }
}
