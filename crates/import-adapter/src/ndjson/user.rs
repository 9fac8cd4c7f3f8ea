//! People as sent by a backend; files have no such line.

use super::profile::{Body, zone};
use super::unfit::{Unfit, named};
use crate::json::Loose;
use application::ports::ingest_source::IngestedUser;
use domain::id::UserId;
use domain::user::Email;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    #[serde(rename = "type", default)]
    _type: Loose,
    id: Option<String>,
    email: String,
    home_timezone: Option<String>,
    birth_date: Option<String>,
    biological_sex: Option<String>,
    blood_type: Option<String>,
    height_cm: Option<f64>,
    weight_kg: Option<f64>,
    skin_type: Option<u8>,
    wheelchair_use: Option<bool>,
}

pub(super) fn read(item: &Item) -> Result<Box<IngestedUser>, Unfit> {
    let body = Body {
        birth_date: item.birth_date.as_deref(),
        biological_sex: item.biological_sex.as_deref(),
        blood_type: item.blood_type.as_deref(),
        height_cm: item.height_cm,
        weight_kg: item.weight_kg,
        skin_type: item.skin_type,
        wheelchair_use: item.wheelchair_use,
    };
    Ok(Box::new(IngestedUser {
        id: item.id.as_deref().map(UserId::parse).transpose().map_err(named("id"))?,
        email: Email::parse(&item.email).map_err(named("email"))?,
        home_timezone: zone(item.home_timezone.as_deref())?,
        biology: body.read()?,
    }))
}
