//! `GET /api/v1/profile/{user_id}`.

use super::dto::query::UserPath;
use super::dto::{Number, name};
use super::query::parameters;
use super::{DataErrors, gate};
use crate::ApiState;
use crate::example;
use crate::problem::{Fault, Problem, RateLimitBody};
use crate::request_context::RequestContext;
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::data_kind::DataKind;
use domain::scope::{Scope, ScopeSet};
use domain::time::format;
use domain::user::{BiologicalSex, Biology, BloodType, BodyHeight, BodyWeight, SkinType, User};
use serde::Serialize;
use utoipa::ToSchema;

/// The profile of a person
///
/// Requires the scope `profile`. Unknown parameters are ignored.
#[utoipa::path(
    get, path = Endpoint::Profile.path(), tag = "data", operation_id = "readProfile", params(UserPath),
    responses(
        (status = 200, description = "The profile", body = ProfileAnswer, example = example::profile),
        DataErrors,
    ),
)]
pub(crate) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, DataKind::Profile).await?;
    // There are no parameters, but a malformed query string is rejected everywhere.
    parameters(&request, &[])?;
    let Some(user) = state.read_records.profile(&access).await? else {
        // Deleted since the access check, which may be a second old: the token is invalid now, and the answer
        // to an invalid token has no counter.
        RequestContext::of(&request).rate = None;
        return Err(Problem::new(Fault::InvalidToken));
    };
    let data = ProfileDto::new(&user, access.scopes);
    Ok(HttpResponse::Ok().json(ProfileAnswer { data, limit: access.rate.into() }))
}

/// Response of the profile endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ProfileAnswer {
    /// The profile.
    pub data: ProfileDto,
    /// The counters of the rate limit; the same numbers as in the headers.
    pub limit: RateLimitBody,
}

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
