//! Check of the mail server.

use super::check::Check;
use crate::settings::{PublicUrl, Settings};
use crate::wiring;
use application::ports::system::MailProbeError;
use domain::user::Email;

const NAME: &str = "mail";

/// Connects and signs in; sends a test message only if there is an address.
pub(super) async fn check(settings: &Settings, public_url: &PublicUrl, to: Option<&Email>) -> Check {
    const ADVICE: &str =
        "Check the section `mail` of the settings; `restwell mail test ADDRESS` reports each step.";
    match attempt(settings, public_url, to).await {
        Ok(None) => Check::skipped(NAME, "mail.host is not set")
            .advise("Without mail, `restwell user reset-password` prints links to choose a password."),
        Ok(Some(server)) => {
            let accepted =
                if to.is_some() { "accepted a test message" } else { "accepts this server's sign-in" };
            Check::ok(NAME, format!("{server} {accepted}"))
        }
        Err(error) => Check::failed(NAME, format!("{error:#}"), ADVICE),
    }
}

/// Returns the mail server, `None` if there is none.
async fn attempt(
    settings: &Settings,
    public_url: &PublicUrl,
    to: Option<&Email>,
) -> anyhow::Result<Option<String>> {
    let Some(options) = settings.mail.options(public_url)? else { return Ok(None) };
    let server = format!("{}:{}", options.host, options.port);
    let test = wiring::test_mail(options, settings, public_url)?;
    let outcome = match to {
        Some(address) => test.run(address, &|_| {}).await,
        None => test.sign_in(&|_| {}).await,
    };
    outcome.map_err(|MailProbeError(reason)| anyhow::Error::from_boxed(reason).context(server.clone()))?;
    Ok(Some(server))
}
