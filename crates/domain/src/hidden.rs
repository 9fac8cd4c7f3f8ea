//! Values that logs and panics must not show.

/// Implements `Debug` as the name of the type: `Email(..)`.
macro_rules! hide_in_debug {
    ($type:ident) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($type), "(..)"))
            }
        }
    };
}
pub(crate) use hide_in_debug;
