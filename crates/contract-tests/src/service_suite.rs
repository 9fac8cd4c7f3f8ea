//! Cases of the services of `application` on a store.

suite! {
    $ service_cases service_contract_tests
    passkey_form {
        rejected_forms_about_passkeys_open_no_connection,
        only_the_owner_changes_a_passkey_and_a_name_ends_no_session,
        a_removal_of_a_passkey_ends_other_sign_ins_and_is_recorded,
        an_address_cannot_store_more_challenges_than_the_limit,
    }
    client_form {
        rejected_registrations_of_apps_open_no_connection, rejected_forms_about_apps_open_no_connection,
        rejected_commands_about_clients_open_no_connection,
    }
    import_form {
        rejected_forms_about_imports_open_no_connection, rejected_uploads_open_no_connection,
        an_upload_begins_unless_too_many_are_open,
        parts_are_accepted_in_order_up_to_their_size_and_the_limits, uploads_of_all_people_share_the_room,
        a_complete_upload_waits_with_its_options, an_upload_that_ended_three_servers_is_not_read_by_a_fourth,
    }
    second_factor_form {
        rejected_forms_about_second_factors_open_no_connection,
        turning_a_second_factor_on_leaves_one_new_session,
        new_codes_and_turning_a_factor_off_end_other_sign_ins,
        the_operators_reset_ends_every_session_and_link,
    }
    grant_form {
        a_revocation_that_matches_nothing_opens_no_connection,
        a_disconnected_app_has_no_access_no_consent_and_no_code,
        a_consent_that_ends_without_a_grant_is_recorded,
        the_operator_revokes_what_the_filter_names_with_its_consents,
        codes_and_consents_without_a_grant_are_revoked_by_the_operator,
    }
    demo {
        the_first_run_stores_a_person_with_records,
        each_run_creates_a_secret_of_each_kind_and_keeps_the_earlier_ones,
        no_run_leaves_more_grants_than_an_app_may_have,
        without_a_date_the_data_ends_now_with_the_last_uploaded_night, a_catalogue_that_has_a_label_keeps_it,
        what_the_operator_locked_or_disabled_stays_so,
    }
    consent_form {
        rejected_consents_store_nothing_and_open_no_connection,
        a_decision_needs_a_request_that_was_shown_and_known_scopes,
        a_full_draft_admits_no_one_else_and_stores_nothing,
        only_scopes_that_are_ticked_asked_for_and_allowed_are_granted,
        a_denial_is_returned_to_the_app_and_ends_its_consent, a_whole_consent_to_a_reviewed_app_is_remembered,
    }
    consent_page {
        the_page_shows_the_app_and_what_it_asks_for_and_has,
        the_page_may_need_a_decision_despite_a_remembered_consent,
        a_request_of_nobody_is_bound_to_a_later_sign_in, a_remembered_consent_decides_the_request,
        only_the_browser_of_an_open_request_gets_the_waiting_app,
    }
    client_command {
        a_new_client_is_active_and_its_secret_is_stored_as_a_hash,
        changing_and_disabling_are_separate_events_and_no_change_is_none,
        the_newest_secret_stays_for_the_overlap_and_older_ones_end,
        an_approval_opens_a_draft_and_clears_the_list_of_its_users,
        an_approval_also_approves_the_endpoints_that_were_reviewed,
    }
    client_app {
        an_app_is_registered_as_a_draft_of_its_owner,
        names_like_those_of_drafts_and_of_the_developers_apps_are_free,
        an_approved_app_is_a_draft_again_if_what_was_reviewed_changes,
        only_a_name_from_the_operator_may_imitate_the_server,
        a_developer_rotates_secrets_and_deletes_the_app,
        only_its_owner_sees_an_app_with_its_secrets_and_its_use,
    }
    credential {
        everything_of_before_is_invalidated_counted_and_reported,
        an_invalidation_that_stopped_anywhere_is_finished_by_the_next,
        a_rejected_invalidation_changes_nothing_and_young_keys_stay,
    }
    signing_key_form {
        a_key_is_created_if_none_is_active, a_routine_rotation_adds_a_key_and_retires_none,
        an_emergency_retires_every_active_key, a_key_is_retired_while_another_is_active_and_keeps_its_date,
        the_list_shows_which_key_signs_and_which_only_verify,
    }
    profile_form { a_changed_field_is_stored_with_its_source_and_recorded, }
    erasure_form {
        rejected_erasures_open_no_connection, an_erasure_leaves_an_anonymous_event_and_a_receipt,
    }
    session_form {
        a_cookie_shows_who_is_signed_in_and_whether_that_is_fresh,
        ended_sessions_locked_accounts_and_unknown_cookies_are_not_signed_in,
        the_use_of_a_session_is_recorded_once_a_minute, only_live_sessions_are_listed,
        a_person_signs_out_of_one_browser_or_of_all_others,
        the_operator_signs_a_person_out_of_every_browser,
    }
    sign_in {
        the_right_password_opens_a_session_with_a_new_cookie,
        a_sign_in_ends_the_previous_session_of_its_browser,
        a_weak_hash_is_replaced_with_the_sign_in_if_it_can_be,
        a_password_opens_no_session_if_a_second_step_is_due,
    }
    password_link_form {
        the_operators_link_replaces_all_and_is_stored_as_a_hash,
        with_email_the_person_is_sent_the_operators_link_and_its_purpose,
        a_link_as_the_only_way_ends_password_passkeys_and_sign_ins,
        a_usable_link_is_found_with_its_purpose_and_address,
        another_address_is_sent_a_link_and_the_current_one_a_notice,
    }
    password_change {
        a_new_password_ends_all_sign_ins_and_opens_one_new_session,
        apps_tokens_and_consents_end_with_a_password_if_chosen_so,
        a_bad_new_password_is_reported_before_the_current_one_is_checked,
        a_password_is_not_changed_by_a_stranger_or_a_busy_server,
        a_link_sets_the_password_and_ends_all_sign_ins, a_rejected_choice_hashes_nothing_and_leaves_the_link,
        a_link_to_sign_up_creates_the_account_and_signs_its_owner_in,
        an_address_taken_in_the_meantime_uses_the_link_up,
        a_password_set_by_the_operator_ends_all_sign_ins,
    }
    password_limit {
        a_new_password_resets_the_failure_counters_of_the_account,
        guesses_of_the_current_password_are_limited_like_sign_ins,
        a_password_that_changes_while_it_is_hashed_is_not_replaced,
    }
    sign_in_form { rejected_passwords_open_no_connection, rejected_second_steps_open_no_connection, }
    password_form {
        rejected_links_open_no_connection, rejected_confirmations_of_an_address_open_no_connection,
        rejected_changes_of_a_password_open_no_connection, rejected_choices_of_a_password_open_no_connection,
    }
    user_form {
        rejected_commands_about_users_open_no_connection, a_new_person_is_active_and_recorded,
        changes_and_locks_are_separate_events_and_no_change_is_none,
        a_lock_ends_all_sign_ins_and_another_address_the_links,
        a_person_who_is_shown_to_the_operator_leaves_an_event,
    }
    token_form {
        rejected_codes_stay_valid_and_open_no_connection,
        a_reused_refresh_token_stays_revoked_and_opens_no_connection,
    }
    code_form { rejected_codes_are_not_issued_and_open_no_connection, }
    rejection {
        a_unit_of_work_dropped_in_any_state_opens_no_connection,
        rejected_changes_of_records_open_no_connection,
    }
    personal_token_form {
        rejected_tokens_are_not_created_and_open_no_connection,
        a_person_has_at_most_a_hundred_live_tokens_and_one_for_each_form,
        a_created_token_is_stored_as_a_hash_and_recorded, revoked_tokens_are_recorded_and_listed_as_such,
    }
    webhook_form {
        rejected_commands_about_webhooks_open_no_connection, rejected_forms_about_webhooks_open_no_connection,
        changes_of_endpoints_are_recorded, a_test_is_an_event_if_the_endpoint_is_active_and_else_a_challenge,
        a_replay_starts_from_the_earliest_delivery_in_the_period,
        what_is_sent_is_limited_per_endpoint_developer_and_host,
    }
}
