//! Setting that selects a header.

use super::section::SettingValue;
use http_adapter::ClientAddressHeader;
use serde::{Deserialize, Deserializer};

/// Header that contains the client's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AddressHeader(pub(crate) ClientAddressHeader);

impl SettingValue for AddressHeader {
    const KIND: &'static str = "x-forwarded-for or forwarded";

    fn format_value(&self) -> String {
        match self.0 {
            ClientAddressHeader::XForwardedFor => "x-forwarded-for".to_owned(),
            ClientAddressHeader::Forwarded => "forwarded".to_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for AddressHeader {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Name {
            XForwardedFor,
            Forwarded,
        }
        Ok(Self(match Name::deserialize(deserializer)? {
            Name::XForwardedFor => ClientAddressHeader::XForwardedFor,
            Name::Forwarded => ClientAddressHeader::Forwarded,
        }))
    }
}
