//! Texts of emails: what to do, how long the link works, and what to do if the recipient did not ask for it.
//!
//! No email repeats an address or a name, so that a wrong recipient learns nothing about the account.

use super::PublicLinks;
use crate::ports::system::Mail;
use chrono::TimeDelta;
use domain::password_link::PasswordLink;
use domain::secret::Secret;
use domain::user::Email;

/// A link and its stored purpose.
pub(crate) struct HandedOutLink<'a> {
    pub(crate) secret: &'a Secret,
    pub(crate) stored: &'a PasswordLink,
}

/// Invites a person whose account the operator created.
pub(crate) fn invitation(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         An account was created for you on {base}.\n\n\
         Choose your password here:\n{url}\n\n\
         {terms}\n\n\
         If you did not expect this email, ignore it. Nobody can use the account without a password.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Choose your password", text)
}

/// Asks a person to choose a new password because the operator requires it.
pub(crate) fn new_password(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         The operator of {base} asks you to choose a new password.\n\n\
         Choose it here:\n{url}\n\n\
         {terms}\n\n\
         You will be signed out of every browser. If you did not expect this email, contact the operator before you open \
         the link. Until then, your current password keeps working.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Choose a new password", text)
}

/// Sends a person who forgot the password a link to reset it.
pub(crate) fn reset(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         Someone asked to reset the password of your account on {base}.\n\n\
         If this was you, choose a new password here:\n{url}\n\n\
         {terms}\n\n\
         You will be signed out of every browser. If this was not you, ignore this email. Your password stays the same.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Choose a new password", text)
}

/// Sends the link that completes a sign-up.
pub(crate) fn sign_up(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         Someone asked to create an account with this address on {base}.\n\n\
         If this was you, choose a password to create your account:\n{url}\n\n\
         {terms}\n\n\
         If this was not you, ignore this email. No account will be created.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Finish your sign-up", text)
}

/// Answers a sign-up for an address that already has an account.
pub(crate) fn account_exists(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         Someone asked to create an account with this address on {base}, but it already has one.\n\n\
         If this was you, sign in here:\n{sign_in}\n\n\
         Forgot your password? Choose a new one here:\n{forgot}\n\n\
         If this was not you, ignore this email. Your account stays the same.\n",
        base = links.base(),
        sign_in = links.sign_in(),
        forgot = links.forgot_password(),
    );
    mail(to, "You already have an account", text)
}

/// Reports that the password was changed.
pub(crate) fn password_changed(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         The password of your account on {base} was just changed.\n\n\
         If this was you, there is nothing to do. If not, choose a new password now:\n{forgot}\n\
         Then check the apps connected to your account, and contact the operator.\n",
        base = links.base(),
        forgot = links.forgot_password(),
    );
    mail(to, "Your password was changed", text)
}

/// Builds the test message.
pub(crate) fn test(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         This is a test message from {base}. Email from this server reaches you.\n\n\
         If you did not expect this email, ignore it. The operator tried your address.\n",
        base = links.base(),
    );
    mail(to, "Test message", text)
}

fn mail(to: &Email, subject: &str, text: String) -> Mail {
    Mail { to: to.clone(), subject: format!("Restwell: {subject}"), text }
}

fn terms(link: &HandedOutLink<'_>) -> String {
    format!("The link works once and expires after {}.", in_words(link.stored.purpose.lifetime()))
}

/// Formats whole hours or days, such as "one hour".
fn in_words(lifetime: TimeDelta) -> String {
    match lifetime.num_hours() {
        1 => "one hour".to_owned(),
        24 => "one day".to_owned(),
        hours if hours % 24 == 0 => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}
