//! `restwell doctor`: what of an installation works, and what to do about the rest.

mod backup;
mod caller_address;
mod check;
mod disk;
mod mail;
mod password_hash;
mod public_url;
mod settings;
mod store;

use super::output;
use crate::settings::Settings;
use crate::wiring::SharedClock;
use anyhow::bail;
use check::{Check, Status};
use clap::Args;
use domain::counted;
use domain::user::Email;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Options of the checks.
#[derive(Debug, Args)]
#[command(after_help = "Example, on the server and as its user:\n  \
    restwell doctor --config /etc/restwell/restwell.toml --backup /var/backups/restwell.dump\n\n\
    Changes nothing. The exit code is 0 unless a check failed; a warning is no failure. --json prints\n\
    {\"ok\": bool, \"checks\": [{\"name\", \"status\": \"ok|warning|failed|skipped\", \"message\", \"advice\"}]}.")]
pub(crate) struct DoctorArguments {
    /// File or folder that your backups write, or a file that they touch at their end; its age is checked
    #[arg(long, value_name = "PATH")]
    backup: Option<PathBuf>,
    /// Also send a test message to this address
    #[arg(long, value_name = "ADDRESS", value_parser = Email::parse)]
    mail_to: Option<Email>,
    /// Also measure what password hashes cost here, best while the server is idle; takes up to 128 MiB
    #[arg(long)]
    password_hash: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Names of the checks that need valid settings, in order.
const AFTER_THE_SETTINGS: [&str; 10] = [
    "store",
    "schema",
    "keys",
    "clock",
    "disk",
    password_hash::NAME,
    "backup",
    "public_url",
    "caller_address",
    "mail",
];

/// Result with `--json`.
#[derive(Serialize)]
struct Report<'a> {
    ok: bool,
    checks: &'a [Check],
}

/// Runs every check and prints the results. Fails if a check failed.
pub(crate) async fn run(
    arguments: &DoctorArguments,
    settings: anyhow::Result<Settings>,
    clock: &SharedClock,
) -> anyhow::Result<()> {
    let checks = checks(arguments, settings, clock).await;
    let failed = checks.iter().filter(|check| check.status == Status::Failed).count();
    if arguments.json {
        let report = Report { ok: failed == 0, checks: &checks };
        output::print_text(&format!("{}\n", output::json(&report)?))?;
    } else {
        output::print_text(&text(&checks))?;
    }
    if failed > 0 {
        bail!("{} failed", counted(failed, "check"));
    }
    Ok(())
}

async fn checks(
    arguments: &DoctorArguments,
    settings: anyhow::Result<Settings>,
    clock: &SharedClock,
) -> Vec<Check> {
    let (mut checks, usable) = settings::check(settings);
    let Some(usable) = usable else {
        checks.extend(AFTER_THE_SETTINGS.map(|name| Check::skipped(name, "the settings cannot be used")));
        return checks;
    };
    let settings::Usable { settings, public_url } = &usable;
    let (found, opened) = store::check(settings).await;
    checks.extend(found);
    let (check, keys) = store::keys(settings, public_url, opened.as_ref()).await;
    checks.push(check);
    checks.push(store::clock(opened.as_ref()).await);
    checks.push(disk::check(settings));
    checks.push(password_hash::check(settings, arguments.password_hash));
    checks.push(backup::check(arguments.backup.as_deref(), clock.as_ref()));
    let reached = public_url::check(public_url, keys.as_ref()).await;
    let seen = caller_address::check(settings, public_url, &reached, keys.as_ref()).await;
    checks.extend([reached, seen]);
    checks.push(mail::check(settings, public_url, arguments.mail_to.as_ref()).await);
    checks
}

/// Formats a line for each check, with its advice below.
fn text(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for Check { name, status, message, advice } in checks {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{:7}  {name:width$}  {message}", status.as_str());
        if let Some(advice) = advice {
            let _ = writeln!(text, "{:7}  {:width$}  -> {advice}", "", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_is_a_line_and_its_advice_is_below() {
        let checks = [
            Check::ok("store", "reachable"),
            Check::warning("backup", "3 days old", "Look at the job."),
            Check::skipped("mail", "mail.host is not set"),
        ];
        assert_eq!(
            text(&checks),
            "ok       store   reachable\n\
             warning  backup  3 days old\n                 -> Look at the job.\n\
             skipped  mail    mail.host is not set\n"
        );
    }
}
