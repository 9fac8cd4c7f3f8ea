//! How a section of the settings is declared: once, for the typed value, its default and its documentation.

use super::secret_text::SecretText;
use std::net::SocketAddr;
use std::path::PathBuf;

/// One row of the table of all settings; the reference, the defaults and the list of known keys are made from
/// it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The full name, `section.key`.
    pub(crate) key: &'static str,
    /// What it does.
    pub(crate) about: &'static str,
    /// What counts when nobody says otherwise, as written in a file; nothing when it is simply not set.
    pub(crate) default: Option<&'static str>,
    /// What kind of value it takes, as an error names it.
    pub(crate) kind: &'static str,
    /// The unit or the form of the value.
    pub(crate) unit: &'static str,
    /// A value that somebody might set.
    pub(crate) example: &'static str,
    /// Whether the value is never printed.
    pub(crate) is_secret: bool,
}

impl Row {
    /// Returns the name of the environment variable that sets it.
    pub(crate) fn variable(&self) -> String {
        format!("RESTWELL__{}", self.key.to_uppercase().replace('.', "__"))
    }
}

/// A kind of value that a setting may have.
pub(crate) trait SettingValue {
    /// What a value must be, as an error says it.
    const KIND: &'static str;
    /// Whether the value is never printed.
    const IS_SECRET: bool = false;

    /// Returns the value as `check-config` prints it.
    fn shown(&self) -> String;
}

macro_rules! shown_as_displayed {
    ($($kind:ty: $name:literal),+) => {
        $(impl SettingValue for $kind {
            const KIND: &'static str = $name;

            fn shown(&self) -> String {
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
    String: "a text",
    SocketAddr: "an IP address with a port"
);

impl SettingValue for PathBuf {
    const KIND: &'static str = "a path";

    fn shown(&self) -> String {
        self.display().to_string()
    }
}

impl SettingValue for SecretText {
    const KIND: &'static str = "a text";
    const IS_SECRET: bool = true;

    fn shown(&self) -> String {
        "(set, not shown)".to_owned()
    }
}

impl<T: SettingValue> SettingValue for Option<T> {
    const KIND: &'static str = T::KIND;
    const IS_SECRET: bool = T::IS_SECRET;

    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| "(not set)".to_owned(), T::shown)
    }
}

/// Declares a section: the struct that is read, and its rows of the table.
///
/// A field says what it does in its doc comment, then its type, default, unit and an example.
macro_rules! section {
    (
        $(#[doc = $section_about:literal])+
        $name:ident($path:literal) {
            $(
                $(#[doc = $about:literal])+
                $field:ident: $kind:ty = $default:expr, $unit:literal, $example:literal;
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
            /// The rows of this section.
            pub(crate) const ROWS: &'static [crate::settings::section::Row] = &[
                $(crate::settings::section::Row {
                    key: concat!($path, ".", stringify!($field)),
                    about: concat!($($about),+),
                    default: $default,
                    kind: <$kind as crate::settings::section::SettingValue>::KIND,
                    unit: $unit,
                    example: $example,
                    is_secret: <$kind as crate::settings::section::SettingValue>::IS_SECRET,
                },)+
            ];

            /// What the section is about.
            pub(crate) const ABOUT: &'static str = concat!($($section_about),+);

            /// Lists keys with their values, secrets left out.
            pub(crate) fn shown(&self) -> Vec<(&'static str, String)> {
                vec![
                    $((
                        concat!($path, ".", stringify!($field)),
                        crate::settings::section::SettingValue::shown(&self.$field),
                    ),)+
                ]
            }
        }
    };
}

pub(crate) use section;
