//! Schemas of members with fixed values; the lists come from the domain.

use domain::data_kind::DataKind;
use domain::scope::Scope;
use domain::sleep::{MetricKind, Stage};
use domain::user::{BiologicalSex, BloodType};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaType, Type};

pub(in crate::data) fn stages() -> Schema {
    one_of(Stage::ALL.map(Stage::as_str))
}

pub(in crate::data) fn metrics() -> Schema {
    one_of(MetricKind::ALL.map(MetricKind::as_str))
}

pub(in crate::data) fn scopes() -> Schema {
    let names = Scope::ALL.into_iter().filter(|scope| scope.by_consent()).map(Scope::as_str);
    Schema::Array(ArrayBuilder::new().items(RefOr::T(one_of(names))).build())
}

pub(in crate::data) fn sexes() -> Schema {
    one_of_or_null(BiologicalSex::ALL.map(BiologicalSex::as_str))
}

/// Like [`sexes`], without null.
pub(in crate::data) fn known_sexes() -> Schema {
    one_of(BiologicalSex::ALL.map(BiologicalSex::as_str))
}

pub(in crate::data) fn blood_types() -> Schema {
    one_of_or_null(BloodType::ALL.map(BloodType::as_str))
}

pub(in crate::data) fn change_kinds() -> Schema {
    one_of(DataKind::ALL.map(DataKind::as_str))
}

pub(in crate::data) fn one_of(names: impl IntoIterator<Item = &'static str>) -> Schema {
    let text = ObjectBuilder::new().schema_type(SchemaType::Type(Type::String));
    Schema::Object(text.enum_values(Some(names)).build())
}

fn one_of_or_null(names: impl IntoIterator<Item = &'static str>) -> Schema {
    let values = names.into_iter().map(Value::from).chain([Value::Null]);
    let text = ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Null]));
    Schema::Object(text.enum_values(Some(values)).build())
}
