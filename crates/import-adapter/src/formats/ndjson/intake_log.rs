//! The line `supplement_log`: the API's log entry.

use super::invalid_item::{InvalidItem, at, named};
use super::line::{check_person, given};
use crate::json::LooseScalar;
use crate::timestamp::Timestamp;
use crate::upc::placeholder_id;
use application::ports::import_source::ImportedLog;
use domain::id::{IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLogRecord, InvalidIntakeLog, Servings, Upc};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Line {
    #[serde(rename = "type", default)]
    _type: LooseScalar,
    id: Option<String>,
    created_at: String,
    user_id: Option<String>,
    supplement_id: Option<String>,
    upc: Option<String>,
    servings: f64,
    external_id: Option<String>,
}

pub(super) fn read(
    line: Line,
    user_id: Option<UserId>,
    place: &str,
) -> Result<Box<ImportedLog>, InvalidItem> {
    check_person(line.user_id.as_deref(), user_id)?;
    let id = given(line.id.as_deref()).map(IntakeLogId::parse).transpose().map_err(named("id"))?;
    let (supplement, upc) = supplement(given(line.supplement_id.as_deref()), given(line.upc.as_deref()))?;
    let created_at = Timestamp::parse("created_at", &line.created_at).map_err(at("created_at"))?.instant;
    let servings = Servings::new(line.servings).map_err(at("servings"))?;
    let external_id = line.external_id.filter(|text| given(Some(text)).is_some());
    let record = IntakeLogRecord::new(supplement, created_at, servings, external_id);
    let record = record.map_err(|error| match error {
        InvalidIntakeLog::CreatedAt => at("created_at")(error),
        InvalidIntakeLog::ExternalKey(_) => at("external_id")(error),
    })?;
    Ok(Box::new(ImportedLog { place: place.to_owned(), file: 0, id, upc, record }))
}

/// Returns the supplement by id, else by product code.
fn supplement(id: Option<&str>, upc: Option<&str>) -> Result<(SupplementId, Option<Upc>), InvalidItem> {
    match (id, upc) {
        (Some(id), None) => Ok((SupplementId::parse(id).map_err(named("supplement_id"))?, None)),
        (None, Some(upc)) => {
            let upc = Upc::parse(upc).map_err(named("upc"))?;
            Ok((placeholder_id(&upc), Some(upc)))
        }
        (Some(_), Some(_)) => Err(at("upc")("a log has supplement_id or upc, not both")),
        (None, None) => Err(InvalidItem::missing("supplement_id")),
    }
}
