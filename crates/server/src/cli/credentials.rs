//! What still opens an account, or reads its data, after a command that ends something else.

use super::output::{self, Record};
use crate::wiring::Services;
use anyhow::Context;
use domain::id::UserId;

/// An account that a stranger may have entered.
pub(super) struct ExposedAccount {
    pub(super) user_id: UserId,
    /// Whether the stranger may know the current password.
    pub(super) is_password_known: bool,
}

/// Removes all passkeys of a user, and adds their number to a record.
pub(super) async fn remove_passkeys(
    services: &Services,
    user_id: UserId,
    record: Record,
) -> anyhow::Result<Record> {
    let passkeys = services.passkeys(None, services.queue_mail().await?);
    let removed = passkeys.remove_all(user_id).await.context("no passkey was removed")?;
    Ok(record.with("passkeys_removed", removed))
}

/// Adds what a stranger could have added, or may know, and that stays, and names the commands that end it.
pub(super) async fn with_remaining(
    services: &Services,
    account: ExposedAccount,
    record: Record,
) -> anyhow::Result<Record> {
    let ExposedAccount { user_id, is_password_known } = account;
    let store = &services.store;
    let passkeys = store.passkeys.list_passkeys(user_id).await?.len();
    let has_app = store.second_factors.find_second_factor(user_id).await?.is_some();
    let now = services.clock.now();
    let tokens = store.personal_tokens.list_personal_tokens(user_id).await?;
    let tokens = tokens.iter().filter(|token| token.is_live(now)).count();
    let apps = store.connected_apps.list_connected_apps(user_id).await?.len();
    let clients = store.clients.list_own_clients(user_id).await?;
    let mut webhooks = 0;
    for client in &clients {
        webhooks += store.webhooks.list_endpoints(Some(client.id)).await?.len();
    }
    let registered = clients.len();
    let mut unit = store.units.begin().await?;
    let has_password = is_password_known && unit.passwords().find(user_id).await?.is_some();
    unit.rollback().await?;
    let browsers = services.sessions().list(user_id).await?.len();
    let ways = [
        (usize::from(has_password), "current password: restwell user reset-password --remove-passkeys"),
        (browsers, "signed-in browsers, until the link is used: --remove-passkeys"),
        (passkeys, "passkeys: --remove-passkeys"),
        (usize::from(has_app), "second factor: restwell user second-factor reset"),
        (tokens, "personal tokens: restwell token revoke --user"),
        (apps, "connected apps: restwell grant revoke --user"),
        (registered, "registered apps, with their webhooks: restwell client disable"),
    ];
    let ways: Vec<_> = ways.iter().filter(|(count, _)| *count > 0).map(|(_, way)| *way).collect();
    if !ways.is_empty() {
        output::note(format!("These stay valid. To end them:\n  {}", ways.join("\n  ")));
    }
    Ok(record
        .with("has_password", has_password)
        .with("sessions", browsers)
        .with("passkeys", passkeys)
        .with("second_factor", has_app)
        .with("personal_tokens", tokens)
        .with("connected_apps", apps)
        .with("registered_apps", registered)
        .with("webhooks", webhooks))
}
