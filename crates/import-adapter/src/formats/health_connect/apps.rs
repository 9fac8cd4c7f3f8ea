//! Apps that wrote records.

use super::SOURCE;
use crate::database::{Database, Schema};
use crate::segments::too_many;
use crate::session;
use application::ports::import_source::ImportRefusal;
use domain::sleep::SleepSource;
use std::collections::HashMap;

const TABLE: &str = "application_info_table";
/// Maximum number of apps.
const APP_LIMIT: usize = 10_000;

/// The source of each app by its row id.
#[derive(Debug, Default)]
pub(super) struct Apps(HashMap<i64, SleepSource>);

impl Apps {
    /// Reads the table of apps.
    pub(super) fn load(database: &Database, schema: &Schema) -> Result<Self, ImportRefusal> {
        schema.require(TABLE, &["row_id", "package_name"])?;
        let mut apps = Self::default();
        database.each_row(&format!("SELECT row_id, package_name FROM {TABLE}"), &mut |row| {
            if apps.0.len() >= APP_LIMIT {
                return Err(too_many("apps", APP_LIMIT));
            }
            // The package is the same in every export and in every language, unlike the name.
            let source = row.text(1).and_then(|package| SleepSource::parse(package.trim()).ok());
            if let (Some(id), Some(source)) = (row.integer(0), source) {
                apps.0.insert(id, source);
            }
            Ok(())
        })?;
        Ok(apps)
    }

    /// Returns the source of the app with this row id, which may be missing.
    pub(super) fn source(&self, id: Option<i64>) -> Result<Option<SleepSource>, String> {
        match id.and_then(|id| self.0.get(&id)) {
            Some(source) => Ok(Some(source.clone())),
            None => session::source(SOURCE),
        }
    }
}
