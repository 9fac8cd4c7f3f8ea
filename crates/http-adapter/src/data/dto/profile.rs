//! The profile.

use super::{Number, name};
use domain::scope::{Scope, ScopeSet};
use domain::time::format;
use domain::user::{BiologicalSex, Biology, BloodType, BodyHeight, BodyWeight, SkinType, User};
use serde::Serialize;
use utoipa::ToSchema;

/// The profile of a person. Unknown values are null; the email address is never included.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Profile)]
pub struct ProfileDto {
    /// The user.
    #[schema(value_type = uuid::Uuid, example = "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48")]
    pub user_id: String,
    /// When the profile was created, in UTC.
    #[schema(format = DateTime, example = "2026-01-05T08:30:00Z")]
    pub created_at: String,
    /// The name of the person's zone in the IANA time zone database.
    #[schema(example = "Europe/Berlin")]
    pub home_timezone: String,
    /// The scopes that the person granted to this client.
    #[schema(schema_with = name::scopes)]
    pub scopes: Vec<&'static str>,
    /// The day of birth, `YYYY-MM-DD`.
    #[schema(format = Date, required = true, example = "1990-05-17")]
    pub birth_date: Option<String>,
    /// `female`, `male` or `other`.
    #[schema(schema_with = name::sexes, required = true)]
    pub biological_sex: Option<&'static str>,
    /// The blood type in the ABO and Rhesus systems, `A+` to `O-`.
    #[schema(schema_with = name::blood_types, required = true)]
    pub blood_type: Option<&'static str>,
    /// The height in centimetres.
    #[schema(value_type = Option<f64>, required = true, minimum = 20, maximum = 300, example = 172)]
    pub height_cm: Option<Number>,
    /// The weight in kilograms.
    #[schema(value_type = Option<f64>, required = true, minimum = 0.2, maximum = 700, example = 64.5)]
    pub weight_kg: Option<Number>,
    /// The skin type on Fitzpatrick's scale.
    #[schema(required = true, minimum = 1, maximum = 6, example = 2)]
    pub skin_type: Option<u8>,
    /// Whether the person uses a wheelchair.
    #[schema(required = true, example = false)]
    pub wheelchair_use: Option<bool>,
}

impl ProfileDto {
    /// Creates the profile of a person for a grant of these scopes.
    pub fn new(user: &User, scopes: ScopeSet) -> Self {
        let User { id, email: _, home_timezone, created_at, status: _, biology } = user;
        let Biology { birth_date, biological_sex, blood_type, height, weight, skin_type, wheelchair_use } =
            *biology;
        Self {
            user_id: id.to_string(),
            created_at: format::utc(*created_at),
            home_timezone: home_timezone.name().to_owned(),
            scopes: scopes.iter().map(Scope::as_str).collect(),
            birth_date: birth_date.map(|birth| birth.date().to_string()),
            biological_sex: biological_sex.map(BiologicalSex::as_str),
            blood_type: blood_type.map(BloodType::as_str),
            height_cm: height.map(BodyHeight::centimetres).map(Number::from_f64),
            weight_kg: weight.map(BodyWeight::kilograms).map(Number::from_f64),
            skin_type: skin_type.map(SkinType::get),
            wheelchair_use,
        }
    }
}
