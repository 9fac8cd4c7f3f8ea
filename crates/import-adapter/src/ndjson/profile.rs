//! The line `profile`: the API's profile data.

use super::line::check_person;
use crate::json::Loose;
use crate::timestamp::Timestamp;
use application::ports::import_source::ImportedProfile;
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, InvalidBiology, SkinType,
};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Line {
    #[serde(rename = "type")]
    _type: Loose,
    user_id: Option<String>,
    created_at: Option<String>,
    home_timezone: Option<String>,
    /// What an app may read is not a thing to import.
    #[serde(rename = "scopes", default)]
    _scopes: Loose,
    birth_date: Option<String>,
    biological_sex: Option<String>,
    blood_type: Option<String>,
    height_cm: Option<f64>,
    weight_kg: Option<f64>,
    skin_type: Option<u8>,
    wheelchair_use: Option<bool>,
}

pub(super) fn read(
    line: &Line,
    user_id: Option<UserId>,
    place: &str,
) -> Result<Box<ImportedProfile>, String> {
    check_person(line.user_id.as_deref(), user_id)?;
    let created_at =
        line.created_at.as_deref().map(|text| Timestamp::parse("created_at", text)).transpose()?;
    let zone = line.home_timezone.as_deref().map(TimeZone::parse).transpose();
    Ok(Box::new(ImportedProfile {
        place: place.to_owned(),
        created_at: created_at.map(|timestamp| timestamp.instant),
        home_timezone: zone.map_err(|error| format!("home_timezone: {error}"))?,
        biology: biology(line).map_err(|error| error.to_string())?,
    }))
}

fn biology(line: &Line) -> Result<Biology, InvalidBiology> {
    Ok(Biology {
        birth_date: line.birth_date.as_deref().map(BirthDate::parse).transpose()?,
        biological_sex: line.biological_sex.as_deref().map(BiologicalSex::parse).transpose()?,
        blood_type: line.blood_type.as_deref().map(BloodType::parse).transpose()?,
        height: line.height_cm.map(BodyHeight::from_centimetres).transpose()?,
        weight: line.weight_kg.map(BodyWeight::from_kilograms).transpose()?,
        skin_type: line.skin_type.map(SkinType::new).transpose()?,
        wheelchair_use: line.wheelchair_use,
    })
}
