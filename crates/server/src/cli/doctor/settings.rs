//! Check of the settings: they can be used, and the warnings of `check-config`.

use super::check::Check;
use crate::cli::check_config;
use crate::settings::{PublicUrl, Settings};

const NAME: &str = "settings";

/// Settings that a server can start with.
pub(super) struct Usable {
    pub(super) settings: Settings,
    pub(super) public_url: PublicUrl,
}

/// Checks the settings; returns them if they can be used.
pub(super) fn check(settings: anyhow::Result<Settings>) -> (Vec<Check>, Option<Usable>) {
    let validated = settings.and_then(|settings| Ok((check_config::validate(&settings)?, settings)));
    match validated {
        Err(error) => {
            let reason = format!("{error:#}").replace('\n', "; ");
            let advice = "Correct the settings (`restwell reference configuration` describes each), or the path in --config or \
                 RESTWELL_CONFIG.";
            (vec![Check::failed(NAME, reason, advice)], None)
        }
        Ok((valid, settings)) => {
            let warnings = check_config::warnings(&settings, &valid);
            let check = if warnings.is_empty() {
                Check::ok(NAME, "valid")
            } else {
                Check::warning(NAME, warnings.join("; "), "See `restwell check-config`.")
            };
            (vec![check], Some(Usable { settings, public_url: valid.public_url }))
        }
    }
}
