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
    let request =
        format!("An account was created for you on {}.\n\nChoose your password here:", links.base());
    let otherwise =
        "If you did not expect this email, ignore it. Nobody can use the account without a password.";
    mail(to, "Choose your password", with_link(links, link, &request, otherwise))
}

/// Asks a person to choose a new password because the operator requires it.
pub(crate) fn new_password(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let request =
        format!("The operator of {} asks you to choose a new password.\n\nChoose it here:", links.base());
    let otherwise = "You will be signed out of every browser. If you did not expect this email, contact the operator before you open \
         the link. Until then, your current password keeps working.";
    mail(to, "Choose a new password", with_link(links, link, &request, otherwise))
}

/// Sends a person who forgot the password a link to reset it.
pub(crate) fn reset(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let request = format!(
        "Someone asked to reset the password of your account on {}.\n\n\
         If this was you, choose a new password here:",
        links.base()
    );
    let otherwise = "You will be signed out of every browser. If this was not you, ignore this email. Your password stays the same.";
    mail(to, "Choose a new password", with_link(links, link, &request, otherwise))
}

/// Sends the link that completes a sign-up.
pub(crate) fn sign_up(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let request = format!(
        "Someone asked to create an account with this address on {}.\n\n\
         If this was you, choose a password to create your account:",
        links.base()
    );
    let otherwise = "If this was not you, ignore this email. No account will be created.";
    mail(to, "Finish your sign-up", with_link(links, link, &request, otherwise))
}

/// Builds the text of an email with a link: the request, the link, how long it works, and what to do if the
/// person did not expect it.
fn with_link(links: &PublicLinks, link: &HandedOutLink<'_>, request: &str, otherwise: &str) -> String {
    let url = links.set_password(link.secret);
    let lifetime = in_words(link.stored.purpose.lifetime());
    format!(
        "Hello,\n\n{request}\n{url}\n\nThe link works once and expires after {lifetime}.\n\n{otherwise}\n"
    )
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

/// Formats whole hours or days, such as "one hour".
fn in_words(lifetime: TimeDelta) -> String {
    match lifetime.num_hours() {
        1 => "one hour".to_owned(),
        24 => "one day".to_owned(),
        hours if hours % 24 == 0 => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}
