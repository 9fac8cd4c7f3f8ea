//! The suite that every storage adapter must pass, each case declared once.
//!
//! A case is a function over a [`Harness`], named as the sentence that it proves, in the module of its aggregate.
//! The list below names every case; one that is not listed does not compile without a warning. An adapter runs
//! them all with one line in a test:
//!
//! ```text
//! async fn make_store() -> contract_tests::Harness { /* an empty store */ }
//! contract_tests::contract_tests!(make_store);
//! ```
//!
//! Cases store what a row refers to before the row: the person before their data, the client before its grants,
//! the supplement before its logs. They never ask for an id that two people share, except where they say so.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the crate is a test suite: a case fails by panicking"
)]

#[macro_use]
mod declaration;

mod access;
mod audit;
mod authorization_request;
mod change;
mod client;
mod code;
mod connected_app;
mod consent;
mod erasure;
mod failure;
mod fixture;
mod grant;
mod harness;
mod idempotency;
mod imports;
mod intake_log;
mod job_lease;
mod noted;
mod outbox;
mod password;
mod password_link;
mod personal_token;
pub mod rate_limiter;
mod read_tally;
mod session;
mod signing_key;
mod sleep;
mod sleep_page;
mod supplement;
mod supplement_page;
mod unit_of_work;
mod user;

pub use harness::Harness;

suite! {
    $
    unit_of_work {
        what_is_committed_is_seen_by_readers,
        a_unit_of_work_sees_its_own_writes_and_readers_do_not,
        a_dropped_unit_of_work_stores_nothing_and_lets_the_next_one_write,
        a_rolled_back_unit_of_work_stores_nothing,
        a_conflict_leaves_the_unit_of_work_usable,
        a_conflict_among_several_rows_stores_none_of_them,
        an_aborted_task_leaves_neither_rows_nor_an_open_transaction,
        units_of_work_that_wait_for_each_other_all_commit,
    }
    user {
        a_person_reads_back_as_stored,
        every_value_of_every_kind_reads_back,
        an_unknown_person_is_absent,
        an_address_is_found_whatever_its_case,
        a_taken_id_is_a_conflict,
        a_taken_address_is_a_conflict_whatever_its_case,
        an_update_overwrites_everything,
        an_update_of_nobody_says_so,
        an_update_to_a_taken_address_is_a_conflict_and_changes_nothing,
        people_are_listed_by_ascending_id_in_pages,
        deleting_a_person_deletes_everything_stored_under_them_and_nothing_else,
        deleting_nobody_says_so,
        a_deleted_address_is_free_again,
        racing_changes_of_different_values_are_all_kept,
    }
    client {
        a_client_reads_back_as_stored,
        an_unknown_client_is_absent,
        a_taken_id_is_a_conflict_and_stores_no_secret,
        an_update_overwrites_everything_but_the_secrets,
        an_update_of_no_client_says_so,
        clients_are_listed_by_ascending_id_in_pages,
        secrets_are_listed_oldest_first,
        an_expired_secret_keeps_its_end,
        only_the_clients_own_secret_can_be_expired,
        racing_changes_of_different_values_are_all_kept,
        racing_rotations_leave_two_live_secrets_at_most,
    }
    code {
        a_code_reads_back_as_stored,
        an_unknown_code_is_absent,
        a_taken_hash_is_a_conflict,
        a_code_is_consumed_once_and_remembers_its_grant,
        a_code_is_consumed_until_just_before_its_end,
        an_unknown_code_is_not_consumed,
        of_fifty_racing_tasks_exactly_one_consumes_a_code,
        a_loser_waits_for_the_winner_to_commit,
        a_rolled_back_winner_leaves_the_code_to_the_next,
        codes_that_were_issued_before_and_never_redeemed_are_discarded,
        codes_that_ended_are_deleted_up_to_the_limit,
    }
    grant {
        grants_that_were_revoked_long_ago_are_deleted_up_to_the_limit,
        a_grant_reads_back_as_stored,
        a_taken_id_is_a_conflict,
        a_taken_refresh_token_is_a_conflict,
        a_refresh_token_finds_its_grant_whatever_person_is_named,
        a_refresh_token_tells_the_state_of_the_account,
        an_unknown_refresh_token_is_absent,
        grants_are_listed_by_filter_and_ascending_id_in_pages,
        a_later_use_wins_with_its_place,
        grants_made_before_a_moment_are_listed_and_revoked,
        grants_made_before_a_moment_are_revoked_of_a_range_of_people,
        revoking_counts_the_live_grants_that_match,
        a_revoked_grant_keeps_its_first_reason,
        the_least_recently_used_grants_are_revoked_beyond_the_number_to_keep,
        excess_is_counted_for_one_client_and_person,
    }
    access {
        a_live_grant_gives_access_with_its_client_scopes_and_zone,
        a_grant_of_another_person_gives_nothing,
        a_revoked_grant_gives_no_access,
        a_disabled_client_gives_no_access,
        a_locked_person_gives_no_access,
        a_personal_token_gives_access_with_its_person_scopes_end_and_zone,
        a_personal_token_without_an_end_has_none,
        an_unknown_personal_token_gives_nothing,
        a_revoked_personal_token_gives_no_access,
        a_personal_token_of_a_locked_person_gives_no_access,
    }
    failure {
        failures_are_counted_for_each_key_in_the_order_of_the_keys,
        a_window_begins_with_the_first_failure_and_ends,
        racing_failures_are_all_counted,
        a_failure_is_taken_back_from_its_own_window_and_never_below_nought,
        a_failure_that_is_counted_after_a_later_one_can_be_taken_back,
        racing_failures_that_are_taken_back_leave_nothing,
        forgotten_counters_begin_again_and_others_stay,
        counters_whose_window_began_long_ago_are_deleted_up_to_the_limit,
    }
    job_lease {
        one_of_many_takes_a_job,
        a_job_that_is_not_prolonged_is_taken_over_and_lost_to_its_holder,
        a_job_that_is_finished_is_taken_when_it_is_due_again,
        the_clock_goes_on,
    }
    signing_key {
        keys_read_back_as_stored_oldest_first,
        the_first_key_is_stored_once,
        of_racing_tasks_exactly_one_stores_the_first_key,
        a_retired_key_makes_room_for_a_first_one,
        a_taken_id_is_a_conflict,
        an_active_key_is_retired_once,
        a_list_for_change_is_the_list_with_what_this_unit_of_work_did,
        of_tasks_that_each_retire_all_but_one_the_last_leaves_one,
        keys_that_were_retired_long_ago_are_deleted_up_to_the_limit,
    }
    sleep {
        a_session_reads_back_as_stored,
        a_taken_id_is_a_conflict,
        a_taken_key_is_a_conflict_with_and_without_a_source,
        keys_differ_by_person_source_kind_case_and_blank,
        candidates_hold_what_has_the_source_and_key_of_a_record,
        candidates_hold_what_overlaps_a_record_of_the_same_source,
        candidates_of_many_records_come_once_each,
        only_the_persons_own_sessions_are_found_by_id,
        an_update_overwrites_everything_and_moves_the_start,
        an_update_of_no_session_of_the_person_says_so,
        an_update_to_a_taken_key_is_a_conflict_and_changes_nothing,
        deleting_counts_the_sessions_that_the_person_had,
        a_deleted_key_is_free_within_the_same_unit_of_work,
        a_walk_goes_over_whole_sessions_oldest_first,
    }
    sleep_page {
        pages_hold_every_session_once_in_either_direction,
        a_page_past_the_end_is_empty,
        a_range_holds_both_of_its_ends,
        a_later_page_stays_within_the_range,
        a_row_holds_what_was_stored_and_only_what_was_asked_for,
    }
    supplement {
        a_label_reads_back_as_stored,
        an_unknown_label_is_absent,
        keys_differ_by_source_and_case,
        a_taken_id_or_key_is_a_conflict,
        an_update_overwrites_label_and_entry_date,
        an_update_of_no_label_says_so,
        a_new_version_becomes_current_and_the_old_one_stays,
        a_replacement_under_a_taken_id_is_a_conflict_and_changes_nothing,
        a_version_that_is_not_current_is_not_replaced,
        a_label_has_logs_as_soon_as_anybody_has_one,
        what_a_person_takes_is_listed_by_id_in_every_version,
        a_version_tells_its_key,
        a_code_finds_the_current_label_in_any_spelling,
        every_version_with_a_code_is_listed_the_current_one_first,
        of_several_labels_with_a_code_the_latest_is_found,
        a_retracted_version_leaves_its_place_to_its_predecessor,
        a_version_that_was_logged_or_is_not_there_is_not_retracted,
        a_version_that_was_replaced_is_retracted_without_its_predecessor_coming_back,
    }
    supplement_page {
        records_sort_by_their_first_log_in_the_direction_then_by_id,
        the_order_of_the_two_directions_need_not_mirror,
        a_record_holds_label_and_logs_as_stored,
        a_start_keeps_logs_at_or_after_it_and_supplements_that_have_some,
        a_supplement_filter_keeps_that_supplement_alone,
        pages_hold_every_supplement_once_in_either_direction,
        a_page_past_the_end_is_empty,
        a_record_carries_all_of_its_logs_whatever_the_page_size,
    }
    intake_log {
        a_log_reads_back_as_stored,
        only_the_persons_own_logs_are_found_by_id,
        a_taken_id_or_external_key_is_a_conflict_and_stores_none,
        logs_without_a_key_and_keys_of_other_people_never_conflict,
        candidates_hold_what_has_the_key_or_the_supplement_and_time_of_a_record,
        candidates_of_many_records_come_once_each,
        an_update_overwrites_everything,
        an_update_of_no_log_of_the_person_says_so,
        an_update_to_a_taken_external_key_is_a_conflict,
        deleting_counts_the_logs_that_the_person_had,
        a_walk_goes_over_all_logs_oldest_first,
    }
    password {
        credentials_are_found_by_address_whatever_its_case,
        an_account_without_a_password_has_credentials_without_one,
        an_unknown_address_has_no_credentials,
        a_password_takes_the_place_of_an_earlier_one,
        a_rehash_replaces_nothing_but_the_hash_that_it_was_made_for,
        of_racing_rehashes_one_wins_and_none_undoes_a_change,
        a_password_that_was_found_stays_until_the_unit_of_work_ends,
        racing_changes_of_a_found_password_come_one_after_the_other,
    }
    password_link {
        links_to_sign_up_are_deleted_by_their_address_whatever_its_case,
        a_link_of_every_purpose_reads_back_as_stored,
        an_unknown_link_is_absent,
        a_link_is_consumed_once_expired_or_not,
        of_fifty_racing_tasks_exactly_one_consumes_a_link,
        a_rolled_back_winner_leaves_the_link_to_the_next,
        a_persons_links_are_deleted_and_nobody_elses,
        links_that_ended_are_deleted_up_to_the_limit,
        every_link_can_be_deleted_up_to_the_limit,
    }
    session {
        a_cookie_finds_its_session_with_address_state_and_zone,
        a_session_tells_the_state_of_the_account_as_it_is_now,
        an_unknown_cookie_is_absent,
        a_taken_id_or_cookie_is_a_conflict,
        a_session_is_found_under_its_person_until_it_is_deleted,
        a_persons_sessions_are_listed_latest_sign_in_first,
        a_later_use_wins,
        only_the_persons_own_session_is_deleted_and_once,
        a_persons_sessions_are_deleted_but_for_the_one_that_is_kept,
        sessions_unused_or_signed_in_too_long_ago_are_deleted_up_to_the_limit,
    }
    authorization_request {
        a_request_reads_back_as_stored,
        an_unknown_request_is_absent_and_neither_assigned_nor_decided,
        a_request_is_given_to_the_first_person_and_to_no_other,
        of_racing_people_exactly_one_gets_a_request,
        a_request_is_decided_once,
        of_fifty_racing_tasks_exactly_one_decides_a_request,
        a_rolled_back_decision_leaves_the_request_open_to_the_next,
        a_request_that_was_found_stays_until_the_unit_of_work_ends,
        older_requests_are_deleted_up_to_the_limit,
        a_persons_oldest_requests_go_beyond_the_number_to_keep,
    }
    consent {
        a_consent_reads_back_for_its_person_and_client_alone,
        a_consent_takes_the_place_of_an_earlier_one,
        racing_consents_of_one_person_and_client_leave_one,
        consents_of_anybody_are_forgotten_up_to_the_limit,
        what_matches_is_forgotten_and_counted,
    }
    personal_token {
        tokens_that_were_revoked_or_ended_long_ago_are_deleted_up_to_the_limit,
        a_token_reads_back_as_stored,
        a_taken_id_or_hash_is_a_conflict,
        a_persons_tokens_are_listed_youngest_first,
        one_token_or_all_of_a_person_are_revoked_and_counted,
        of_racing_revocations_each_token_is_counted_once,
        tokens_made_before_a_moment_are_revoked_of_a_range_of_people,
    }
    connected_app {
        the_live_grants_of_an_app_are_summed,
        an_app_without_live_grants_or_a_consent_is_not_listed,
        a_disabled_app_with_live_grants_is_listed,
        apps_are_listed_by_the_bytes_of_their_names_then_by_id,
        the_latest_refresh_tells_when_and_from_where,
        the_last_use_is_the_later_of_refresh_and_read,
        a_consent_is_remembered_for_its_own_person_and_app,
        a_remembered_consent_alone_is_listed_until_it_is_forgotten,
    }
    audit {
        an_event_reads_back_as_appended_whatever_it_names,
        every_kind_and_actor_reads_back,
        an_event_is_stored_with_its_unit_of_work_or_not_at_all,
        events_are_listed_by_filter_latest_first,
        pages_hold_every_event_once,
        the_oldest_events_are_deleted_up_to_the_limit,
    }
    read_tally {
        a_sum_reads_back_as_added,
        sums_of_one_key_are_added_up_and_their_range_is_widened,
        one_open_end_leaves_the_other_as_it_is,
        every_part_of_the_key_keeps_sums_apart,
        racing_sums_are_all_added,
        sums_of_people_who_are_gone_are_dropped_and_the_others_kept,
        the_use_of_personal_tokens_is_noted_and_a_later_one_wins,
        sums_are_listed_latest_minute_first_and_pages_hold_each_once,
        sums_of_minutes_long_past_are_deleted_up_to_the_limit,
    }
    change {
        a_person_of_whom_nothing_changed_is_told_once,
        changes_are_told_in_the_order_in_which_they_were_stored,
        a_record_is_told_as_it_is_now,
        an_update_moves_a_record_to_the_end,
        what_one_statement_wrote_is_told_in_the_order_of_ids,
        what_one_unit_of_work_wrote_has_one_number,
        a_conflict_lets_go_neither_of_the_number_nor_of_the_person,
        a_deletion_is_told_until_the_record_is_stored_again,
        deletions_of_every_kind_are_told,
        a_record_that_was_not_there_leaves_no_deletion,
        pages_of_any_size_hold_every_change_once_in_ascending_order,
        kinds_that_were_not_asked_for_are_left_out_and_do_not_count,
        changes_of_other_people_are_not_told,
        what_is_rolled_back_is_not_told,
        a_conflict_among_several_rows_is_not_told,
        of_two_units_of_work_of_one_person_the_second_waits,
        a_reader_that_follows_racing_writers_misses_nothing,
        a_position_that_the_persons_changes_have_not_reached_is_ahead,
        deletions_are_forgotten_up_to_the_limit,
    }
    outbox {
        a_claimed_message_is_as_queued_with_one_attempt_more_and_due_later,
        a_message_is_handed_out_from_the_moment_on_that_it_is_due,
        the_longest_due_come_first_up_to_the_limit,
        of_racing_claims_each_message_goes_to_one,
        what_is_rolled_back_is_neither_queued_nor_handed_out,
        a_postponed_message_is_due_then,
        a_message_is_deleted_once,
        messages_that_were_queued_long_ago_are_deleted_up_to_the_limit,
    }
    imports {
        an_import_reads_back_as_stored,
        every_state_and_origin_reads_back,
        an_update_overwrites_everything_but_person_and_start,
        imports_are_listed_latest_first_in_pages,
        what_broke_off_is_found_by_person_and_digest,
        parts_read_back_and_a_part_that_is_there_is_left,
        an_upload_that_waits_is_leased_once_the_oldest_first,
        a_lease_is_prolonged_while_the_upload_runs,
        of_racing_servers_each_upload_goes_to_one,
        uploads_that_came_to_nothing_are_refused_up_to_the_limit,
    }
    noted {
        what_a_record_was_reads_back_whatever_record_it_is,
        what_was_first_there_stays_noted,
        what_is_noted_is_told_latest_first_and_labels_last,
        a_record_stands_as_the_import_left_it_until_something_changes_it,
        a_later_import_is_named_and_the_next_one_of_several,
        a_forgotten_change_leaves_the_record_to_the_import_before,
        what_something_else_changed_stays_overtaken_when_another_note_goes,
        what_something_else_changed_is_no_imports_also_when_another_one_changes_it_later,
        an_import_that_goes_on_after_something_else_changed_a_record_has_that_before_itself,
        what_stays_when_it_cannot_be_taken_back_is_no_earlier_imports,
        records_of_two_people_with_one_id_are_apart,
        a_label_stands_until_it_is_overwritten_or_gone,
        imports_undone_in_any_order_leave_what_the_others_made,
        notes_of_imports_that_ended_are_forgotten_up_to_the_limit,
        notes_of_imports_that_broke_off_are_forgotten,
    }
    idempotency {
        a_key_is_taken_once_and_busy_until_it_is_answered,
        an_answer_is_given_again_to_the_same_request,
        a_key_stands_for_one_request_of_one_client,
        a_released_key_is_free,
        a_claim_that_was_given_up_is_free_and_an_answer_stays,
        an_answer_that_expired_is_free,
        a_late_answer_does_not_become_that_of_another_request,
        of_racing_claims_exactly_one_takes_the_key,
        answers_are_deleted_up_to_the_limit,
    }
    erasure {
        an_erased_person_leaves_nothing_but_the_audit_trail,
        an_erasure_that_is_rolled_back_leaves_everything,
        a_link_to_sign_up_survives_the_deletion_of_its_address,
        an_erasure_leaves_no_trace_but_the_receipt,
        an_erasure_takes_grants_codes_and_logs_along,
        sums_of_reads_that_come_after_an_erasure_bring_nothing_back,
        an_erasure_that_races_with_sums_of_reads_wins,
        an_erasure_of_nobody_keeps_nothing,
        an_id_that_was_erased_is_never_given_out_again,
        erasures_are_listed_latest_first,
    }
}
