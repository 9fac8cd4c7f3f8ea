//! Items that backends send, for the `OpenAPI` document; import-adapter parses them.

use super::name;
use application::import::ingest::MAX_ITEMS;
use serde_json::{Value, json};
use utoipa::openapi::schema::{ArrayBuilder, OneOfBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// Declares schemas of bodies with one item or a list of items.
macro_rules! one_or_many {
    ($($name:ident of $item:ident;)+) => {$(
        /// Schema of a body with one item or a list of items.
        pub struct $name;

        impl ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                schemas.push((<$item>::name().into_owned(), <$item>::schema()));
                <$item>::schemas(schemas);
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                one_or_many(&Ref::from_schema_name(<$item>::name()))
            }
        }
    )+};
}

one_or_many! {
    UserItems of UserItem;
    ProfileItems of ProfileItem;
    SessionItems of SessionItem;
    LabelItems of LabelItem;
    LogItems of LogItem;
}

fn one_or_many(item: &Ref) -> RefOr<Schema> {
    let list = ArrayBuilder::new().items(item.clone()).max_items(Some(MAX_ITEMS));
    OneOfBuilder::new().item(item.clone()).item(list).into()
}

/// The header that makes a request idempotent.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct IdempotencyKey {
    /// The key of this request. The same request within 24 hours gets the first response and stores nothing.
    /// The same key with another method, path or body is rejected.
    #[param(
        rename = "Idempotency-Key",
        nullable = false,
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]+$"
    )]
    pub idempotency_key: Option<String>,
}

/// A person to create.
#[derive(ToSchema)]
pub struct UserItem {
    /// The person's id; a new one if absent.
    #[schema(nullable = false)]
    pub id: Option<uuid::Uuid>,
    /// The email address.
    pub email: String,
    /// An IANA zone, such as Europe/Berlin.
    #[schema(nullable = false)]
    pub home_timezone: Option<String>,
    /// The day of birth.
    #[schema(nullable = false)]
    pub birth_date: Option<String>,
    /// The biological sex.
    #[schema(schema_with = name::known_sexes)]
    pub biological_sex: Option<String>,
    /// The blood type.
    #[schema(nullable = false)]
    pub blood_type: Option<String>,
    /// The height in centimetres.
    #[schema(nullable = false)]
    pub height_cm: Option<f64>,
    /// The weight in kilograms.
    #[schema(nullable = false)]
    pub weight_kg: Option<f64>,
    /// The skin type on Fitzpatrick's scale.
    #[schema(nullable = false)]
    pub skin_type: Option<u8>,
    /// Whether the person uses a wheelchair.
    #[schema(nullable = false)]
    pub wheelchair_use: Option<bool>,
}

/// Changes to a profile; missing members stay unchanged.
#[derive(ToSchema)]
pub struct ProfileItem {
    /// The person; the same as in the path.
    #[schema(nullable = false)]
    pub user_id: Option<uuid::Uuid>,
    /// ISO 8601 with an offset, such as 2026-03-08T23:10:00-05:00.
    #[schema(nullable = false)]
    pub created_at: Option<String>,
    /// An IANA zone, such as Europe/Berlin.
    #[schema(nullable = false)]
    pub home_timezone: Option<String>,
    /// The day of birth.
    #[schema(nullable = false)]
    pub birth_date: Option<String>,
    /// The biological sex.
    #[schema(schema_with = name::known_sexes)]
    pub biological_sex: Option<String>,
    /// The blood type.
    #[schema(nullable = false)]
    pub blood_type: Option<String>,
    /// The height in centimetres.
    #[schema(nullable = false)]
    pub height_cm: Option<f64>,
    /// The weight in kilograms.
    #[schema(nullable = false)]
    pub weight_kg: Option<f64>,
    /// The skin type on Fitzpatrick's scale.
    #[schema(nullable = false)]
    pub skin_type: Option<u8>,
    /// Whether the person uses a wheelchair.
    #[schema(nullable = false)]
    pub wheelchair_use: Option<bool>,
}

/// A sleep session to store.
#[derive(ToSchema)]
pub struct SessionItem {
    /// The session's id; if absent, `external_id` or the times identify it.
    #[schema(nullable = false)]
    pub id: Option<uuid::Uuid>,
    /// ISO 8601 with an offset, such as 2026-03-08T23:10:00-05:00.
    pub time_in_bed_start: String,
    /// ISO 8601 with an offset.
    pub time_in_bed_end: String,
    /// The stages in time order.
    #[schema(nullable = false)]
    pub raw_sleep: Option<Vec<StageItem>>,
    /// The metrics.
    #[schema(nullable = false)]
    pub sleep_metric: Option<Vec<MetricItem>>,
    /// The device or app that recorded the session.
    #[schema(nullable = false)]
    pub source: Option<String>,
    /// Whether it was a nap.
    #[schema(nullable = false)]
    pub is_nap: Option<bool>,
    /// The key that the session has in its source.
    #[schema(nullable = false)]
    pub external_id: Option<String>,
}

/// Period of one sleep stage.
#[derive(ToSchema)]
pub struct StageItem {
    /// The stage.
    #[schema(schema_with = name::stages)]
    pub stage: String,
    /// ISO 8601 with an offset.
    pub start: String,
    /// ISO 8601 with an offset.
    pub end: String,
}

/// One metric of a session.
#[derive(ToSchema)]
pub struct MetricItem {
    /// The name of the metric.
    pub sleep_metric: String,
    /// The value.
    pub value: f64,
}

/// A label of a supplement to store.
#[derive(ToSchema)]
pub struct LabelItem {
    /// The supplement's id; a new one if absent.
    #[schema(nullable = false)]
    pub id: Option<uuid::Uuid>,
    /// The brand.
    #[schema(nullable = false)]
    pub brand: Option<String>,
    /// The name of the product.
    pub name: String,
    /// Servings per container.
    #[schema(nullable = false)]
    pub servings: Option<String>,
    /// The product code.
    #[schema(nullable = false)]
    pub upc: Option<String>,
    /// ISO 8601 with an offset.
    #[schema(nullable = false)]
    pub entry_date: Option<String>,
    /// The ingredients in the order of the label.
    #[schema(nullable = false)]
    pub supplement_ingredient: Option<Vec<LabelIngredientItem>>,
    /// The key that the label has in its source.
    #[schema(nullable = false)]
    pub external_id: Option<String>,
    /// The source of `external_id`.
    #[schema(nullable = false)]
    pub external_source: Option<String>,
}

/// One ingredient of one serving.
#[derive(ToSchema)]
pub struct LabelIngredientItem {
    /// The name of the ingredient.
    pub ingredient_name: String,
    /// The amount.
    #[schema(nullable = false)]
    pub quantity: Option<f64>,
    /// The unit as the label spells it.
    #[schema(nullable = false)]
    pub unit: Option<String>,
    /// Whether the ingredient is an active one.
    #[schema(nullable = false)]
    pub active: Option<bool>,
    /// The position in the list.
    #[schema(nullable = false)]
    pub order: Option<i64>,
    /// Whether the label states an amount.
    #[schema(nullable = false)]
    pub amount_stated: Option<bool>,
}

/// An intake log to store.
#[derive(ToSchema)]
pub struct LogItem {
    /// The log's id; if absent, `external_id` or the time and supplement identify it.
    #[schema(nullable = false)]
    pub id: Option<uuid::Uuid>,
    /// ISO 8601 with an offset.
    pub created_at: String,
    /// The supplement; or use `upc`.
    #[schema(nullable = false)]
    pub supplement_id: Option<uuid::Uuid>,
    /// The product code of a label in the catalogue.
    #[schema(nullable = false)]
    pub upc: Option<String>,
    /// The servings taken.
    pub servings: f64,
    /// The key that the log has in its source.
    #[schema(nullable = false)]
    pub external_id: Option<String>,
}

/// Item with an example in the document.
pub trait Example {
    /// Returns the example.
    fn example() -> Value;
}

/// Returns a list of one item.
pub(crate) fn list<T: Example>() -> Value {
    json!([T::example()])
}

/// Returns two items, each on a line.
pub(crate) fn lines<T: Example>() -> Value {
    let item = T::example();
    json!(format!("{item}\n{item}\n"))
}

impl Example for UserItem {
    fn example() -> Value {
        json!({
            "email": "sleeper@example.org", "home_timezone": "Europe/Berlin", "birth_date": "1990-05-17",
        })
    }
}

impl Example for ProfileItem {
    fn example() -> Value {
        json!({ "user_id": crate::example::user_id(), "height_cm": 172, "weight_kg": 64.5 })
    }
}

impl Example for SessionItem {
    fn example() -> Value {
        json!({
            "external_id": "night-41", "source": "ring",
            "time_in_bed_start": "2026-01-10T23:00:00+01:00", "time_in_bed_end": "2026-01-11T07:00:00+01:00",
            "raw_sleep": [{
                "stage": "LIGHT", "start": "2026-01-10T23:15:00+01:00", "end": "2026-01-11T06:50:00+01:00",
            }],
        })
    }
}

impl Example for LabelItem {
    fn example() -> Value {
        json!({
            "brand": "Harbour Health", "name": "Magnesium Citrate", "servings": "60", "upc": "0 12345 67890 5",
            "supplement_ingredient": [
                { "ingredient_name": "Magnesium", "quantity": 200, "unit": "milligrams" },
            ],
        })
    }
}

impl Example for LogItem {
    fn example() -> Value {
        json!({ "created_at": "2026-01-10T22:00:00Z", "upc": "0 12345 67890 5", "servings": 1 })
    }
}
