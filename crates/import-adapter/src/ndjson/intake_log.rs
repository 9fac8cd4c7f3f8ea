//! The line `supplement_log`: the API's log entry.

use super::line::check_person;
use crate::json::Loose;
use crate::timestamp::Timestamp;
use application::ports::import_source::ImportedLog;
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLogRecord, Servings};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Line {
    #[serde(rename = "type")]
    _type: Loose,
    id: Option<String>,
    created_at: String,
    user_id: Option<String>,
    supplement_id: String,
    servings: f64,
    external_id: Option<String>,
}

pub(super) fn read(line: Line, user_id: Option<UserId>, place: &str) -> Result<Box<ImportedLog>, String> {
    check_person(line.user_id.as_deref(), user_id)?;
    let id =
        line.id.as_deref().map(IntakeLogId::parse).transpose().map_err(|error| format!("id: {error}"))?;
    let supplement =
        SupplementId::parse(&line.supplement_id).map_err(|error| format!("supplement_id: {error}"))?;
    let created_at = Timestamp::parse("created_at", &line.created_at)?.instant;
    let servings = Servings::new(line.servings).map_err(|error| error.to_string())?;
    let record = IntakeLogRecord::new(supplement, created_at, servings, line.external_id)
        .map_err(|error| error.to_string())?;
    Ok(Box::new(ImportedLog { place: place.to_owned(), id, upc: None, record }))
}
