//! Texts of emails: what to do, how long the link works, and what to do if the recipient did not ask for it.
//!
//! No email repeats an address or a name, so that a wrong recipient learns nothing about the account.

use super::PublicLinks;
use crate::ports::system::Mail;
use chrono::TimeDelta;
use domain::password_link::PasswordLink;
use domain::second_factor::FEW_RECOVERY_CODES;
use domain::secret::Secret;
use domain::user::Email;
use domain::webhook::{DisableReason, WebhookEndpoint};

/// A link and its stored purpose.
pub(crate) struct IssuedLink<'a> {
    pub(crate) secret: &'a Secret,
    pub(crate) stored: &'a PasswordLink,
}

/// Invites a person whose account the operator created.
pub(crate) fn invitation(to: &Email, links: &PublicLinks, link: &IssuedLink<'_>) -> Mail {
    let request =
        format!("An account was created for you on {}.\n\nChoose your password here:", links.server());
    let otherwise =
        "If you did not expect this email, ignore it. Nobody can use the account without a password.";
    mail(to, "Choose your password", with_link(links, link, &request, otherwise))
}

/// Asks a person to choose a new password because the operator requires it.
pub(crate) fn new_password(
    to: &Email,
    links: &PublicLinks,
    link: &IssuedLink<'_>,
    current_is_valid: bool,
) -> Mail {
    let current = if current_is_valid {
        "Until then, your current password keeps working."
    } else {
        "Your old password no longer works."
    };
    let request =
        format!("The operator of {} asks you to choose a new password.\n\nChoose it here:", links.server());
    let otherwise = format!(
        "You will be signed out of every browser. If you did not expect this email, contact {} before you open \
         the link. {current}",
        links.operator()
    );
    mail(to, "Choose a new password", with_link(links, link, &request, &otherwise))
}

/// Sends a person who forgot the password a link to reset it.
pub(crate) fn reset(to: &Email, links: &PublicLinks, link: &IssuedLink<'_>) -> Mail {
    let request = format!(
        "Someone asked to reset the password of your account on {}.\n\n\
         If this was you, choose a new password here:",
        links.server()
    );
    let otherwise = "You will be signed out of every browser. If this was not you, ignore this email. Your password stays the same.";
    mail(to, "Choose a new password", with_link(links, link, &request, otherwise))
}

/// Sends the link that completes a sign-up.
pub(crate) fn sign_up(to: &Email, links: &PublicLinks, link: &IssuedLink<'_>) -> Mail {
    let request = format!(
        "Someone asked to create an account with this address on {}.\n\n\
         If this was you, choose a password to create your account:",
        links.server()
    );
    let otherwise = "If this was not you, ignore this email. No account will be created.";
    mail(to, "Finish your sign-up", with_link(links, link, &request, otherwise))
}

/// Asks the owner of a mailbox to confirm that an account uses its address.
pub(crate) fn confirm_email(to: &Email, links: &PublicLinks, link: &IssuedLink<'_>) -> Mail {
    let url = links.confirm_email(link.secret);
    let lifetime = in_words(link.stored.purpose.lifetime());
    let text = format!(
        "Hello,\n\n\
         Someone asked to use this address for an account on {}.\n\n\
         If this was you, open this link in the browser in which you are signed in to that account:\n{url}\n\n\
         The link works once and expires after {lifetime}.\n\n\
         If this was not you, ignore this email. The account keeps its address.\n",
        links.server(),
    );
    mail(to, "Confirm your new address", text)
}

/// Informs the owner of the current address that a change was requested.
pub(crate) fn email_change_requested(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         Someone asked to change the email address of your account on {base}. It changes only when the new address \
         is confirmed.\n\n\
         If this was you, there is nothing to do. If not, choose a new password now:\n{forgot}\n\
         Then sign out everywhere, and contact {operator}.\n",
        base = links.server(),
        forgot = links.forgot_password(),
        operator = links.operator(),
    );
    mail(to, "Your email address is about to change", text)
}

/// Informs the owner of the previous address that it was replaced.
pub(crate) fn email_changed(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         Your account on {base} now has another email address. Sign in with the new one from now on.\n\n\
         If this was not you, contact {operator} now.\n",
        base = links.server(),
        operator = links.operator(),
    );
    mail(to, "Your email address was changed", text)
}

/// Builds the text of an email with a link: the request, the link, how long it works, and what to do if the
/// person did not expect it.
fn with_link(links: &PublicLinks, link: &IssuedLink<'_>, request: &str, otherwise: &str) -> String {
    let url = links.set_password(link.secret);
    let lifetime = in_words(link.stored.purpose.lifetime());
    format!(
        "Hello,\n\n{request}\n{url}\n\nThe link works once and expires after {lifetime}.\n\n{otherwise}\n"
    )
}

/// Responds to a sign-up for an address that already has an account.
pub(crate) fn account_exists(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         Someone asked to create an account with this address on {base}, but it already has one.\n\n\
         If this was you, sign in here:\n{sign_in}\n\n\
         Forgot your password? Choose a new one here:\n{forgot}\n\n\
         If this was not you, ignore this email. Your account stays the same.\n",
        base = links.server(),
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
         Then check the apps connected to your account, and contact {operator}.\n",
        base = links.server(),
        forgot = links.forgot_password(),
        operator = links.operator(),
    );
    mail(to, "Your password was changed", text)
}

/// Reports that a second factor was turned on or replaced.
pub(crate) fn second_factor_turned_on(to: &Email, links: &PublicLinks) -> Mail {
    let change = "A second factor was just turned on for your account";
    mail(to, "Your second factor is on", account_changed(links, change))
}

/// Reports that the person turned off the second factor.
pub(crate) fn second_factor_turned_off(to: &Email, links: &PublicLinks) -> Mail {
    let change = "The second factor of your account was just turned off";
    mail(to, "Your second factor is off", account_changed(links, change))
}

/// Reports that the operator turned off the second factor.
pub(crate) fn second_factor_reset(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         The operator of {base} turned off the second factor of your account, and signed you out of every browser.\n\n\
         You can sign in with your password now:\n{sign_in}\n\n\
         Then set up a second factor again. If you did not ask for this, contact {operator}.\n",
        base = links.server(),
        sign_in = links.sign_in(),
        operator = links.operator(),
    );
    mail(to, "Your second factor was reset", text)
}

/// Reports that there are new recovery codes.
pub(crate) fn recovery_codes_created(to: &Email, links: &PublicLinks) -> Mail {
    let change =
        "New recovery codes were just created for your account. The old ones stopped working. This happened";
    mail(to, "New recovery codes", account_changed(links, change))
}

/// Reports that a recovery code completed a sign-in, and how many are left.
pub(crate) fn recovery_code_used(to: &Email, links: &PublicLinks, left: u32) -> Mail {
    let advice = match left {
        0 => "No recovery code is left. Create new ones on your account page.".to_owned(),
        1 => "One recovery code is left. Create new ones on your account page.".to_owned(),
        few if few <= FEW_RECOVERY_CODES => {
            format!("{few} recovery codes are left. Create new ones on your account page.")
        }
        more => format!("{more} recovery codes are left."),
    };
    let text = format!(
        "Hello,\n\n\
         A recovery code was just used to sign in to your account on {base}. {advice}\n\n\
         If this was not you, someone knows your password. Choose a new one now:\n{forgot}\n\
         Then create new recovery codes, and contact {operator}.\n",
        base = links.server(),
        forgot = links.forgot_password(),
        operator = links.operator(),
    );
    mail(to, "A recovery code was used", text)
}

/// Reports that a passkey was added.
pub(crate) fn passkey_added(to: &Email, links: &PublicLinks) -> Mail {
    let change = "A passkey was just added to your account";
    mail(to, "A passkey was added", account_changed(links, change))
}

/// Reports that a passkey was removed.
pub(crate) fn passkey_removed(to: &Email, links: &PublicLinks) -> Mail {
    let change = "A passkey was just removed from your account";
    mail(to, "A passkey was removed", account_changed(links, change))
}

/// Builds the text about a change of the account that its owner made, or else someone who signed in as them.
fn account_changed(links: &PublicLinks, change: &str) -> String {
    format!(
        "Hello,\n\n\
         {change} on {base}.\n\n\
         If this was you, there is nothing to do. If not, choose a new password now:\n{forgot}\n\
         Then contact {operator}.\n",
        base = links.server(),
        forgot = links.forgot_password(),
        operator = links.operator(),
    )
}

/// Notifies the contact of a webhook endpoint that it was disabled, and for what reason; also whether the
/// contact can test it on a page.
pub(crate) fn webhook_disabled(
    to: &Email,
    links: &PublicLinks,
    endpoint: &WebhookEndpoint,
    (reason, can_test): (DisableReason, bool),
) -> Mail {
    let reason = match reason {
        DisableReason::Gone => "it responded with status 410",
        DisableReason::Failing => "every attempt to deliver an event has failed for three days",
    };
    let request = if can_test {
        format!("test it on this page:\n\n{}", links.webhooks(endpoint.client_id))
    } else {
        format!("ask {} to test it.", links.operator())
    };
    let text = format!(
        "The webhook endpoint {id} at {host} was disabled on {base}, because {reason}.\n\n\
         Its events are kept. When the endpoint works again, {request}\n\n\
         The endpoint then receives a challenge and, once it responds correctly, every event \
         that it missed.\n",
        id = endpoint.id,
        host = endpoint.url.host(),
        base = links.server(),
    );
    mail(to, "Webhook endpoint disabled", text)
}

/// Builds the test message.
pub(crate) fn test(to: &Email, links: &PublicLinks) -> Mail {
    let text = format!(
        "Hello,\n\n\
         This is a test message from {base}. If you can read this, email from this server works.\n\n\
         If you did not expect this email, ignore it. The operator was testing email delivery.\n",
        base = links.server(),
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
