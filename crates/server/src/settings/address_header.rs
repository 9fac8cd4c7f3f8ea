//! Setting that selects a header.

use super::section::SettingValue;
use http_adapter::ClientAddressHeader;
use serde::{Deserialize, Deserializer};
use std::fmt;

/// Header that contains the client's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AddressHeader(pub(crate) ClientAddressHeader);

impl SettingValue for AddressHeader {
    const KIND: &'static str = "x-forwarded-for or forwarded";

    fn format_value(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for AddressHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            ClientAddressHeader::XForwardedFor => "x-forwarded-for",
            ClientAddressHeader::Forwarded => "forwarded",
        })
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
