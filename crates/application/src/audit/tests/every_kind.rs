use domain::audit::AuditKind;

/// Source of the use case that writes each kind of event. A new kind does not compile without an entry.
#[expect(clippy::too_many_lines, reason = "one arm for each kind")]
const fn writer(kind: AuditKind) -> &'static str {
    match kind {
        AuditKind::UserCreated => include_str!("../../operator/create_user.rs"),
        AuditKind::UserChanged | AuditKind::UserLocked | AuditKind::UserUnlocked => {
            include_str!("../../operator/change_user.rs")
        }
        AuditKind::ProfileImported => include_str!("../../import/batch_writer.rs"),
        AuditKind::UserErased => include_str!("../../erasure/erase_person.rs"),
        AuditKind::SignedIn => include_str!("../../account/open_session.rs"),
        AuditKind::SecondFactorTurnedOn => include_str!("../../second_factor/set_up.rs"),
        AuditKind::SecondFactorTurnedOff | AuditKind::RecoveryCodesCreated => {
            include_str!("../../second_factor/mod.rs")
        }
        AuditKind::SecondFactorRefused | AuditKind::SecondFactorLimited => {
            include_str!("../../account/second_step.rs")
        }
        AuditKind::RecoveryCodeUsed => include_str!("../../account/complete_sign_in.rs"),
        AuditKind::SignInRefused | AuditKind::SignInLimited => {
            include_str!("../../account/password_check.rs")
        }
        AuditKind::SignedOut | AuditKind::SignedOutEverywhere => include_str!("../../account/sessions.rs"),
        AuditKind::PasswordLinkIssued => include_str!("../../account/issue_password_link.rs"),
        AuditKind::PasswordSet => include_str!("../../account/change_password.rs"),
        AuditKind::EmailChangeRequested => include_str!("../../account/request_email_change.rs"),
        AuditKind::EmailChanged => include_str!("../../account/confirm_email_change.rs"),
        AuditKind::PasskeyAdded => include_str!("../../passkey/ceremony.rs"),
        AuditKind::PasskeyRenamed => include_str!("../../passkey/mod.rs"),
        AuditKind::PasskeyRemoved => include_str!("../../passkey/removal.rs"),
        AuditKind::PasskeyRefused | AuditKind::PasskeyCounterReversed => {
            include_str!("../../passkey/sign_in.rs")
        }
        AuditKind::ClientCreated => include_str!("../../operator/create_client.rs"),
        AuditKind::ClientChanged | AuditKind::ClientDisabled | AuditKind::ClientEnabled => {
            include_str!("../../operator/change_client.rs")
        }
        AuditKind::WebhookCreated
        | AuditKind::WebhookSecretRotated
        | AuditKind::WebhookTested
        | AuditKind::WebhookReplayed
        | AuditKind::WebhookDeleted => include_str!("../../webhook/endpoints.rs"),
        AuditKind::WebhookDisabled => include_str!("../../webhook/deliver_events.rs"),
        AuditKind::ClientSecretRotated => include_str!("../../operator/rotate_client_secret.rs"),
        AuditKind::ClientSecretExposed => include_str!("../../token/authenticate_client.rs"),
        AuditKind::AppRegistered => include_str!("../../developer/register_app.rs"),
        AuditKind::AppChanged => include_str!("../../developer/change_app.rs"),
        AuditKind::AppDeleted => include_str!("../../developer/delete_app.rs"),
        AuditKind::AppApproved => include_str!("../../developer/approve_client.rs"),
        AuditKind::ClientSecretRetired => include_str!("../../developer/app_secret.rs"),
        AuditKind::ConsentGiven | AuditKind::ConsentDenied => {
            include_str!("../../authorization/decide_consent.rs")
        }
        AuditKind::CodeIssued => include_str!("../../authorization/code.rs"),
        AuditKind::CodeReplayed => include_str!("../../token/redeem_code.rs"),
        AuditKind::GrantCreated => include_str!("../../token/new_grant.rs"),
        AuditKind::GrantRevoked => include_str!("../../connection/disconnect_apps.rs"),
        AuditKind::RefreshTokenReused | AuditKind::RefreshTokenMisused => {
            include_str!("../../token/refresh_access.rs")
        }
        AuditKind::ServiceTokenIssued => include_str!("../../token/issue_service_token.rs"),
        AuditKind::PersonalTokenCreated | AuditKind::PersonalTokenRevoked => {
            include_str!("../../personal_token/mod.rs")
        }
        AuditKind::ProfileShown => include_str!("../../operator/show_user.rs"),
        AuditKind::DataExported => include_str!("../../export/export_records.rs"),
        AuditKind::ImportStarted => include_str!("../../import/import_records.rs"),
        AuditKind::ImportUndone => include_str!("../../import/undo_import.rs"),
        AuditKind::SleepWritten | AuditKind::IntakeLogsWritten | AuditKind::LabelsWritten => {
            include_str!("../../import/batch_writer.rs")
        }
        AuditKind::SleepDeleted => include_str!("../../night/mod.rs"),
        AuditKind::IntakeLogDeleted => include_str!("../../intake/mod.rs"),
        AuditKind::KeyCreated => include_str!("../../key/ensure_signing_key.rs"),
        AuditKind::KeyRetired => include_str!("../../key/retire_signing_key.rs"),
        AuditKind::EverythingInvalidated => include_str!("../../operator/invalidate_everything.rs"),
    }
}

#[test]
fn every_kind_of_event_is_written_by_a_use_case() {
    for kind in AuditKind::ALL {
        assert!(writer(kind).contains(&format!("AuditKind::{kind:?}")), "nothing writes {}", kind.as_str());
    }
}
