//! People and profiles.

use crate::error::corrupt;
use crate::schema::account;
use application::ports::storage::StorageError;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Date, Double, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, Email, SkinType, User, UserStatus,
};
use uuid::Uuid;

const TABLE: &str = "account";

/// The columns of an [`AccountRow`], in its order.
pub(crate) type AccountColumns = (
    SqlUuid,
    Text,
    Text,
    Text,
    Nullable<Timestamptz>,
    Timestamptz,
    Nullable<Date>,
    Nullable<Text>,
    Nullable<Text>,
    Nullable<Double>,
    Nullable<Double>,
    Nullable<SmallInt>,
    Nullable<Bool>,
);

/// A row of `account`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = account, check_for_backend(Pg), treat_none_as_null = true)]
pub(crate) struct AccountRow {
    pub(super) id: Uuid,
    pub(super) email: String,
    pub(super) email_normalised: String,
    pub(super) home_timezone: String,
    pub(super) locked_at: Option<DateTime<Utc>>,
    pub(super) created_at: DateTime<Utc>,
    pub(super) birth_date: Option<NaiveDate>,
    pub(super) biological_sex: Option<String>,
    pub(super) blood_type: Option<String>,
    pub(super) height_cm: Option<f64>,
    pub(super) weight_kg: Option<f64>,
    pub(super) skin_type: Option<i16>,
    pub(super) wheelchair_use: Option<bool>,
}

impl From<&User> for AccountRow {
    fn from(user: &User) -> Self {
        let User { id, email, home_timezone, created_at, status, biology } = user;
        let Biology { birth_date, biological_sex, blood_type, height, weight, skin_type, wheelchair_use } =
            biology;
        let locked_at = match status {
            UserStatus::Active => None,
            UserStatus::Locked { at } => Some(*at),
        };
        Self {
            id: id.as_uuid(),
            email: email.as_str().to_owned(),
            email_normalised: email.normalised(),
            home_timezone: home_timezone.name().to_owned(),
            locked_at,
            created_at: *created_at,
            birth_date: birth_date.map(BirthDate::date),
            biological_sex: biological_sex.map(|sex| sex.as_str().to_owned()),
            blood_type: blood_type.map(|kind| kind.as_str().to_owned()),
            height_cm: height.map(BodyHeight::centimetres),
            weight_kg: weight.map(BodyWeight::kilograms),
            skin_type: skin_type.map(|kind| i16::from(kind.get())),
            wheelchair_use: *wheelchair_use,
        }
    }
}

impl AccountRow {
    /// Reads the row as a person.
    pub(crate) fn into_user(self) -> Result<User, StorageError> {
        let Self { id, email, email_normalised: _, home_timezone, locked_at, created_at, .. } = &self;
        let id = *id;
        Ok(User {
            id: UserId::from_uuid(id),
            email: self::email(email, id)?,
            home_timezone: home_zone(home_timezone, id)?,
            created_at: *created_at,
            status: user_status(*locked_at),
            biology: self.biology()?,
        })
    }

    fn biology(&self) -> Result<Biology, StorageError> {
        let Self {
            id,
            birth_date,
            biological_sex,
            blood_type,
            height_cm,
            weight_kg,
            skin_type,
            wheelchair_use,
            ..
        } = self;
        let skin = |number: i16| u8::try_from(number).ok().and_then(|number| SkinType::new(number).ok());
        Ok(Biology {
            birth_date: known("birth_date", *id, *birth_date, |date| BirthDate::new(date).ok())?,
            biological_sex: known("biological_sex", *id, biological_sex.as_deref(), |text| {
                BiologicalSex::parse(text).ok()
            })?,
            blood_type: known("blood_type", *id, blood_type.as_deref(), |text| BloodType::parse(text).ok())?,
            height: known("height_cm", *id, *height_cm, |value| BodyHeight::from_centimetres(value).ok())?,
            weight: known("weight_kg", *id, *weight_kg, |value| BodyWeight::from_kilograms(value).ok())?,
            skin_type: known("skin_type", *id, *skin_type, skin)?,
            wheelchair_use: *wheelchair_use,
        })
    }
}

/// Reads a value that may be missing, but not wrong.
fn known<S, T>(
    column: &'static str,
    row: Uuid,
    stored: Option<S>,
    read: impl FnOnce(S) -> Option<T>,
) -> Result<Option<T>, StorageError> {
    let Some(stored) = stored else { return Ok(None) };
    read(stored).ok_or(()).map(Some).map_err(corrupt(TABLE, column, row))
}

/// Reads a person's address.
pub(crate) fn email(text: &str, row: Uuid) -> Result<Email, StorageError> {
    Email::parse(text).map_err(corrupt(TABLE, "email", row))
}

/// Reads a person's zone.
pub(crate) fn home_zone(name: &str, row: Uuid) -> Result<TimeZone, StorageError> {
    TimeZone::parse(name).map_err(corrupt(TABLE, "home_timezone", row))
}

/// Reads whether a person's account can be used.
pub(crate) fn user_status(locked_at: Option<DateTime<Utc>>) -> UserStatus {
    locked_at.map_or(UserStatus::Active, |at| UserStatus::Locked { at })
}
