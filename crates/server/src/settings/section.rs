//! Declaration of a settings section: typed values, defaults and documentation in one place.

use super::secret_text::SecretText;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Row in the table of all settings. The reference, the defaults and the list of known keys are derived from
/// it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Full name, `section.key`.
    pub(crate) key: &'static str,
    /// Description.
    pub(crate) about: &'static str,
    /// Default as written in a file; `None` if the setting is unset by default.
    pub(crate) default: Option<&'static str>,
    /// Kind of value, for error messages.
    pub(crate) kind: &'static str,
    /// Unit or format of the value.
    pub(crate) unit: &'static str,
    /// Valid range of a number, if it has one.
    pub(crate) range: &'static [RangeInclusive<u32>],
    /// Example value.
    pub(crate) example: &'static str,
    /// Whether the value is redacted.
    pub(crate) is_secret: bool,
}

impl Row {
    /// Returns the name of the setting's environment variable.
    pub(crate) fn variable(&self) -> String {
        format!("RESTWELL__{}", self.key.to_uppercase().replace('.', "__"))
    }
}

/// Type of a setting.
pub(crate) trait SettingValue {
    /// Kind of value, for error messages.
    const KIND: &'static str;
    /// Whether the value is redacted.
    const IS_SECRET: bool = false;

    /// Returns the value for the output of `check-config`.
    fn format_value(&self) -> String;
}

macro_rules! shown_as_displayed {
    ($($kind:ty: $name:literal),+) => {
        $(impl SettingValue for $kind {
            const KIND: &'static str = $name;

            fn format_value(&self) -> String {
                self.to_string()
            }
        })+
    };
}

shown_as_displayed!(
    u16: "a whole number up to 65535",
    u32: "a whole number",
    usize: "a whole number",
    f64: "a number",
    bool: "true or false",
    String: "a string",
    SocketAddr: "an IP address with a port"
);

impl SettingValue for PathBuf {
    const KIND: &'static str = "a path";

    fn format_value(&self) -> String {
        self.display().to_string()
    }
}

impl SettingValue for SecretText {
    const KIND: &'static str = "a string";
    const IS_SECRET: bool = true;

    fn format_value(&self) -> String {
        "(set, not shown)".to_owned()
    }
}

impl<T: SettingValue> SettingValue for Option<T> {
    const KIND: &'static str = T::KIND;
    const IS_SECRET: bool = T::IS_SECRET;

    fn format_value(&self) -> String {
        self.as_ref().map_or_else(|| "(not set)".to_owned(), T::format_value)
    }
}

/// Declares a section: its struct, and its rows of the table.
///
/// A field has a doc comment with its description, then its type, default, unit, optional range and an
/// example.
macro_rules! section {
    (
        $(#[doc = $section_about:literal])+
        $name:ident($path:literal) {
            $(
                $(#[doc = $about:literal])+
                $field:ident: $kind:ty = $default:expr, $unit:literal $(in $least:literal..=$most:literal)?, $example:literal;
            )+
        }
    ) => {
        $(#[doc = $section_about])+
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $(
                $(#[doc = $about])+
                pub(crate) $field: $kind,
            )+
        }

        impl $name {
            /// Rows of this section.
            pub(crate) const ROWS: &'static [crate::settings::section::Row] = &[
                $(crate::settings::section::Row {
                    key: concat!($path, ".", stringify!($field)),
                    about: concat!($($about),+),
                    default: $default,
                    kind: <$kind as crate::settings::section::SettingValue>::KIND,
                    unit: $unit,
                    range: &[$($least..=$most)?],
                    example: $example,
                    is_secret: <$kind as crate::settings::section::SettingValue>::IS_SECRET,
                },)+
            ];

            /// Description of the section.
            pub(crate) const ABOUT: &'static str = concat!($($section_about),+);

            /// Returns the numbers out of their range.
            pub(super) fn out_of_range(&self) -> Vec<crate::settings::Problem> {
                std::iter::empty()
                    $($(.chain(crate::settings::Problem::unless_within(
                        concat!($path, ".", stringify!($field)),
                        self.$field,
                        $least..=$most,
                    )))?)+
                    .collect()
            }

            /// Lists keys with their values; secrets are redacted.
            pub(crate) fn list_values(&self) -> Vec<(&'static str, String)> {
                vec![
                    $((
                        concat!($path, ".", stringify!($field)),
                        crate::settings::section::SettingValue::format_value(&self.$field),
                    ),)+
                ]
            }
        }
    };
}

pub(crate) use section;
