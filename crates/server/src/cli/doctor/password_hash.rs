//! Table of what a password hash costs on this machine.

use super::check::Check;
use crate::settings::Settings;
use domain::counted;
use std::time::Duration;
use system_adapter::{Argon2PasswordHasher, HashParameters};

pub(super) const NAME: &str = "password_hash";

/// Duration after which no costlier hash is measured. A person waits for it at each sign-in.
const LONGEST: Duration = Duration::from_millis(100);

/// Memory in KiB and iterations of the measured hashes, the cheapest first. The costliest and a server fit in
/// the memory limits of `deploy/`.
const MEASURED: [(u32, u32); 5] = [(19_456, 2), (32_768, 2), (65_536, 2), (65_536, 3), (131_072, 2)];

/// Measures one hash with the settings if asked to, and others until one takes longer than [`LONGEST`].
pub(super) fn check(settings: &Settings, is_asked_for: bool) -> Check {
    if !is_asked_for {
        return Check::skipped(NAME, "not measured")
            .advise("To choose [passwords], while the server is idle: restwell doctor --password-hash");
    }
    let measured =
        |parameters| Argon2PasswordHasher::time_of_hash(parameters).ok().map(|took| (parameters, took));
    let in_use = settings.passwords.parameters().ok();
    let Some(first) = in_use.and_then(measured) else {
        let advice = "Check that this machine has passwords.memory_kib of free memory.";
        return Check::failed(NAME, "no password can be hashed with the settings", advice);
    };
    let others =
        MEASURED.into_iter().filter_map(|(memory, iterations)| HashParameters::new(memory, iterations).ok());
    let mut rows = vec![first];
    for row in others.filter(|row| *row != first.0).filter_map(measured) {
        rows.push(row);
        if row.1.max(first.1) > LONGEST {
            break;
        }
    }
    Check::ok(NAME, table(&rows))
}

/// Formats the rows, of which the first has the parameters of the settings.
fn table(rows: &[(HashParameters, Duration)]) -> String {
    let row = |(place, (parameters, took)): (usize, &(HashParameters, Duration))| {
        let iterations = counted(parameters.iterations(), "iteration");
        let source = if place == 0 { " (the settings)" } else { "" };
        format!("{} ms with {} KiB and {iterations}{source}", took.as_millis(), parameters.memory_kib())
    };
    let rows: Vec<String> = rows.iter().enumerate().map(row).collect();
    format!("a hash takes {}", rows.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters((memory_kib, iterations): (u32, u32)) -> HashParameters {
        HashParameters::new(memory_kib, iterations).unwrap()
    }

    #[test]
    fn the_table_names_the_settings_first() {
        let row = |costs, milliseconds| (parameters(costs), Duration::from_millis(milliseconds));
        assert_eq!(
            table(&[row((32_768, 2), 32), row((19_456, 2), 18), row((65_536, 3), 101)]),
            "a hash takes 32 ms with 32768 KiB and 2 iterations (the settings), 18 ms with 19456 KiB and 2 iterations, \
             101 ms with 65536 KiB and 3 iterations"
        );
    }

    #[test]
    fn every_measured_hash_is_a_valid_setting_and_costlier_than_the_one_before() {
        let work =
            MEASURED.map(parameters).map(|row| u64::from(row.memory_kib()) * u64::from(row.iterations()));
        assert!(work.is_sorted_by(|before, after| before < after), "{work:?}");
    }
}
