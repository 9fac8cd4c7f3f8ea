//! Macro that turns the list of cases into functions and tests, and one for a unit of work of one call.

/// Calls a method of a unit of work, which commits if that succeeds; returns the result of the method.
macro_rules! commit {
    ($harness:expr, $($call:tt)+) => {{
        let mut unit = $harness.begin().await;
        let result = unit.$($call)+.await.unwrap();
        unit.commit().await.unwrap();
        result
    }};
}

/// Declares cases as functions of a module and as the tests that a macro expands to; both are named before
/// the cases.
///
/// The first token is a dollar sign, for the macro defined by this macro.
macro_rules! suite {
    ($dollar:tt $cases:ident $tests:ident $($module:ident { $($case:ident),* $(,)? })*) => {
        /// The cases, by aggregate.
        pub mod $cases {
            $(
                #[expect(missing_docs, reason = "the names are self-explanatory")]
                pub mod $module {
                    $(
                        pub async fn $case(harness: &crate::Harness) {
                            crate::$module::$case(harness).await;
                        }
                    )*
                }
            )*
        }

        /// Expands to one test for each case. The argument is the name of an async function without arguments
        /// that returns a [`Harness`](crate::Harness) with an empty store.
        #[macro_export]
        macro_rules! $tests {
            ($dollar make_store:ident) => {
                $(
                    mod $module {
                        $(
                            #[tokio::test(flavor = "multi_thread")]
                            async fn $case() {
                                let harness = super::$dollar make_store().await;
                                $crate::$cases::$module::$case(&harness).await;
                            }
                        )*
                    }
                )*
            };
        }
    };
}
