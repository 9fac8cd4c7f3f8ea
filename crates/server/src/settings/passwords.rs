//! The section `passwords`.

use super::problem::Problem;
use super::section::section;
use std::ops::RangeInclusive;
use system_adapter::{HashParameters, HashingLimits, InvalidHashParameters};

section! {
    /// Cost of password hashes (argon2id). The defaults are OWASP's minimum; lower values are rejected.
    /// `restwell doctor --password-hash` measures higher ones. Hashes are upgraded at sign-in.
    PasswordSettings("passwords") {
        /// Memory of one hash.
        memory_kib: u32 = Some("19456"), "KiB, 19456 to 1048576", "65536";
        /// Passes over the memory. Memory times iterations is limited to 4194304 KiB.
        iterations: u32 = Some("2"), "iterations, 2 to 100", "3";
        /// Hashes computed concurrently, at most half the number of cores; 0 means half. Each uses one core
        /// and `passwords.memory_kib` of memory.
        parallel_hashes: u32 = Some("0"), "hashes" in 0..=1024, "2";
        /// Maximum number of requests that wait for a hash; further ones get 503.
        waiting: u32 = Some("32"), "requests" in 0..=10_000, "64";
    }
}

impl PasswordSettings {
    /// Returns the cost parameters of one hash.
    pub(crate) fn parameters(&self) -> Result<HashParameters, Problem> {
        HashParameters::new(self.memory_kib, self.iterations).map_err(|refused| {
            let within =
                |range: RangeInclusive<u32>| format!("must be between {} and {}", range.start(), range.end());
            let (key, text) = match refused {
                InvalidHashParameters::Memory => ("memory_kib", within(HashParameters::MEMORY_KIB)),
                InvalidHashParameters::Iterations => ("iterations", within(HashParameters::ITERATIONS)),
                InvalidHashParameters::Work => {
                    let most = HashParameters::MAX_WORK_KIB;
                    (
                        "iterations",
                        format!(
                            "times passwords.memory_kib must be at most {most}: one hash would take seconds"
                        ),
                    )
                }
            };
            Problem::new(format!("passwords.{key}"), text)
        })
    }

    /// Returns the limits on concurrent and waiting hashes on this machine.
    pub(crate) fn limits(&self) -> HashingLimits {
        HashingLimits::for_this_machine(self.parallel_hashes, self.waiting)
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        self.parameters().err().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::super::source::Variables;
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<PasswordSettings, String> {
        let named =
            |(name, value): &(&str, &str)| (format!("RESTWELL__PASSWORDS__{name}"), (*value).to_owned());
        let variables: Variables = pairs.iter().map(named).collect();
        Settings::from_sources(None, &variables)
            .map(|settings| settings.passwords)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_the_owasp_minimum() {
        let settings = with(&[]).unwrap();
        assert_eq!(settings.parameters().unwrap(), HashParameters::MINIMUM);
        assert_eq!(settings.limits(), HashingLimits::for_this_machine(0, 32));
    }

    #[test]
    fn lower_and_excessive_costs_are_rejected_by_name() {
        for (pairs, text) in [
            (&[("MEMORY_KIB", "19455")][..], "passwords.memory_kib must be between 19456 and 1048576"),
            (&[("ITERATIONS", "1")], "passwords.iterations must be between 2 and 100"),
            (
                &[("MEMORY_KIB", "1048576"), ("ITERATIONS", "5")],
                "passwords.iterations times passwords.memory_kib",
            ),
            (&[("PARALLEL_HASHES", "1025")], "passwords.parallel_hashes must be between 0 and 1024"),
            (&[("WAITING", "10001")], "passwords.waiting must be between 0 and 10000"),
        ] {
            let problem = with(pairs).unwrap_err();
            assert!(problem.contains(text), "{problem}");
        }
    }
}
