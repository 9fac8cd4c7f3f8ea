//! Enums whose values have names: in the store, in the API or on the command line.

/// Declares an enum with a name for each value, and its `ALL`, `as_str` and `parse`.
///
/// `parse` returns an `Option`; with `else Error = value`, a `Result` with this error.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $type:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)+
        }
        $(else $error_type:ty = $error:expr)?
    ) => {
        $(#[$meta])*
        $vis enum $type {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $type {
            /// Every value, in the order of the declaration.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name.
            #[inline]
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            $crate::named_enum!(@parse $vis $(, $error_type = $error)?);
        }
    };
    (@parse $vis:vis) => {
        /// Returns the value with this name, spelled exactly.
        $vis fn parse(text: &str) -> Option<Self> {
            Self::ALL.into_iter().find(|value| value.as_str() == text)
        }
    };
    (@parse $vis:vis, $error_type:ty = $error:expr) => {
        /// Returns the value with this name, spelled exactly.
        $vis fn parse(text: &str) -> Result<Self, $error_type> {
            Self::ALL.into_iter().find(|value| value.as_str() == text).ok_or($error)
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::import::ImportState;
    use crate::user::{BloodType, InvalidBiology};

    #[test]
    fn a_name_parses_to_its_value() {
        assert_eq!(
            ImportState::ALL.map(|state| ImportState::parse(state.as_str())),
            ImportState::ALL.map(Some)
        );
        assert_eq!(BloodType::ALL.map(|kind| BloodType::parse(kind.as_str())), BloodType::ALL.map(Ok));
        assert_eq!(ImportState::parse("Done"), None);
        assert_eq!(BloodType::parse("C+"), Err(InvalidBiology::BloodType));
    }
}
