//! Passwords on the command line: links to set one, and passwords read from standard input.

use super::output::Record;
use super::streams;
use crate::wiring::Services;
use anyhow::{Context, bail};
use application::account::{IssuedPasswordLink, NewPassword};
use application::mail::PublicLinks;
use domain::id::UserId;
use domain::password::MAX_BYTES;
use domain::time::format;
use domain::user::Email;
use std::io::Read as _;
use zeroize::Zeroizing;

/// Source of a person's password.
pub(super) enum PasswordSource {
    /// Set by the person through a link.
    ByLink,
    /// The same, and until then nothing else opens the account.
    OnlyByLink,
    /// Read from standard input.
    Stdin(Zeroizing<String>),
    /// Not set now.
    Later,
}

/// Sets a password or creates the link to set one, and adds the outcome to the result.
pub(super) async fn set_or_send_link(
    services: &Services,
    user_id: UserId,
    chosen: PasswordSource,
    record: Record,
) -> anyhow::Result<Record> {
    match chosen {
        PasswordSource::Later => Ok(record),
        PasswordSource::ByLink => link(services, WantedLink { user_id, is_only_way: false }, record).await,
        PasswordSource::OnlyByLink => link(services, WantedLink { user_id, is_only_way: true }, record).await,
        PasswordSource::Stdin(password) => {
            let passwords = services.passwords(services.password_hasher()?, None);
            passwords.set(user_id, &password).await.with_context(|| {
                format!("the password of user {user_id} was not changed; run `restwell user reset-password`")
            })?;
            Ok(record.with("password", "set"))
        }
    }
}

/// A link to set a password.
struct WantedLink {
    user_id: UserId,
    /// Whether nothing else opens the account until it is used.
    is_only_way: bool,
}

async fn link(services: &Services, wanted: WantedLink, record: Record) -> anyhow::Result<Record> {
    let WantedLink { user_id, is_only_way } = wanted;
    let links = services.password_links(services.queue_mail().await?);
    let IssuedPasswordLink { link, expires_at, is_mailed, passkeys_removed } =
        links.issue(user_id, is_only_way).await.context("no link was created")?;
    let record = if is_only_way { record.with("passkeys_removed", passkeys_removed) } else { record };
    let record = record.with("link_expires_at", format::utc(expires_at));
    if is_mailed {
        // A running server sends it; it is not printed here.
        return Ok(record.with("password_link", "mailed"));
    }
    Ok(record.with("password_link", PublicLinks::new(services.public_url.as_str()).set_password(&link)))
}

/// Rejects a password that an account with this address may not have, before the account is created.
pub(super) fn check(services: &Services, chosen: &PasswordSource, account: &Email) -> anyhow::Result<()> {
    if let PasswordSource::Stdin(password) = chosen {
        NewPassword::check(password, account, services.password_strength_checker().as_ref())?;
    }
    Ok(())
}

/// Reads one line from standard input as the password, without the line end.
pub(super) fn read_password() -> anyhow::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::with_capacity(MAX_BYTES + 8));
    let most = u64::try_from(MAX_BYTES + 2)?;
    streams::input().take(most).read_to_string(&mut text).context("the password is not UTF-8")?;
    let line = text.strip_suffix('\n').map_or(text.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    if line.is_empty() || line.contains(['\n', '\r']) {
        bail!("enter the password as one line on standard input");
    }
    Ok(Zeroizing::new(line.to_owned()))
}
