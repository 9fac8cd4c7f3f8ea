//! Cases of the stores.

suite! {
    $ cases contract_tests
    unit_of_work {
        readers_see_committed_rows, a_unit_of_work_sees_its_own_writes_and_readers_do_not,
        a_dropped_unit_of_work_stores_nothing_and_lets_the_next_one_write,
        a_rolled_back_unit_of_work_stores_nothing, a_conflict_leaves_the_unit_of_work_usable,
        a_conflict_among_several_rows_stores_none_of_them,
        an_aborted_task_leaves_neither_rows_nor_an_open_transaction,
        units_of_work_that_wait_for_each_other_all_commit,
    }
    transaction {
        a_transaction_of_work_that_succeeds_is_committed,
        a_transaction_of_work_that_fails_stores_nothing_and_opens_no_connection,
        a_cancelled_transaction_stores_nothing_and_lets_the_next_one_write,
    }
    erasure_race {
        a_person_is_erased_while_an_upload_arrives, a_person_is_erased_while_three_uploads_arrive,
        a_person_is_erased_during_twenty_first_refreshes, a_person_is_erased_while_a_custom_product_changes,
        a_person_is_erased_while_an_import_runs_and_reads_are_counted,
    }
    reader {
        readers_respond_while_a_unit_of_work_has_uncommitted_writes,
        a_link_comes_with_the_account_that_it_is_for,
    }
    user {
        a_person_reads_back_as_stored, every_value_of_every_kind_reads_back, an_unknown_person_is_absent,
        an_address_is_found_whatever_its_case, a_taken_id_is_a_conflict,
        a_taken_address_is_a_conflict_whatever_its_case, an_update_overwrites_everything,
        updating_an_unknown_person_is_reported,
        an_update_to_a_taken_address_is_a_conflict_and_changes_nothing,
        people_are_listed_by_ascending_id_in_pages,
        deleting_a_person_deletes_everything_stored_under_them_and_nothing_else,
        deleting_an_unknown_person_is_reported,
        the_sources_of_values_are_stored_per_field_and_deleted_with_the_person,
        a_deleted_address_is_free_again, racing_changes_of_different_values_are_all_kept,
    }
    sandbox {
        a_sandbox_person_of_each_story_reads_back, a_real_person_is_not_a_sandbox_person,
        the_last_day_with_records_is_stored_for_one_person,
        sandbox_people_are_listed_by_ascending_id_for_everyone_or_for_an_owner,
        an_erased_sandbox_person_is_gone, rejected_forms_about_sandbox_people_open_no_connection,
        a_person_of_each_story_is_created_with_their_records, the_days_since_the_last_run_are_added_once,
        only_people_of_the_owner_are_erased_together,
    }
    client {
        a_client_reads_back_as_stored, a_public_app_reads_back_without_secrets, an_unknown_client_is_absent,
        a_taken_id_is_a_conflict_and_changes_nothing, an_update_overwrites_everything_but_the_secrets,
        updating_an_unknown_client_is_reported, clients_are_listed_by_ascending_id_in_pages,
        secrets_are_listed_oldest_first, an_expired_secret_keeps_its_end,
        only_the_clients_own_secret_can_be_expired, racing_changes_of_different_values_are_all_kept,
        racing_rotations_leave_two_live_secrets_at_most,
    }
    metadata_client {
        unused_clients_are_deleted_after_their_document_expired, a_disabled_or_registered_client_is_kept,
    }
    client_usage {
        usage_is_listed_by_client_latest_day_first,
        sums_of_one_key_are_added_and_the_fewest_left_requests_win, the_latest_rejection_of_a_key_is_stored,
        no_count_is_lost_by_racing_servers, usage_of_old_days_is_deleted_up_to_the_limit,
    }
    draft_user {
        own_clients_read_back_and_are_listed_oldest_first,
        a_draft_admits_people_up_to_the_limit_and_keeps_them,
        a_draft_admits_exactly_the_limit_of_concurrent_people, an_erased_person_and_a_cleared_list_make_room,
        a_draft_is_erased_with_its_owner_and_an_approved_client_loses_them,
        a_client_is_deleted_with_its_grants_and_codes, live_grants_of_a_client_are_counted_up_to_the_limit,
    }
    code {
        a_code_reads_back_as_stored, an_unknown_code_is_absent, a_taken_hash_is_a_conflict,
        a_locked_code_is_returned_with_the_state_of_its_person,
        a_code_is_redeemed_once_with_its_grant_and_event, a_code_is_redeemed_until_just_before_its_end,
        an_unknown_code_is_not_redeemed, a_redemption_counts_the_live_grants_of_its_client_and_person,
        a_redemption_whose_grant_or_token_is_taken_is_a_conflict,
        exactly_one_of_fifty_concurrent_tasks_redeems_a_code, a_loser_waits_for_the_winner_to_commit,
        a_rolled_back_winner_leaves_the_code_to_the_next,
        codes_that_were_issued_before_and_never_redeemed_are_discarded,
        codes_that_ended_are_deleted_up_to_the_limit,
    }
    grant {
        grants_that_were_revoked_long_ago_are_deleted_up_to_the_limit, a_grant_reads_back_as_stored,
        a_taken_id_is_a_conflict, a_taken_refresh_token_is_a_conflict,
        a_taken_refresh_token_is_a_conflict_for_any_grant,
        a_refresh_token_is_free_again_with_its_grant_or_its_person,
        a_refresh_token_finds_its_grant_whatever_person_is_named,
        a_refresh_token_reads_back_with_the_account_state, an_unknown_refresh_token_is_absent,
        grants_are_listed_by_filter_and_ascending_id_in_pages, a_later_use_wins_with_its_address,
        grants_made_before_a_moment_are_listed_and_revoked,
        grants_made_before_a_moment_are_revoked_of_a_range_of_people,
        revoking_counts_the_live_grants_that_match, a_revoked_grant_keeps_its_first_reason,
        the_least_recently_used_grants_are_revoked_beyond_the_number_to_keep,
        excess_is_counted_for_one_client_and_person,
    }
    access {
        a_live_grant_gives_access_with_its_client_scopes_and_zone, a_grant_of_another_person_gives_no_access,
        a_revoked_grant_gives_no_access, a_disabled_client_gives_no_access, a_locked_person_gives_no_access,
        a_personal_token_gives_access_with_its_person_scopes_end_and_zone,
        a_personal_token_without_an_end_has_none, an_unknown_personal_token_gives_no_access,
        a_revoked_personal_token_gives_no_access, a_personal_token_of_a_locked_person_gives_no_access,
    }
    failure_counter {
        failures_are_counted_for_each_key_in_the_order_of_the_keys,
        a_window_begins_with_the_first_failure_and_ends, racing_failures_are_all_counted,
        a_failure_is_uncounted_in_its_own_window_and_never_below_zero,
        a_failure_counted_after_a_later_one_can_be_uncounted,
        concurrent_failures_that_are_uncounted_leave_no_count, deleted_counters_restart_and_others_stay,
        counters_whose_window_began_long_ago_are_deleted_up_to_the_limit,
    }
    job_lease {
        one_of_many_processes_takes_a_job, a_job_whose_lease_is_not_renewed_is_taken_over,
        a_finished_job_is_leased_again_when_it_is_due, the_clock_of_the_store_advances,
    }
    signing_key {
        keys_read_back_as_stored_oldest_first, the_first_key_is_stored_once,
        exactly_one_of_several_tasks_stores_the_first_key,
        a_first_key_can_be_stored_again_after_all_are_retired, a_taken_id_is_a_conflict,
        an_active_key_is_retired_once, a_list_for_update_includes_the_changes_of_its_unit_of_work,
        of_tasks_that_each_retire_all_but_one_the_last_leaves_one,
        keys_that_were_retired_long_ago_are_deleted_up_to_the_limit,
        an_unknown_key_and_the_last_active_one_are_not_retired,
    }
    sleep {
        a_session_reads_back_as_stored, a_taken_id_is_a_conflict,
        a_taken_key_is_a_conflict_with_and_without_a_source, keys_differ_by_person_source_kind_case_and_blank,
        candidates_include_sessions_with_the_source_and_key_of_a_record,
        candidates_include_overlapping_sessions_of_the_same_source,
        candidates_include_only_those_overlapping_logs_that_may_match,
        candidates_of_many_records_are_returned_once, candidates_of_overlapping_records_are_returned_once,
        only_the_persons_own_sessions_are_found_by_id, a_reader_finds_only_the_persons_own_session,
        an_update_overwrites_everything_and_moves_the_start, updating_an_unknown_session_is_reported,
        an_update_to_a_taken_key_is_a_conflict_and_changes_nothing,
        deleting_counts_the_sessions_that_the_person_had, a_deleted_key_is_free_within_the_same_unit_of_work,
        a_walk_returns_whole_sessions_oldest_first,
    }
    sleep_page {
        pages_contain_every_session_once_in_either_direction, a_page_past_the_end_is_empty,
        a_range_holds_both_of_its_ends, a_later_page_stays_within_the_range,
        a_row_contains_only_the_requested_stored_data, a_page_that_races_a_writer_is_of_one_snapshot,
    }
    supplement {
        a_label_reads_back_as_stored, an_unknown_label_is_absent, keys_differ_by_source_and_case,
        a_taken_id_or_key_is_a_conflict, many_labels_are_stored_and_found_at_once,
        many_labels_of_which_one_is_taken_are_all_rejected, an_update_overwrites_label_and_entry_date,
        updating_an_unknown_label_is_reported, a_new_version_becomes_current_and_the_old_one_stays,
        a_replacement_under_a_taken_id_is_a_conflict_and_changes_nothing,
        a_version_that_is_not_current_is_not_replaced, a_label_has_logs_once_any_person_has_one,
        logged_supplements_are_listed_by_id_in_every_version, a_version_reads_back_with_its_key,
        a_code_finds_the_current_label_in_any_spelling,
        every_version_with_a_code_is_listed_the_current_one_first,
        the_latest_of_several_labels_with_a_code_is_found, a_retracted_version_is_replaced_by_its_predecessor,
        a_version_that_was_logged_or_is_not_there_is_not_retracted,
        a_replaced_version_is_retracted_without_its_predecessor_coming_back,
    }
    own_product {
        an_own_product_reads_back_and_is_listed_for_its_owner_alone,
        a_code_finds_the_persons_product_before_the_catalogue_never_anothers,
        a_search_returns_labels_of_the_catalogue_alone,
        a_search_matches_the_beginning_of_each_word_in_any_order,
        names_that_begin_with_the_query_come_first_and_the_limit_holds,
        a_replaced_version_is_not_found_by_a_search, any_query_of_any_letters_is_answered,
        versions_are_listed_by_id_with_their_keys, a_log_is_found_for_its_person_alone,
        erasing_a_person_deletes_their_products_and_logs_and_nobody_elses,
    }
    supplement_page {
        records_sort_by_their_first_log_in_the_direction_then_by_id,
        the_order_of_the_two_directions_need_not_mirror, a_record_holds_label_and_logs_as_stored,
        a_start_keeps_logs_at_or_after_it_and_supplements_that_have_some,
        an_end_keeps_logs_at_or_before_it_and_supplements_that_have_some,
        a_supplement_filter_selects_only_that_supplement,
        pages_contain_every_supplement_once_in_either_direction, a_page_past_the_end_is_empty,
        a_record_carries_all_of_its_logs_whatever_the_page_size,
    }
    intake_log {
        a_log_reads_back_as_stored, only_the_persons_own_logs_are_found_by_id,
        a_taken_id_or_external_key_is_a_conflict_and_stores_none,
        logs_without_a_key_and_keys_of_other_people_never_conflict,
        candidates_include_logs_with_the_key_or_the_supplement_and_time_of_a_record,
        candidates_of_many_records_are_returned_once, an_update_overwrites_everything,
        updating_an_unknown_log_is_reported, an_update_to_a_taken_external_key_is_a_conflict,
        deleting_counts_the_logs_that_the_person_had, a_walk_returns_all_logs_oldest_first,
    }
    password {
        credentials_are_found_by_address_whatever_its_case,
        an_account_without_a_password_has_credentials_without_one, an_unknown_address_has_no_credentials,
        a_password_replaces_an_earlier_one, a_deleted_password_is_gone_and_only_it,
        a_rehash_replaces_nothing_but_the_hash_that_it_was_made_for,
        of_racing_rehashes_one_wins_and_none_undoes_a_change,
        a_password_that_was_found_stays_until_the_unit_of_work_ends,
        concurrent_changes_of_a_found_password_are_serialized,
    }
    password_link {
        links_to_sign_up_are_deleted_by_their_address_whatever_its_case,
        a_link_of_every_purpose_reads_back_as_stored, an_unknown_link_is_absent,
        a_link_is_consumed_once_expired_or_not, exactly_one_of_fifty_concurrent_tasks_consumes_a_link,
        a_rolled_back_winner_leaves_the_link_to_the_next, only_the_persons_links_are_deleted,
        links_that_ended_are_deleted_up_to_the_limit, every_link_can_be_deleted_up_to_the_limit,
    }
    pending_sign_in {
        a_pending_sign_in_is_found_by_its_cookie_with_the_address,
        exactly_one_of_several_tasks_consumes_a_pending_sign_in,
        pending_sign_ins_are_deleted_by_person_and_once_expired_up_to_the_limit,
    }
    second_factor {
        a_second_factor_reads_back_until_it_is_deleted, a_step_is_used_once_and_none_before_it_afterwards,
        a_recovery_code_is_used_once_by_its_person,
        exactly_one_of_several_tasks_uses_a_step_or_a_recovery_code,
        a_new_set_of_recovery_codes_ends_the_old_one,
    }
    rotation {
        each_newest_token_is_replaced_and_the_grant_stays_live,
        a_replaced_token_returns_its_successor_for_thirty_seconds,
        a_replaced_token_revokes_the_grant_after_thirty_one_seconds,
        a_replaced_token_revokes_the_grant_once_its_successor_was_used,
        a_token_that_the_family_never_had_revokes_the_grant,
        a_fixed_token_another_person_and_a_revoked_grant_change_nothing,
        of_racing_uses_one_replaces_the_token_and_the_others_get_its_successor,
    }
    session {
        a_cookie_finds_its_session_with_address_state_and_zone,
        a_session_reads_back_with_the_current_account_state, an_unknown_cookie_is_absent,
        a_taken_id_or_cookie_is_a_conflict, a_session_is_found_under_its_person_until_it_is_deleted,
        a_persons_sessions_are_listed_latest_sign_in_first, a_later_use_wins,
        only_the_persons_own_session_is_deleted_and_once,
        a_persons_sessions_are_deleted_but_for_the_one_that_is_kept,
        sessions_unused_or_signed_in_too_long_ago_are_deleted_up_to_the_limit,
    }
    authorization_request {
        a_request_reads_back_as_stored, an_unknown_request_is_absent_and_neither_assigned_nor_decided,
        a_request_is_assigned_to_the_first_person_only, exactly_one_of_several_people_gets_a_request,
        a_request_is_decided_once, exactly_one_of_fifty_concurrent_tasks_decides_a_request,
        a_rolled_back_decision_leaves_the_request_open_to_the_next,
        a_request_that_was_found_stays_until_the_unit_of_work_ends,
        older_requests_are_deleted_up_to_the_limit, a_persons_oldest_requests_go_beyond_the_number_to_keep,
    }
    consent {
        a_consent_reads_back_for_its_person_and_client_alone, a_consent_replaces_an_earlier_one,
        racing_consents_of_one_person_and_client_leave_one, consents_of_anybody_are_forgotten_up_to_the_limit,
        matching_consents_are_forgotten_and_counted,
    }
    passkey {
        a_passkey_reads_back_as_stored_and_is_found_by_its_credential,
        a_taken_id_or_credential_of_anybody_is_a_conflict, a_persons_passkeys_are_listed_oldest_first,
        a_use_is_recorded_if_the_counter_grew_or_there_is_none,
        only_one_of_several_uses_of_a_counter_value_is_recorded,
        only_the_persons_own_passkey_is_renamed_or_deleted, a_ceremony_can_be_used_once,
        expired_ceremonies_are_deleted_up_to_the_limit,
    }
    personal_token {
        tokens_that_were_revoked_or_ended_long_ago_are_deleted_up_to_the_limit, a_token_reads_back_as_stored,
        a_taken_id_or_hash_is_a_conflict, a_persons_tokens_are_listed_youngest_first,
        one_token_or_all_of_a_person_are_revoked_and_counted, concurrent_revocations_count_each_token_once,
        tokens_made_before_a_moment_are_revoked_of_a_range_of_people,
    }
    connected_app {
        the_live_grants_of_an_app_are_summed, an_app_without_live_grants_or_a_consent_is_not_listed,
        a_disabled_app_with_live_grants_is_listed, apps_are_listed_by_the_bytes_of_their_names_then_by_id,
        the_latest_refresh_shows_when_and_from_where, the_last_use_is_the_later_of_refresh_and_read,
        the_last_read_up_to_a_moment_is_found_of_apps_that_hold_nothing_any_more,
        a_consent_is_remembered_for_its_own_person_and_app,
        an_app_with_only_a_remembered_consent_is_listed_until_it_is_forgotten,
    }
    audit {
        an_event_is_appended_once_from_a_moment_on, no_event_is_appended_once_about_an_unknown_person,
        an_erasure_removes_events_appended_during_it, an_event_reads_back_as_appended_whatever_it_names,
        every_kind_and_actor_reads_back, an_event_is_stored_with_its_unit_of_work_or_not_at_all,
        events_are_listed_by_filter_latest_first, pages_contain_every_event_once,
        the_oldest_events_are_deleted_up_to_the_limit,
    }
    read_tally {
        a_sum_reads_back_as_added, sums_of_one_key_are_added_up_and_their_range_is_widened,
        one_open_end_leaves_the_other_as_it_is, every_part_of_the_key_keeps_sums_apart,
        racing_sums_are_all_added, read_totals_of_erased_people_are_dropped_and_the_others_kept,
        the_use_of_personal_tokens_is_noted_and_a_later_one_wins,
        read_totals_are_listed_latest_minute_first_and_once_over_all_pages,
        sums_of_minutes_long_past_are_deleted_up_to_the_limit,
    }
    change {
        an_unchanged_person_is_listed_once, changes_are_listed_in_the_order_of_their_storage,
        a_change_has_the_current_record, an_update_moves_a_record_to_the_end,
        records_of_one_statement_are_listed_by_id, changes_of_one_unit_of_work_share_a_number,
        a_conflict_releases_neither_the_number_nor_the_person,
        a_deletion_is_listed_until_the_record_is_stored_again, deletions_of_every_kind_are_listed,
        a_record_that_was_not_there_leaves_no_deletion,
        pages_of_any_size_contain_every_change_once_in_ascending_order,
        unrequested_kinds_are_left_out_and_do_not_fill_a_page, changes_of_other_people_are_not_listed,
        rolled_back_changes_are_not_listed, rows_of_a_failed_batch_are_not_listed,
        the_second_of_two_units_of_work_of_a_person_waits,
        a_reader_that_follows_racing_writers_misses_nothing,
        a_position_that_the_persons_changes_have_not_reached_is_ahead,
        deletions_are_forgotten_up_to_the_limit,
    }
    outbox {
        the_backlog_has_a_count_and_the_oldest_time,
        a_claimed_message_is_as_queued_with_one_attempt_more_and_due_later,
        a_message_is_claimed_once_it_is_due, the_longest_due_come_first_up_to_the_limit,
        each_message_is_claimed_by_one_of_several_callers,
        rolled_back_messages_are_neither_queued_nor_claimed, a_postponed_message_is_due_at_its_new_time,
        a_message_is_deleted_once, messages_that_were_queued_long_ago_are_deleted_up_to_the_limit,
    }
    import {
        an_import_reads_back_as_stored, every_state_and_origin_reads_back,
        an_update_overwrites_everything_but_person_and_start, imports_are_listed_latest_first_in_pages,
        an_interrupted_import_is_found_by_person_and_digest, parts_read_back_and_an_existing_part_stays,
        the_bytes_of_unfinished_uploads_are_summed, waiting_uploads_are_leased_once_oldest_first,
        one_upload_per_person_is_read_at_a_time, the_person_with_the_fewest_recent_uploads_is_first,
        a_lease_is_renewed_while_the_upload_runs, each_upload_is_leased_to_one_of_several_servers,
        stale_uploads_are_refused_up_to_the_limit, a_returned_attempt_is_not_counted,
        the_progress_of_a_check_is_stored_while_it_runs, an_interrupted_undo_is_resumed_by_one_server,
    }
    import_cancel {
        unfinished_imports_are_cancelled_and_finished_ones_stay,
        either_cancelling_or_finishing_wins_and_the_other_notices,
        an_upload_that_is_read_again_starts_at_the_first_byte,
    }
    import_profile {
        profile_changes_of_an_import_read_back_until_they_are_overwritten,
        profile_changes_are_forgotten_with_the_notes_of_their_import,
    }
    import_repetition { a_label_id_that_a_file_has_twice_is_stored_the_same_each_time, }
    import_concurrency {
        nights_of_one_file_are_stored_once_and_undone_as_one_import,
        labels_of_one_file_are_stored_once_and_undone_without_a_trace,
    }
    import_journal {
        a_change_reads_back_whatever_record_it_is_about,
        the_first_state_found_by_an_import_stays_noted_unless_changed_otherwise,
        the_import_that_changed_a_record_last_is_named, the_import_of_a_session_is_the_last_that_left_one,
        a_label_of_a_catalogue_is_undone_unless_it_is_in_use,
        imports_undone_latest_first_restore_the_state_before_each,
        an_undo_that_two_servers_resume_at_once_is_finished_once,
        notes_of_imports_that_ended_are_forgotten_up_to_the_limit, notes_of_interrupted_imports_are_deleted,
    }
    idempotency {
        a_key_is_claimed_once_and_busy_until_it_is_completed, a_response_is_repeated_for_the_same_request,
        a_key_identifies_one_request_of_one_client, a_released_key_is_free,
        an_abandoned_claim_is_free_and_a_response_stays,
        a_renewed_claim_stays_with_its_holder_until_it_is_completed, an_answer_that_expired_is_free,
        a_late_response_is_not_stored_for_another_request, exactly_one_of_several_claims_takes_the_key,
        answers_are_deleted_up_to_the_limit,
    }
    erasure {
        an_erased_person_leaves_nothing_but_the_audit_trail, an_erasure_that_is_rolled_back_leaves_everything,
        a_link_to_sign_up_survives_the_deletion_of_its_address, an_erasure_leaves_no_trace_but_the_receipt,
        an_erasure_takes_grants_codes_and_logs_along, read_totals_stored_after_an_erasure_are_dropped,
        an_erasure_that_races_with_sums_of_reads_wins, erasing_an_unknown_person_stores_nothing,
        an_erased_id_is_never_used_again, erasures_are_listed_latest_first,
    }
    upkeep { a_probe_of_writes_leaves_nothing_behind, an_unblocked_erasure_leaves_nothing_to_finish, }
    webhook {
        an_endpoint_reads_back_as_stored_and_updated, endpoints_of_disabled_clients_are_listed_by_client_only,
        changes_of_records_queue_one_event, a_deletion_queues_an_event_unless_it_is_rolled_back,
        a_form_or_deletion_that_changes_no_record_queues_no_event, a_changed_profile_queues_an_event,
        only_endpoints_of_clients_with_a_live_grant_are_notified,
        an_event_is_settled_only_as_far_as_it_was_read, a_replay_during_a_delivery_is_not_lost,
        a_paused_event_continues_from_where_it_was_with_the_next_change,
        an_event_keeps_the_time_of_the_first_change_until_it_is_announced,
        a_failed_event_waits_for_its_time_also_if_more_changes,
        a_queued_event_replaces_the_one_before_and_is_gone_once_delivered,
        the_end_of_the_last_live_grant_queues_an_event, an_invalidation_queues_events,
        a_reused_token_queues_an_event, an_erasure_queues_an_event_and_forgets_the_others,
        an_erasure_queues_no_event_for_an_app_whose_last_grant_was_revoked,
        live_scopes_are_those_of_all_live_grants_of_a_person_who_is_not_locked,
        deliveries_are_listed_latest_first_and_old_ones_deleted,
        events_about_revocations_and_erasures_are_deleted_after_their_time,
        a_replay_makes_the_event_due_from_the_given_number,
        a_deleted_endpoint_leaves_no_events_and_no_deliveries,
        events_are_listed_up_to_the_limit_and_of_the_given_endpoints,
    }
}
