//! The items that backends send.

use super::example::user_id;
use super::parameter::{string, uuid};
use serde_json::{Value, json};
use utoipa::openapi::schema::{ArrayBuilder, Object, ObjectBuilder, SchemaType, Type};

/// One kind of item.
pub(super) struct Item {
    pub(super) schema: Object,
    pub(super) example: Value,
}

fn number() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::Number))
}

fn flag() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::Boolean))
}

fn instant() -> ObjectBuilder {
    string().description(Some("ISO 8601 with an offset, such as 2026-03-08T23:10:00-05:00."))
}

fn body_of(schema: ObjectBuilder) -> ObjectBuilder {
    schema
        .property("home_timezone", string().description(Some("An IANA zone, such as Europe/Berlin.")))
        .property("birth_date", string())
        .property("biological_sex", string().enum_values(Some(["female", "male", "other"])))
        .property("blood_type", string())
        .property("height_cm", number())
        .property("weight_kg", number())
        .property("skin_type", ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer)))
        .property("wheelchair_use", flag())
}

pub(super) fn user() -> Item {
    let schema = body_of(ObjectBuilder::new().property("id", uuid()).property("email", string()));
    Item {
        schema: schema.required("email").build(),
        example: json!({
            "email": "sleeper@example.org", "home_timezone": "Europe/Berlin", "birth_date": "1990-05-17",
        }),
    }
}

pub(super) fn profile() -> Item {
    let schema = ObjectBuilder::new().property("user_id", uuid()).property("created_at", instant());
    Item {
        schema: body_of(schema).build(),
        example: json!({ "user_id": user_id(), "height_cm": 172, "weight_kg": 64.5 }),
    }
}

pub(super) fn session() -> Item {
    let stage = ObjectBuilder::new()
        .property("stage", string().enum_values(Some(["AWAKE", "LIGHT", "DEEP", "REM", "ASLEEP", "UNKNOWN"])))
        .property("start", instant())
        .property("end", instant())
        .required("stage")
        .required("start")
        .required("end");
    let metric = ObjectBuilder::new()
        .property("sleep_metric", string())
        .property("value", number())
        .required("sleep_metric")
        .required("value");
    let schema = ObjectBuilder::new()
        .property("id", uuid())
        .property("time_in_bed_start", instant())
        .property("time_in_bed_end", instant())
        .property("raw_sleep", ArrayBuilder::new().items(stage))
        .property("sleep_metric", ArrayBuilder::new().items(metric))
        .property("source", string())
        .property("is_nap", flag())
        .property("external_id", string().description(Some("The key that the session has in its source.")));
    Item {
        schema: schema.required("time_in_bed_start").required("time_in_bed_end").build(),
        example: json!({
            "external_id": "night-41", "source": "ring",
            "time_in_bed_start": "2026-01-10T23:00:00+01:00", "time_in_bed_end": "2026-01-11T07:00:00+01:00",
            "raw_sleep": [{
                "stage": "LIGHT", "start": "2026-01-10T23:15:00+01:00", "end": "2026-01-11T06:50:00+01:00",
            }],
        }),
    }
}

pub(super) fn label() -> Item {
    let ingredient = ObjectBuilder::new()
        .property("ingredient_name", string())
        .property("quantity", number())
        .property("unit", string())
        .property("active", flag())
        .property("order", ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer)))
        .property("amount_stated", flag())
        .required("ingredient_name");
    let schema = ObjectBuilder::new()
        .property("id", uuid())
        .property("brand", string())
        .property("name", string())
        .property("servings", string())
        .property("upc", string())
        .property("entry_date", instant())
        .property("supplement_ingredient", ArrayBuilder::new().items(ingredient))
        .property("external_id", string())
        .property("external_source", string());
    Item {
        schema: schema.required("name").build(),
        example: json!({
            "brand": "Harbour Health", "name": "Magnesium Citrate", "servings": "60", "upc": "0 12345 67890 5",
            "supplement_ingredient": [
                { "ingredient_name": "Magnesium", "quantity": 200, "unit": "milligrams" },
            ],
        }),
    }
}

pub(super) fn log() -> Item {
    let schema = ObjectBuilder::new()
        .property("id", uuid())
        .property("created_at", instant())
        .property("supplement_id", uuid().description(Some("The supplement; or `upc` in its place.")))
        .property("upc", string().description(Some("A product code that a label in the catalogue carries.")))
        .property("servings", number())
        .property("external_id", string());
    Item {
        schema: schema.required("created_at").required("servings").build(),
        example: json!({ "created_at": "2026-01-10T22:00:00Z", "upc": "0 12345 67890 5", "servings": 1 }),
    }
}
