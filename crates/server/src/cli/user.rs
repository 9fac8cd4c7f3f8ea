//! `restwell user`: accounts and their profiles.

use super::argument::ListArguments;
use super::biology::BiologyArguments;
use super::credentials::{self, ExposedAccount};
use super::output::{self, PAGE, Record};
use super::password::{self, PasswordSource};
use super::second_factor::{self, SecondFactorCommand};
use super::user_ref::UserRef;
use crate::wiring::Services;
use anyhow::{Context, bail};
use application::erasure::{Eraser, Erasure, ErasureError, Erasures};
use application::user::{NewUser, UserChange, Users};
use clap::{Args, Subcommand};
use domain::id::UserId;
use domain::time::{TimeZone, format};
use domain::user::{Email, ProfileField, User, UserStatus};
use serde_json::Value;

/// Commands about users.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Create a user; prints the `user_id` and a link to choose a password, or emails the link
    #[command(
        after_help = "Example:\n  restwell user create --email ada@example.org --timezone Europe/Berlin"
    )]
    Create(CreateArguments),
    /// List users, without sandbox people (see `restwell sandbox list`)
    List(ListArguments),
    /// Show a user
    Show(OneArguments),
    /// Change the email address, time zone or body data of a user
    #[command(after_help = "Example:\n  restwell user update ada@example.org --timezone America/New_York")]
    Update(UpdateArguments),
    /// Reset the password of a user: prints a link to choose a new one, or emails it
    ResetPassword(ResetPasswordArguments),
    /// Reset the second factor of a user
    #[command(subcommand)]
    SecondFactor(SecondFactorCommand),
    /// Lock an account: its data cannot be read until it is unlocked
    Lock(OneArguments),
    /// Unlock an account
    Unlock(OneArguments),
    /// Erase a user and all their data; prints a receipt
    #[command(alias = "delete")]
    Erase(EraseArguments),
}

/// User to create.
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// Email address
    #[arg(long, value_parser = Email::parse, allow_hyphen_values = true)]
    email: Email,
    /// IANA time zone for dates without an offset, such as Europe/Berlin
    #[arg(long, value_name = "TZ", value_parser = TimeZone::parse)]
    timezone: TimeZone,
    /// Id from another system; random by default. The id of an erased user cannot be reused
    #[arg(long, value_name = "UUID", value_parser = UserId::parse)]
    user_id: Option<UserId>,
    #[command(flatten)]
    biology: BiologyArguments,
    #[command(flatten)]
    password: PasswordArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Source of the password; a link by default.
#[derive(Debug, Args)]
pub(crate) struct PasswordArguments {
    /// Read the password from standard input (one line)
    #[arg(long)]
    password_stdin: bool,
    /// Create no link: the user cannot sign in yet
    #[arg(long, conflicts_with = "password_stdin")]
    no_password: bool,
}

impl PasswordArguments {
    fn chosen(&self) -> anyhow::Result<PasswordSource> {
        Ok(match self {
            Self { password_stdin: true, .. } => PasswordSource::Stdin(password::read_password()?),
            Self { no_password: true, .. } => PasswordSource::Later,
            Self { .. } => PasswordSource::ByLink,
        })
    }
}

/// Password reset of a user.
#[derive(Debug, Args)]
pub(crate) struct ResetPasswordArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    user: UserRef,
    /// Read the new password from standard input (one line) instead of creating a link
    #[arg(long)]
    password_stdin: bool,
    /// Also end the current password, all passkeys and sign-ins, if somebody knew the password
    #[arg(long)]
    remove_passkeys: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A user.
#[derive(Debug, Args)]
pub(crate) struct OneArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    pub(super) user: UserRef,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// Changes to a user.
#[derive(Debug, Args)]
pub(crate) struct UpdateArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    user: UserRef,
    /// New email address
    #[arg(long, value_parser = Email::parse, allow_hyphen_values = true)]
    email: Option<Email>,
    /// New IANA time zone
    #[arg(long, value_name = "TZ", value_parser = TimeZone::parse)]
    timezone: Option<TimeZone>,
    #[command(flatten)]
    biology: BiologyArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// User to erase.
#[derive(Debug, Args)]
pub(crate) struct EraseArguments {
    /// User id or email address
    #[arg(value_name = "USER", value_parser = UserRef::parse)]
    user: UserRef,
    /// Confirm the operation
    #[arg(long)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs a command about users.
pub(crate) async fn run(command: UserCommand, services: &Services) -> anyhow::Result<()> {
    match command {
        UserCommand::Create(arguments) => create(services, arguments).await,
        UserCommand::ResetPassword(arguments) => reset_password(services, &arguments).await,
        UserCommand::SecondFactor(command) => second_factor::run(command, services).await,
        UserCommand::List(arguments) => list(services, arguments.json).await,
        UserCommand::Show(arguments) => show(services, &arguments).await,
        UserCommand::Update(arguments) => update(services, arguments).await,
        UserCommand::Lock(arguments) => lock(services, &arguments, true).await,
        UserCommand::Unlock(arguments) => lock(services, &arguments, false).await,
        UserCommand::Erase(arguments) => erase(services, &arguments).await,
    }
}

fn service(services: &Services) -> Users {
    Users { store: services.audited(), reader: services.store.profiles.clone() }
}

async fn create(services: &Services, arguments: CreateArguments) -> anyhow::Result<()> {
    let CreateArguments { email, timezone, user_id, biology, password, json } = arguments;
    let chosen = password.chosen()?;
    password::check(services, &chosen, &email).context("the user was not created")?;
    let new = NewUser { id: user_id, email, home_timezone: timezone, biology: biology.biology() };
    let user = service(services).create(new).await.context("the user was not created")?;
    let record = Record::new().with_text("user_id", user.id);
    let record = password::set_or_send_link(services, user.id, chosen, record).await?;
    Ok(output::print(&record, json)?)
}

async fn reset_password(services: &Services, arguments: &ResetPasswordArguments) -> anyhow::Result<()> {
    let user_id = arguments.user.id(services).await?;
    let chosen = match (arguments.password_stdin, arguments.remove_passkeys) {
        (true, _) => PasswordSource::Stdin(password::read_password()?),
        (false, true) => PasswordSource::OnlyByLink,
        (false, false) => PasswordSource::ByLink,
    };
    let record = Record::new().with_text("user_id", user_id);
    let record = password::set_or_send_link(services, user_id, chosen, record).await?;
    // After the new password: the old one could add another passkey.
    let record = if arguments.password_stdin && arguments.remove_passkeys {
        credentials::remove_passkeys(services, user_id, record).await?
    } else {
        record
    };
    let account = ExposedAccount { user_id, is_password_known: !arguments.password_stdin };
    let record = credentials::with_remaining(services, account, record).await?;
    Ok(output::print(&record, arguments.json)?)
}

async fn list(services: &Services, json: bool) -> anyhow::Result<()> {
    let mut records = Vec::new();
    let mut after = None;
    loop {
        let users = services.store.profiles.list_profiles(after, PAGE).await?;
        let Some(last) = users.last() else { break };
        after = Some(last.id);
        records.extend(users.iter().filter(|user| !user.email.is_sandbox()).map(summary));
    }
    Ok(output::print_list(&records, "users", json)?)
}

async fn show(services: &Services, arguments: &OneArguments) -> anyhow::Result<()> {
    let user_id = arguments.user.id(services).await?;
    let user = service(services).show(user_id).await?;
    let user = user.with_context(|| format!("there is no user {user_id}; see `restwell user list`"))?;
    Ok(output::print(&details(&user), arguments.json)?)
}

async fn update(services: &Services, arguments: UpdateArguments) -> anyhow::Result<()> {
    let UpdateArguments { user, email, timezone, biology, json } = arguments;
    let change = UserChange { email, home_timezone: timezone, biology: biology.biology(), locked: None };
    if change.email.is_none() && change.home_timezone.is_none() && biology.is_empty() {
        bail!("nothing to change; see `restwell user update --help`");
    }
    let user_id = user.id(services).await?;
    apply(services, user_id, change).await?;
    // By id, because the update may have changed the email address.
    show(services, &OneArguments { user: UserRef::Id(user_id), json }).await
}

async fn lock(services: &Services, arguments: &OneArguments, locked: bool) -> anyhow::Result<()> {
    let change = UserChange { locked: Some(locked), ..UserChange::default() };
    let user = apply(services, arguments.user.id(services).await?, change).await?;
    let record = Record::new().with_text("user_id", user.id).with("status", status(&user));
    Ok(output::print(&record, arguments.json)?)
}

async fn apply(services: &Services, id: UserId, change: UserChange) -> anyhow::Result<User> {
    let user = service(services).change(id, change).await;
    user.with_context(|| format!("user {id} was not changed"))
}

async fn erase(services: &Services, arguments: &EraseArguments) -> anyhow::Result<()> {
    let EraseArguments { user, yes, json } = arguments;
    let user_id = user.id(services).await?;
    if !yes {
        bail!(
            "this erases {user_id} with all sleep sessions, logs and grants and cannot be undone; add --yes to confirm"
        );
    }
    let erased = Erasures { store: services.audited() }.erase(Eraser::Operator(user_id)).await;
    match erased {
        Ok(Erasure { id, at }) => {
            let record = Record::new().with_text("erasure_id", id).with("erased_at", format::utc(at));
            Ok(output::print(&record, *json)?)
        }
        Err(ErasureError::NotFound) => {
            bail!("there is no user {user_id}; see `restwell user list`")
        }
        Err(error) => Err(error.into()),
    }
}

fn summary(user: &User) -> Record {
    Record::new()
        .with_text("user_id", user.id)
        .with("email", user.email.as_str())
        .with("home_timezone", user.home_timezone.name())
        .with("status", status(user))
        .with("created_at", format::utc(user.created_at))
}

const fn status(user: &User) -> &'static str {
    match user.status {
        UserStatus::Active => "active",
        UserStatus::Locked { .. } => "locked",
    }
}

fn details(user: &User) -> Record {
    let locked_at = match user.status {
        UserStatus::Active => Value::Null,
        UserStatus::Locked { at } => format::utc(at).into(),
    };
    let is_listed =
        |field: &ProfileField| !matches!(field, ProfileField::CreatedAt | ProfileField::HomeTimezone);
    ProfileField::ALL.into_iter().filter(is_listed).fold(
        summary(user).with("locked_at", locked_at),
        |record, field| {
            // Numbers and booleans are written as such, as in the API.
            let value = field.read(user).text();
            let value = value.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
            record.with(field.as_str(), value)
        },
    )
}
