//! Sources of settings: defaults, a file and the environment, each overriding the previous one.

use super::problem::{Problem, SettingsError};
use super::section::Row;
use config::{Config, ConfigError, Environment, File, FileFormat, Source, Value, ValueKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;

/// Prefix of environment variables that are settings.
pub(crate) const PREFIX: &str = "RESTWELL__";

/// Environment variables, by name.
pub type EnvironmentVariables = BTreeMap<OsString, OsString>;

/// Environment variables that are settings, by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// Selects the settings of an environment. A value that is not UTF-8 is rejected with the variable's name.
pub(crate) fn variables(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Variables, SettingsError> {
    let mut found = Variables::new();
    for (name, value) in environment {
        let Some(name) = name.into_string().ok().filter(|name| name.to_uppercase().starts_with(PREFIX))
        else {
            continue;
        };
        let Ok(value) = value.into_string() else {
            return Err(SettingsError::Wrong(vec![Problem::new(name, "is not valid UTF-8")]));
        };
        found.insert(name, value);
    }
    Ok(found)
}

/// Merges the sources, and rejects unknown keys.
pub(super) fn merged(file: Option<&Path>, variables: &Variables) -> Result<Config, SettingsError> {
    let mut builder = Config::builder();
    for row in super::rows() {
        builder =
            builder.set_default(row.key, row.default).map_err(|error| wrong(&error, file, variables))?;
    }
    let mut unknown = Vec::new();
    if let Some(path) = file {
        let source = read(path)?;
        let place = format!("in {}", path.display());
        unknown.extend(unknown_keys(&source, &place, path)?);
        builder = builder.add_source(source);
    }
    let environment = environment(variables);
    let keys = leaves(environment.collect().map_err(|error| wrong(&error, file, variables))?);
    unknown.extend(unknown_variables(&keys));
    if !unknown.is_empty() {
        return Err(SettingsError::Wrong(unknown));
    }
    builder.add_source(environment).build().map_err(|error| wrong(&error, file, variables))
}

/// Reports a setting of the wrong type, with the expected kind and its source. The library's own message is
/// dropped: it repeats the value, which may be a misplaced secret.
pub(super) fn wrong(error: &ConfigError, file: Option<&Path>, variables: &Variables) -> SettingsError {
    let key = match error {
        ConfigError::Type { key, .. } | ConfigError::At { key, .. } => key.as_deref(),
        _ => None,
    };
    let row = key.and_then(|key| super::rows().find(|row| is_within(key, row.key)));
    let problem = match (row, key) {
        (Some(row), _) => {
            let place = place_of(row, file, variables);
            Problem::new(row.key, format!("must be {}, such as {}{place}", row.kind, row.example))
        }
        (None, Some(key)) => Problem::new(key, "is neither a valid setting nor a valid section"),
        (None, None) => Problem::new("settings", "cannot be read: one of them has the wrong type"),
    };
    SettingsError::Wrong(vec![problem])
}

/// Returns whether a path is a setting or an element of one, such as `cors.allowed_origins[0]`.
fn is_within(place: &str, key: &str) -> bool {
    place.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
}

/// Returns the source of a setting: the variable overrides the file, and an empty variable counts as not set.
fn place_of(row: &Row, file: Option<&Path>, variables: &Variables) -> String {
    let name = row.variable();
    let is_set = variables.iter().any(|(set, value)| set.eq_ignore_ascii_case(&name) && !value.is_empty());
    match file {
        _ if is_set => format!(" (environment variable {name})"),
        Some(path) => format!(" (in {})", path.display()),
        None => String::new(),
    }
}

fn read(path: &Path) -> Result<File<config::FileSourceString, FileFormat>, SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|error| SettingsError::Unreadable {
        path: path.display().to_string(),
        reason: error.to_string(),
    })?;
    Ok(File::from_str(&text, FileFormat::Toml))
}

fn environment(variables: &Variables) -> Environment {
    let variables = variables.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    Environment::with_prefix("RESTWELL")
        .prefix_separator("__")
        .separator("__")
        .ignore_empty(true)
        .source(Some(variables))
}

fn unknown_keys(source: &dyn Source, place: &str, path: &Path) -> Result<Vec<Problem>, SettingsError> {
    // Only the first line of the library's message: the next ones quote the file, which may contain a secret.
    let values = source.collect().map_err(|error| SettingsError::NotToml {
        path: path.display().to_string(),
        place: error.to_string().lines().next().unwrap_or_default().to_owned(),
    })?;
    let keys = leaves(values);
    Ok(unlisted_keys(&keys)
        .map(|key| Problem::new(key, format!("is not a setting ({place}){}", hint(key))))
        .collect())
}

fn unknown_variables(keys: &BTreeSet<String>) -> Vec<Problem> {
    let name = |key: &String| format!("{PREFIX}{}", key.to_uppercase().replace('.', "__"));
    let problem = |key| {
        Problem::new(key, format!("is not a setting (environment variable {}){}", name(key), hint(key)))
    };
    unlisted_keys(keys).map(problem).collect()
}

fn unlisted_keys(keys: &BTreeSet<String>) -> impl Iterator<Item = &String> {
    keys.iter().filter(|key| !super::rows().any(|row| row.key == key.as_str()))
}

/// Suggests valid keys: those of the same section, or the sections.
fn hint(key: &str) -> String {
    let section = key.split('.').next().unwrap_or_default();
    let is_sibling = |row: &&Row| row.key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'));
    let mut siblings: Vec<&str> = super::rows().filter(is_sibling).map(|row| row.key).collect();
    if siblings.is_empty() {
        siblings = super::sections().map(|section| section.name).collect();
        return format!("; the sections are {}", siblings.join(", "));
    }
    format!("; {section} has {}", siblings.join(", "))
}

/// Lists the full names of the values in a source.
fn leaves(values: config::Map<String, Value>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<(String, Value)> = values.into_iter().collect();
    while let Some((key, value)) = open.pop() {
        match value.kind {
            ValueKind::Table(table) if !table.is_empty() => {
                open.extend(table.into_iter().map(|(name, value)| (format!("{key}.{name}"), value)));
            }
            // An empty section sets nothing.
            ValueKind::Table(_) if super::sections().any(|section| section.name == key) => {}
            _ => {
                found.insert(key);
            }
        }
    }
    found
}
