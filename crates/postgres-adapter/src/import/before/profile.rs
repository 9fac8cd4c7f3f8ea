//! A person with their profile.

use super::{TABLE, instant};
use crate::error::corrupt;
use crate::user::AccountRow;
use application::ports::storage::StorageError;
use chrono::NaiveDate;
use domain::user::User;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Times in microseconds since 1970, the date of birth as `2001-02-03`.
#[derive(Serialize, Deserialize)]
pub(super) struct ProfileJson {
    #[serde(with = "super::id")]
    id: Uuid,
    email: String,
    home_timezone: String,
    locked_at: Option<i64>,
    created_at: i64,
    birth_date: Option<String>,
    biological_sex: Option<String>,
    blood_type: Option<String>,
    height_cm: Option<f64>,
    weight_kg: Option<f64>,
    skin_type: Option<i16>,
    wheelchair_use: Option<bool>,
}

impl From<&User> for ProfileJson {
    fn from(user: &User) -> Self {
        let AccountRow {
            id,
            email,
            email_normalised: _,
            home_timezone,
            locked_at,
            created_at,
            birth_date,
            biological_sex,
            blood_type,
            height_cm,
            weight_kg,
            skin_type,
            wheelchair_use,
        } = AccountRow::from(user);
        Self {
            id,
            email,
            home_timezone,
            locked_at: locked_at.map(|at| at.timestamp_micros()),
            created_at: created_at.timestamp_micros(),
            birth_date: birth_date.map(|date| date.to_string()),
            biological_sex,
            blood_type,
            height_cm,
            weight_kg,
            skin_type,
            wheelchair_use,
        }
    }
}

impl ProfileJson {
    pub(super) fn into_user(self, row: Uuid) -> Result<User, StorageError> {
        let Self {
            id,
            email,
            home_timezone,
            locked_at,
            created_at,
            birth_date,
            biological_sex,
            blood_type,
            height_cm,
            weight_kg,
            skin_type,
            wheelchair_use,
        } = self;
        let date = birth_date.map(|text| text.parse::<NaiveDate>()).transpose();
        let columns = AccountRow {
            id,
            // Nothing is looked up by it here.
            email_normalised: String::new(),
            email,
            home_timezone,
            locked_at: locked_at.map(|micros| instant(micros, row)).transpose()?,
            created_at: instant(created_at, row)?,
            birth_date: date.map_err(corrupt(TABLE, "before", row))?,
            biological_sex,
            blood_type,
            height_cm,
            weight_kg,
            skin_type,
            wheelchair_use,
        };
        columns.into_user()
    }
}
