//! Enums whose values have names: in the store, in the API or on the command line.

/// Declares an enum with a name for each value, and its `ALL`, `as_str` and `parse`.
///
/// `parse` returns an `Option`; with `else Error = value`, a `Result` with this error.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        pub enum $type:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)+
        }
        $(else $error_type:ty = $error:expr)?
    ) => {
        $(#[$meta])*
        pub enum $type {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $type {
            /// Every value, in the order of the declaration.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name.
            #[inline]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            $crate::named_enum!(@parse $($error_type = $error)?);
        }
    };
    (@parse) => {
        /// Returns the value with this name, spelled exactly.
        pub fn parse(text: &str) -> Option<Self> {
            Self::ALL.into_iter().find(|value| value.as_str() == text)
        }
    };
    (@parse $error_type:ty = $error:expr) => {
        /// Returns the value with this name, spelled exactly.
        pub fn parse(text: &str) -> Result<Self, $error_type> {
            Self::ALL.into_iter().find(|value| value.as_str() == text).ok_or($error)
        }
    };
}

#[cfg(test)]
mod tests {
    crate::named_enum! {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Tide {
            Low = "low",
            High = "high",
        }
    }

    crate::named_enum! {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Wind {
            North = "N",
        } else &'static str = "no wind"
    }

    #[test]
    fn a_name_parses_to_its_value() {
        assert_eq!(Tide::ALL.map(|tide| Tide::parse(tide.as_str())), [Some(Tide::Low), Some(Tide::High)]);
        assert_eq!(Tide::parse("Low"), None);
        assert_eq!([Wind::parse("N"), Wind::parse("n")], [Ok(Wind::North), Err("no wind")]);
    }
}
