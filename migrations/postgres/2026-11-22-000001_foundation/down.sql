DROP VIEW sleep_session_decoded;
DROP VIEW sleep_metric;
DROP VIEW sleep_stage;
DROP FUNCTION restwell_sleep_metrics(bytea);
DROP FUNCTION restwell_sleep_stages(timestamptz, bytea);
DROP FUNCTION restwell_varint(bytea, integer);

DROP TABLE erasure;
DROP TABLE erased_person;
DROP TABLE job_lease;
DROP TABLE idempotent_answer;
DROP TABLE failure_counter;
DROP TABLE outbox;

DROP TABLE read_tally;
DROP TABLE audit_event;
DROP FUNCTION restwell_refuse_change();

DROP TABLE webhook_delivery;
DROP TABLE webhook_event;
DROP TABLE webhook_endpoint;

DROP TABLE import_change;
DROP TABLE import_part;
DROP TABLE import;
DROP FUNCTION restwell_forget_notes();

DROP TABLE deletion;
DROP TABLE intake_log;
DROP TABLE supplement;
DROP TABLE sleep_session;

DROP TABLE signing_key;
DROP TABLE personal_token;
DROP TABLE refresh_token;
DROP TABLE access_grant;
DROP TABLE consent;
DROP TABLE authorization_code;
DROP TABLE authorization_request;

DROP TABLE client_usage;
DROP TABLE draft_user;
DROP TABLE client_secret;
DROP TABLE client;

DROP TABLE session;
DROP TABLE pending_sign_in;
DROP TABLE passkey_ceremony;
DROP TABLE passkey;
DROP TABLE recovery_code;
DROP TABLE totp;
DROP TABLE password_link;
DROP TABLE password;

DROP TABLE sandbox_person;
DROP TABLE profile_source;
DROP TABLE account;
DROP TABLE person;

DROP TABLE schema_compatibility;
