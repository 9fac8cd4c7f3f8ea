use domain::audit::AuditKind;

/// Source of the use case that writes each kind of event. A new kind does not compile without an entry.
#[expect(clippy::too_many_lines, reason = "one arm for each kind")]
const fn writer(kind: AuditKind) -> &'static str {
    match kind {
        AuditKind::UserCreated
        | AuditKind::UserChanged
        | AuditKind::UserLocked
        | AuditKind::UserUnlocked
        | AuditKind::ProfileShown => include_str!("../../user/mod.rs"),
        AuditKind::ProfileImported => include_str!("../../import/batch_writer.rs"),
        AuditKind::UserErased => include_str!("../../erasure/mod.rs"),
        AuditKind::SignedIn => include_str!("../../session/open_session.rs"),
        AuditKind::SecondFactorTurnedOn => include_str!("../../second_factor/set_up.rs"),
        AuditKind::SecondFactorTurnedOff | AuditKind::RecoveryCodesCreated => {
            include_str!("../../second_factor/mod.rs")
        }
        AuditKind::SecondFactorRejected | AuditKind::SecondFactorLimited | AuditKind::RecoveryCodeUsed => {
            include_str!("../../account/second_step.rs")
        }
        AuditKind::SignInRefused | AuditKind::SignInLimited => {
            include_str!("../../account/password_check.rs")
        }
        AuditKind::SignedOut | AuditKind::SignedOutEverywhere => include_str!("../../session/sessions.rs"),
        AuditKind::PasswordLinkIssued => include_str!("../../account/password_link/mod.rs"),
        AuditKind::PasswordSet => include_str!("../../account/password/change.rs"),
        AuditKind::EmailChangeRequested | AuditKind::EmailChanged => {
            include_str!("../../account/password_link/email_change.rs")
        }
        AuditKind::PasskeyAdded => include_str!("../../passkey/ceremony.rs"),
        AuditKind::PasskeyRenamed => include_str!("../../passkey/mod.rs"),
        AuditKind::PasskeyRemoved => include_str!("../../passkey/removal.rs"),
        AuditKind::PasskeyRefused | AuditKind::PasskeyCounterReversed => {
            include_str!("../../passkey/sign_in.rs")
        }
        AuditKind::ClientCreated | AuditKind::AppRegistered => include_str!("../../client/registration.rs"),
        AuditKind::ClientChanged
        | AuditKind::ClientDisabled
        | AuditKind::ClientEnabled
        | AuditKind::AppChanged
        | AuditKind::AppDeleted
        | AuditKind::AppApproved => include_str!("../../client/change.rs"),
        AuditKind::WebhookCreated
        | AuditKind::WebhookSecretRotated
        | AuditKind::WebhookTested
        | AuditKind::WebhookReplayed
        | AuditKind::WebhookDeleted => include_str!("../../webhook/endpoints.rs"),
        AuditKind::WebhookDisabled => include_str!("../../webhook/deliver_events.rs"),
        AuditKind::ClientSecretRotated | AuditKind::ClientSecretRetired => {
            include_str!("../../client/secrets.rs")
        }
        AuditKind::ClientSecretExposed => include_str!("../../token/client_authentication.rs"),
        AuditKind::ConsentGiven | AuditKind::ConsentDenied => include_str!("../../authorization/decide.rs"),
        AuditKind::CodeIssued => include_str!("../../authorization/code.rs"),
        AuditKind::CodeReplayed => include_str!("../../token/redemption.rs"),
        AuditKind::GrantCreated => include_str!("../../token/new_grant.rs"),
        AuditKind::GrantRevoked => include_str!("../../grant/mod.rs"),
        AuditKind::RefreshTokenReused | AuditKind::RefreshTokenMisused => {
            include_str!("../../token/refresh.rs")
        }
        AuditKind::ServiceTokenIssued => include_str!("../../token/mod.rs"),
        AuditKind::PersonalTokenCreated | AuditKind::PersonalTokenRevoked => {
            include_str!("../../personal_token/mod.rs")
        }
        AuditKind::DataExported => include_str!("../../export/export_records.rs"),
        AuditKind::ImportStarted => include_str!("../../import/import_records.rs"),
        AuditKind::ImportUndone => include_str!("../../import/undo_import.rs"),
        AuditKind::SleepWritten | AuditKind::IntakeLogsWritten | AuditKind::LabelsWritten => {
            include_str!("../../import/batch_writer.rs")
        }
        AuditKind::SleepDeleted => include_str!("../../night/mod.rs"),
        AuditKind::IntakeLogDeleted => include_str!("../../intake/mod.rs"),
        AuditKind::KeyCreated | AuditKind::KeyRetired => include_str!("../../key/mod.rs"),
        AuditKind::EverythingInvalidated => include_str!("../../credential/mod.rs"),
    }
}

#[test]
fn every_kind_of_event_is_written_by_a_use_case() {
    for kind in AuditKind::ALL {
        assert!(writer(kind).contains(&format!("AuditKind::{kind:?}")), "nothing writes {}", kind.as_str());
    }
}
