//! The line `profile`: the API's profile data.

use super::invalid_item::{InvalidItem, at, named};
use super::line::{check_person, given};
use crate::json::LooseScalar;
use crate::timestamp::Timestamp;
use application::ports::import_source::ImportedProfile;
use domain::id::UserId;
use domain::time::TimeZone;

/// Defines a line with body data after its own members.
macro_rules! with_biology {
    ($line:ident { $($members:tt)* }) => {
        #[derive(Debug, serde::Deserialize)]
        pub(super) struct $line {
            $($members)*
            birth_date: Option<String>,
            biological_sex: Option<String>,
            blood_type: Option<String>,
            height_cm: Option<f64>,
            weight_kg: Option<f64>,
            skin_type: Option<u8>,
            wheelchair_use: Option<bool>,
        }

        impl $line {
            fn biology(&self) -> Result<domain::user::Biology, $crate::formats::ndjson::invalid_item::InvalidItem> {
                use $crate::formats::ndjson::invalid_item::at;
                use domain::user::{BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, SkinType};
                let text = Option::<String>::as_deref;
                Ok(Biology {
                    birth_date: text(&self.birth_date).map(BirthDate::parse).transpose().map_err(at("birth_date"))?,
                    biological_sex: text(&self.biological_sex)
                        .map(BiologicalSex::parse)
                        .transpose()
                        .map_err(at("biological_sex"))?,
                    blood_type: text(&self.blood_type).map(BloodType::parse).transpose().map_err(at("blood_type"))?,
                    height: self.height_cm.map(BodyHeight::from_centimetres).transpose().map_err(at("height_cm"))?,
                    weight: self.weight_kg.map(BodyWeight::from_kilograms).transpose().map_err(at("weight_kg"))?,
                    skin_type: self.skin_type.map(SkinType::new).transpose().map_err(at("skin_type"))?,
                    wheelchair_use: self.wheelchair_use,
                })
            }
        }
    };
}
pub(super) use with_biology;

with_biology!(Line {
    #[serde(rename = "type", default)]
    _type: LooseScalar,
    user_id: Option<String>,
    created_at: Option<String>,
    home_timezone: Option<String>,
    /// Scopes are not imported.
    #[serde(rename = "scopes", default)]
    _scopes: LooseScalar,
});

pub(super) fn read(
    line: &Line,
    user_id: Option<UserId>,
    place: &str,
) -> Result<Box<ImportedProfile>, InvalidItem> {
    check_person(line.user_id.as_deref(), user_id)?;
    let created_at = line.created_at.as_deref().map(|text| Timestamp::parse("created_at", text)).transpose();
    let created_at = created_at.map_err(at("created_at"))?;
    // Without a user_id the line's creation date is not this person's.
    let created_at = created_at.filter(|_| given(line.user_id.as_deref()).is_some() && user_id.is_some());
    Ok(Box::new(ImportedProfile {
        place: place.to_owned(),
        is_restore: true,
        created_at: created_at.map(|timestamp| timestamp.instant),
        home_timezone: zone(line.home_timezone.as_deref())?,
        biology: line.biology()?,
    }))
}

pub(super) fn zone(text: Option<&str>) -> Result<Option<TimeZone>, InvalidItem> {
    text.map(TimeZone::parse).transpose().map_err(named("home_timezone"))
}
