//! What messages say: in plain words what to do, how long it works, and what to do if it was not the reader.
//!
//! No message repeats an address or a name: whoever reads it by mistake learns nothing of the account.

use super::PublicLinks;
use crate::ports::system::Mail;
use chrono::TimeDelta;
use domain::password_link::PasswordLink;
use domain::secret::Secret;
use domain::user::Email;

/// A link and what it was made for: what a message needs to say about it.
pub(crate) struct HandedOutLink<'a> {
    /// The secret.
    pub(crate) secret: &'a Secret,
    /// What is stored of it.
    pub(crate) stored: &'a PasswordLink,
}

/// Tells a person that the operator made an account for them.
pub(crate) fn invitation(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         an account was made for you on {base}.\n\n\
         Choose your password here:\n{url}\n\n\
         {terms}\n\n\
         If you did not expect this, do nothing: without a password nobody can use the account.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Choose your password", text)
}

/// Tells a person that the operator wants them to choose a new password.
pub(crate) fn new_password(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         whoever runs {base} asks you to choose a new password.\n\n\
         Choose it here:\n{url}\n\n\
         {terms}\n\n\
         You will be signed out in every browser. If you did not expect this, ask whoever runs the server before you \
         follow the link; until then your present password keeps working.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Choose a new password", text)
}

/// Tells a person who forgot the password how to choose another.
pub(crate) fn reset(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         somebody asked for a new password for your account on {base}.\n\n\
         If it was you, choose it here:\n{url}\n\n\
         {terms}\n\n\
         You will be signed out in every browser. If it was not you, do nothing: your password stays as it is.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Choose a new password", text)
}

/// Tells somebody who wants an account how to get it.
pub(crate) fn sign_up(to: &Email, links: &PublicLinks, link: &HandedOutLink<'_>) -> Mail {
    let text = format!(
        "Hello,\n\n\
         somebody asked for an account with this address on {base}.\n\n\
         If it was you, choose your password here, and the account is made:\n{url}\n\n\
         {terms}\n\n\
         If it was not you, do nothing: no account is made.\n",
        base = links.base(),
        url = links.set_password(link.secret),
        terms = terms(link),
    );
    mail(to, "Finish your sign-up", text)
}

/// Tells somebody who wants an account that they have one.
pub(crate) fn account_exists(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         somebody asked for an account with this address on {base}, but there is one already.\n\n\
         If it was you, sign in here:\n{sign_in}\n\n\
         If you do not know the password any more, choose a new one here:\n{forgot}\n\n\
         If it was not you, do nothing: your account stays as it is.\n",
        base = links.base(),
        sign_in = links.sign_in(),
        forgot = links.forgot_password(),
    );
    mail(to, "You have an account already", text)
}

/// Tells a person that their password is another one now.
pub(crate) fn password_changed(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         the password of your account on {base} was changed just now.\n\n\
         If it was you, there is nothing to do. If it was not you, choose a new password at once:\n{forgot}\n\
         Then look at the apps that are connected with your account, and tell whoever runs the server.\n",
        base = links.base(),
        forgot = links.forgot_password(),
    );
    mail(to, "Your password was changed", text)
}

/// Shows an operator that messages arrive.
pub(crate) fn test(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         this is a test message from {base}: email from this server reaches you.\n\n\
         If you did not expect this, do nothing: somebody who runs the server tried your address.\n",
        base = links.base(),
    );
    mail(to, "Test message", text)
}

fn mail(to: &Email, subject: &str, text: String) -> Mail {
    Mail { to: to.clone(), subject: format!("Restwell: {subject}"), text }
}

fn terms(link: &HandedOutLink<'_>) -> String {
    format!("The link works once, for {}.", in_words(link.stored.purpose.lifetime()))
}

/// Says a whole number of hours or days in words.
fn in_words(lifetime: TimeDelta) -> String {
    match lifetime.num_hours() {
        1 => "one hour".to_owned(),
        24 => "one day".to_owned(),
        hours if hours % 24 == 0 => format!("{} days", hours / 24),
        hours => format!("{hours} hours"),
    }
}
