//! The line `profile`: the API's profile data.

use super::line::check_person;
use super::unfit::{Unfit, at, named};
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
    #[serde(rename = "type", default)]
    _type: Loose,
    user_id: Option<String>,
    created_at: Option<String>,
    home_timezone: Option<String>,
    /// Scopes are not imported.
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

pub(super) fn read(line: &Line, user_id: Option<UserId>, place: &str) -> Result<Box<ImportedProfile>, Unfit> {
    check_person(line.user_id.as_deref(), user_id)?;
    let created_at = line.created_at.as_deref().map(|text| Timestamp::parse("created_at", text)).transpose();
    let created_at = created_at.map_err(at("created_at"))?;
    // Without a user_id the line's creation date is not this person's.
    let created_at = created_at.filter(|_| line.user_id.is_some() && user_id.is_some());
    Ok(Box::new(ImportedProfile {
        place: place.to_owned(),
        is_restore: true,
        created_at: created_at.map(|timestamp| timestamp.instant),
        home_timezone: zone(line.home_timezone.as_deref())?,
        biology: Body::of(line).read()?,
    }))
}

/// Body measurements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) birth_date: Option<&'a str>,
    pub(super) biological_sex: Option<&'a str>,
    pub(super) blood_type: Option<&'a str>,
    pub(super) height_cm: Option<f64>,
    pub(super) weight_kg: Option<f64>,
    pub(super) skin_type: Option<u8>,
    pub(super) wheelchair_use: Option<bool>,
}

impl<'a> Body<'a> {
    fn of(line: &'a Line) -> Self {
        Self {
            birth_date: line.birth_date.as_deref(),
            biological_sex: line.biological_sex.as_deref(),
            blood_type: line.blood_type.as_deref(),
            height_cm: line.height_cm,
            weight_kg: line.weight_kg,
            skin_type: line.skin_type,
            wheelchair_use: line.wheelchair_use,
        }
    }

    pub(super) fn read(&self) -> Result<Biology, Unfit> {
        self.values().map_err(|error| {
            let member = match error {
                InvalidBiology::BirthDate => "birth_date",
                InvalidBiology::BiologicalSex => "biological_sex",
                InvalidBiology::BloodType => "blood_type",
                InvalidBiology::Height => "height_cm",
                InvalidBiology::Weight => "weight_kg",
                InvalidBiology::SkinType => "skin_type",
            };
            at(member)(error)
        })
    }

    fn values(&self) -> Result<Biology, InvalidBiology> {
        Ok(Biology {
            birth_date: self.birth_date.map(BirthDate::parse).transpose()?,
            biological_sex: self.biological_sex.map(BiologicalSex::parse).transpose()?,
            blood_type: self.blood_type.map(BloodType::parse).transpose()?,
            height: self.height_cm.map(BodyHeight::from_centimetres).transpose()?,
            weight: self.weight_kg.map(BodyWeight::from_kilograms).transpose()?,
            skin_type: self.skin_type.map(SkinType::new).transpose()?,
            wheelchair_use: self.wheelchair_use,
        })
    }
}

pub(super) fn zone(text: Option<&str>) -> Result<Option<TimeZone>, Unfit> {
    text.map(TimeZone::parse).transpose().map_err(named("home_timezone"))
}
