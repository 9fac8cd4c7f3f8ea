//! People as sent by a backend; files have no such line.

use super::invalid_item::{InvalidItem, named};
use super::profile::{with_biology, zone};
use crate::json::LooseScalar;
use application::ports::ingest_source::IngestedUser;
use domain::id::UserId;
use domain::user::Email;

with_biology!(Item {
    #[serde(rename = "type", default)]
    _type: LooseScalar,
    id: Option<String>,
    email: String,
    home_timezone: Option<String>,
});

pub(super) fn read(item: &Item) -> Result<Box<IngestedUser>, InvalidItem> {
    Ok(Box::new(IngestedUser {
        id: item.id.as_deref().map(UserId::parse).transpose().map_err(named("id"))?,
        email: Email::parse(&item.email).map_err(named("email"))?,
        home_timezone: zone(item.home_timezone.as_deref())?,
        biology: item.biology()?,
    }))
}
