//! The members of an Observation; unused members are omitted.

use crate::json::{Bounded, LooseScalar};
use serde::Deserialize;

/// An entry of a Bundle.
#[derive(Debug, Deserialize)]
pub(super) struct Entry<T> {
    pub(super) resource: Option<T>,
}

/// Type of a resource.
#[derive(Debug, Deserialize)]
pub(super) struct Kind {
    #[serde(default, rename = "resourceType")]
    pub(super) resource_type: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Observation {
    pub(super) status: LooseScalar,
    pub(super) code: Concept,
    pub(super) subject: Reference,
    pub(super) device: Reference,
    pub(super) effective_period: Option<Period>,
    pub(super) value_codeable_concept: Option<Concept>,
    pub(super) value_quantity: Option<Quantity>,
    pub(super) component: Bounded<Component>,
    pub(super) contained: Bounded<Contained>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Concept {
    pub(super) coding: Bounded<Coding>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Coding {
    pub(super) system: LooseScalar,
    pub(super) code: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Reference {
    #[serde(rename = "reference")]
    pub(super) target: LooseScalar,
    pub(super) identifier: Identifier,
    pub(super) display: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Identifier {
    pub(super) value: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Period {
    pub(super) start: LooseScalar,
    pub(super) end: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Quantity {
    pub(super) value: LooseScalar,
    pub(super) comparator: LooseScalar,
    pub(super) unit: LooseScalar,
    pub(super) code: LooseScalar,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Component {
    pub(super) code: Concept,
    pub(super) value_quantity: Option<Quantity>,
    pub(super) value_integer: LooseScalar,
    pub(super) value_boolean: LooseScalar,
}

/// A contained resource; only devices have device names.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Contained {
    pub(super) id: LooseScalar,
    pub(super) device_name: Bounded<DeviceName>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DeviceName {
    pub(super) name: LooseScalar,
    pub(super) r#type: LooseScalar,
}
