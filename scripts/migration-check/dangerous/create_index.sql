CREATE INDEX sleep_session_nap ON sleep_session (user_id, is_nap);
