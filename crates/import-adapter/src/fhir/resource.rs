//! The members of an Observation; unused members are omitted.

use crate::json::{Bounded, Loose};
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
    pub(super) resource_type: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Observation {
    pub(super) status: Loose,
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
    pub(super) system: Loose,
    pub(super) code: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Reference {
    #[serde(rename = "reference")]
    pub(super) target: Loose,
    pub(super) identifier: Identifier,
    pub(super) display: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Identifier {
    pub(super) value: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Period {
    pub(super) start: Loose,
    pub(super) end: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Quantity {
    pub(super) value: Loose,
    pub(super) comparator: Loose,
    pub(super) unit: Loose,
    pub(super) code: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Component {
    pub(super) code: Concept,
    pub(super) value_quantity: Option<Quantity>,
    pub(super) value_integer: Loose,
    pub(super) value_boolean: Loose,
}

/// A contained resource; only devices have device names.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Contained {
    pub(super) id: Loose,
    pub(super) device_name: Bounded<DeviceName>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DeviceName {
    pub(super) name: Loose,
    pub(super) r#type: Loose,
}
