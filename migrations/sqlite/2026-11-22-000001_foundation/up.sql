-- The schema of the first release.
--
-- Times are microseconds since 1970-01-01 UTC, those of sleep sessions milliseconds; ids are UUIDs as 16 bytes, hashes
-- SHA-256 as 32 bytes, booleans 0 or 1. Rows that belong to a user are deleted with the account.

-- Which program may run on which schema: one row for each migration, written by the migration itself.
CREATE TABLE schema_compatibility (
    version        TEXT    NOT NULL PRIMARY KEY,
    oldest_program INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261122000001', 1);

-- Users --------------------------------------------------------------------------------------------------------------

CREATE TABLE account (
    id                    BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    email                 TEXT    NOT NULL,
    email_normalised      TEXT    NOT NULL UNIQUE,
    home_timezone         TEXT    NOT NULL,
    -- NULL unless the account is locked.
    locked_at             INTEGER,
    created_at            INTEGER NOT NULL,
    birth_date            TEXT,
    biological_sex        TEXT,
    blood_type            TEXT,
    height_cm             REAL,
    weight_kg             REAL,
    skin_type             INTEGER,
    wheelchair_use        INTEGER,
    -- Number of the latest change to the user's records.
    change_number         INTEGER NOT NULL DEFAULT 0,
    -- Number of the latest change to the profile.
    profile_change_number INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE password (
    user_id    BLOB    NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    -- A PHC string, which contains its own parameters.
    hash       TEXT    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One-time links; using one deletes it.
CREATE TABLE password_link (
    link_hash  BLOB    NOT NULL PRIMARY KEY CHECK (length(link_hash) = 32),
    purpose    TEXT    NOT NULL CHECK (purpose IN ('invitation', 'reset', 'sign_up')),
    -- NULL for a sign-up, which has an address instead.
    user_id    BLOB    REFERENCES account (id) ON DELETE CASCADE,
    email      TEXT,
    expires_at INTEGER NOT NULL,
    CHECK ((user_id IS NULL) = (purpose = 'sign_up')),
    CHECK ((user_id IS NULL) <> (email IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX password_link_user ON password_link (user_id);
CREATE INDEX password_link_end ON password_link (expires_at);

-- Browser sessions, found by the hash of their cookie.
CREATE TABLE session (
    user_id          BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id               BLOB    NOT NULL CHECK (length(id) = 16),
    token_hash       BLOB    NOT NULL CHECK (length(token_hash) = 32),
    method           TEXT    NOT NULL,
    authenticated_at INTEGER NOT NULL,
    last_seen_at     INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX session_token ON session (token_hash);
CREATE INDEX session_last_seen ON session (last_seen_at);
CREATE INDEX session_authenticated ON session (authenticated_at);

-- Clients ------------------------------------------------------------------------------------------------------------

CREATE TABLE client (
    id                  BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name                TEXT    NOT NULL,
    kind                TEXT    NOT NULL,
    -- A JSON array of strings.
    redirect_uris       TEXT    NOT NULL,
    -- Separated by one space.
    scopes              TEXT    NOT NULL,
    allow_query_secrets INTEGER NOT NULL,
    require_pkce        INTEGER NOT NULL,
    -- NULL unless the client is disabled.
    disabled_at         INTEGER,
    created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE client_secret (
    client_id   BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    id          BLOB    NOT NULL CHECK (length(id) = 16),
    secret_hash BLOB    NOT NULL CHECK (length(secret_hash) = 32),
    created_at  INTEGER NOT NULL,
    -- NULL if it never expires.
    expires_at  INTEGER,
    PRIMARY KEY (client_id, id)
) STRICT, WITHOUT ROWID;

-- Authorization ------------------------------------------------------------------------------------------------------

CREATE TABLE authorization_request (
    id            BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    client_id     BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    redirect_uri  TEXT    NOT NULL,
    scopes        TEXT    NOT NULL,
    state         TEXT,
    challenge     BLOB    CHECK (challenge IS NULL OR length(challenge) = 32),
    force_consent INTEGER NOT NULL,
    visit_hash    BLOB    NOT NULL CHECK (length(visit_hash) = 32),
    -- NULL until a user has signed in for it.
    user_id       BLOB    REFERENCES account (id) ON DELETE CASCADE,
    created_at    INTEGER NOT NULL,
    -- NULL while the decision is pending.
    decided_at    INTEGER,
    -- Email address that the app expects, to fill in the sign-in form; NULL if it named none.
    login_hint    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX authorization_request_created ON authorization_request (created_at);
CREATE INDEX authorization_request_client ON authorization_request (client_id);
CREATE INDEX authorization_request_user ON authorization_request (user_id);

CREATE TABLE authorization_code (
    code_hash         BLOB    NOT NULL PRIMARY KEY CHECK (length(code_hash) = 32),
    client_id         BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    user_id           BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    redirect_uri      TEXT    NOT NULL,
    scopes            TEXT    NOT NULL,
    challenge         BLOB    CHECK (challenge IS NULL OR length(challenge) = 32),
    issued_at         INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL,
    -- Both NULL until the code is redeemed.
    redeemed_grant_id BLOB    CHECK (redeemed_grant_id IS NULL OR length(redeemed_grant_id) = 16),
    redeemed_at       INTEGER,
    CHECK ((redeemed_grant_id IS NULL) = (redeemed_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX authorization_code_user ON authorization_code (user_id);
CREATE INDEX authorization_code_client ON authorization_code (client_id);
CREATE INDEX authorization_code_end ON authorization_code (expires_at);

-- Consents that the user asked to remember.
CREATE TABLE consent (
    user_id       BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    client_id     BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes        TEXT    NOT NULL,
    remembered_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX consent_client ON consent (client_id);

CREATE TABLE access_grant (
    user_id            BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id                 BLOB    NOT NULL CHECK (length(id) = 16),
    client_id          BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes             TEXT    NOT NULL,
    refresh_token_hash BLOB    NOT NULL CHECK (length(refresh_token_hash) = 32),
    created_at         INTEGER NOT NULL,
    last_used_at       INTEGER,
    -- Both NULL while the grant is live.
    revoked_at         INTEGER,
    revocation_reason  TEXT,
    -- Address of the latest refresh; NULL before the first.
    last_used_address  TEXT,
    -- Program name of the latest refresh, if it sent one.
    last_used_agent    TEXT,
    PRIMARY KEY (user_id, id),
    CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX access_grant_id ON access_grant (id);
CREATE UNIQUE INDEX access_grant_refresh_token ON access_grant (refresh_token_hash);
CREATE INDEX access_grant_of_client ON access_grant (client_id);
-- A redemption counts the live grants of its client and user.
CREATE INDEX access_grant_live ON access_grant (user_id, client_id) WHERE revoked_at IS NULL;
CREATE INDEX access_grant_revoked ON access_grant (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE personal_token (
    user_id      BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id           BLOB    NOT NULL CHECK (length(id) = 16),
    name         TEXT    NOT NULL,
    token_hash   BLOB    NOT NULL CHECK (length(token_hash) = 32),
    scopes       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    -- NULL if it never expires.
    expires_at   INTEGER,
    -- To the minute; NULL if never used.
    last_used_at INTEGER,
    -- NULL unless revoked.
    revoked_at   INTEGER,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX personal_token_hash ON personal_token (token_hash);
CREATE INDEX personal_token_revoked ON personal_token (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX personal_token_end ON personal_token (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE signing_key (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    public_key  BLOB    NOT NULL CHECK (length(public_key) = 32),
    -- Encrypted with the operator's key.
    private_key BLOB    NOT NULL,
    created_at  INTEGER NOT NULL,
    -- NULL while its signatures are accepted.
    retired_at  INTEGER
) STRICT, WITHOUT ROWID;

-- Health data --------------------------------------------------------------------------------------------------------

CREATE TABLE sleep_session (
    user_id         BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    started_at      INTEGER NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    ended_at        INTEGER NOT NULL,
    -- Minutes east of UTC; NULL if unknown.
    offset_at_start INTEGER,
    offset_at_end   INTEGER,
    -- '' if unknown: NULLs are never equal in a unique key.
    source          TEXT    NOT NULL,
    key_kind        TEXT    NOT NULL CHECK (key_kind IN ('given', 'derived')),
    natural_key     TEXT    NOT NULL,
    is_nap          INTEGER,
    updated_at      INTEGER NOT NULL,
    -- Packed (domain::sleep::packed).
    stages          BLOB    NOT NULL,
    metrics         BLOB    NOT NULL,
    change_number   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, started_at, id),
    UNIQUE (user_id, id),
    UNIQUE (user_id, source, key_kind, natural_key)
) STRICT, WITHOUT ROWID;

-- Keys without rows, so that skipping to a deep page does not read the rows that it skips.
CREATE INDEX sleep_session_start ON sleep_session (user_id, started_at, id);
CREATE INDEX sleep_session_change ON sleep_session (user_id, change_number, id);

-- The catalogue, shared by all users: one row for each version of a label.
CREATE TABLE supplement (
    id               BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    catalogue_source TEXT    NOT NULL,
    catalogue_key    TEXT    NOT NULL,
    -- 0 once a newer version has the key.
    is_current       INTEGER NOT NULL,
    brand            TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    servings         TEXT    NOT NULL,
    upc              TEXT    NOT NULL,
    label_date       TEXT,
    entry_date       INTEGER NOT NULL,
    -- A JSON array of objects.
    ingredients      TEXT    NOT NULL,
    -- The bar code as 14 digits (domain::supplement::Upc); NULL if upc is none.
    upc_digits       TEXT
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX supplement_current ON supplement (catalogue_source, catalogue_key) WHERE is_current = 1;
CREATE INDEX supplement_upc ON supplement (upc_digits, entry_date, id) WHERE upc_digits IS NOT NULL;

CREATE TABLE intake_log (
    user_id       BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    supplement_id BLOB    NOT NULL REFERENCES supplement (id),
    created_at    INTEGER NOT NULL,
    id            BLOB    NOT NULL CHECK (length(id) = 16),
    servings      REAL    NOT NULL,
    external_key  TEXT,
    change_number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, supplement_id, created_at, id),
    UNIQUE (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX intake_log_external_key ON intake_log (user_id, external_key)
    WHERE external_key IS NOT NULL;
-- For an export, which reads the logs by time.
CREATE INDEX intake_log_time ON intake_log (user_id, created_at, id);
CREATE INDEX intake_log_change ON intake_log (user_id, change_number, id);
-- For the deletion of a label: whether a log refers to it.
CREATE INDEX intake_log_supplement ON intake_log (supplement_id);

-- Deleted records, kept for as long as apps may ask for changes. Storing a record again removes its row.
CREATE TABLE deletion (
    user_id       BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('sleep', 'supplements')),
    id            BLOB    NOT NULL CHECK (length(id) = 16),
    change_number INTEGER NOT NULL,
    deleted_at    INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) STRICT, WITHOUT ROWID;

-- By kind first, so that a reader of one kind does not step over the others.
CREATE INDEX deletion_change ON deletion (user_id, kind, change_number, id);
CREATE INDEX deletion_time ON deletion (deleted_at);

-- Imports ------------------------------------------------------------------------------------------------------------

CREATE TABLE import (
    id                BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- NULL for a catalogue.
    user_id           BLOB    REFERENCES account (id) ON DELETE CASCADE,
    origin            TEXT    NOT NULL CHECK (origin IN ('command', 'upload')),
    file_name         TEXT    NOT NULL,
    -- NULL until recognised.
    format            TEXT,
    -- NULL until the whole file is read.
    digest            BLOB    CHECK (digest IS NULL OR length(digest) = 32),
    -- For local times without an offset.
    zone              TEXT    NOT NULL,
    state             TEXT    NOT NULL,
    size              INTEGER NOT NULL,
    bytes_done        INTEGER NOT NULL,
    started_at        INTEGER NOT NULL,
    -- NULL until the import is done, refused or undone.
    ended_at          INTEGER,
    -- A JSON object.
    report            TEXT    NOT NULL,
    refusal           TEXT,
    -- Until when the server that reads the upload has it to itself; NULL if none does.
    lease_until       INTEGER,
    -- When the row was last updated; NULL before. A running import that was not updated for long is lost.
    updated_at        INTEGER,
    -- Bytes that the check before the first stored record has passed.
    bytes_checked     INTEGER NOT NULL DEFAULT 0,
    -- How many servers began to read the upload and were lost.
    tries             INTEGER NOT NULL DEFAULT 0,
    -- Start of a recording that does not state it, with its offset (RFC 3339).
    recording_start   TEXT,
    -- JSON of changed and proposed profile fields: field, old and new value, whether applied. NULL if there are none.
    profile_changes   TEXT,
    -- Whether an upload overwrites profile fields that differ.
    overwrite_profile INTEGER NOT NULL DEFAULT 0,
    -- 'person' or 'operator'; NULL unless it was cancelled.
    cancelled_by      TEXT,
    -- Whether labels of supplements were left out, because the file is an upload.
    left_out_labels   INTEGER NOT NULL DEFAULT 0,
    -- What undoing it did (JSON): counts, and the records that were kept. NULL unless it was undone.
    undone            TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX import_user ON import (user_id, started_at, id);
CREATE INDEX import_start ON import (started_at, id);
CREATE INDEX import_end ON import (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX import_upload ON import (started_at, id)
    WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running');
CREATE INDEX import_running ON import (started_at) WHERE state = 'running';
CREATE INDEX import_undoing ON import (started_at) WHERE state = 'undoing';
CREATE INDEX import_profile_changes ON import (started_at) WHERE profile_changes IS NOT NULL;

-- The parts of an upload.
CREATE TABLE import_part (
    import_id BLOB    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    bytes     BLOB    NOT NULL,
    PRIMARY KEY (import_id, position)
) STRICT;

-- What an import did to each record, so that it can be undone.
CREATE TABLE import_change (
    -- The order of all notes; of two notes of one record the later one has the greater number.
    sequence      INTEGER NOT NULL PRIMARY KEY,
    import_id     BLOB    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('session', 'log', 'label')),
    record_id     BLOB    NOT NULL CHECK (length(record_id) = 16),
    -- Whose record; NULL for labels of a catalogue.
    user_id       BLOB    CHECK (user_id IS NULL OR length(user_id) = 16),
    -- A JSON object: the record before; NULL if there was none.
    before        TEXT,
    -- Hashes of the version that the import found, and of the one that it left; NULL if there was, or is, no record.
    version_found BLOB    CHECK (version_found IS NULL OR length(version_found) = 16),
    version_left  BLOB    CHECK (version_left IS NULL OR length(version_left) = 16),
    -- The session that took the place of a removed one.
    replaced_by   BLOB    CHECK (replaced_by IS NULL OR length(replaced_by) = 16)
) STRICT;

-- One index for both, what an import did to a record and what others did to it: ids are random, and each index of
-- random values costs a large import a page for nearly every row.
CREATE UNIQUE INDEX import_change_record ON import_change (record_id, kind, import_id);
-- The order of undoing, backwards: logs before the labels that they refer to.
CREATE INDEX import_change_order ON import_change (import_id, kind <> 'label', sequence);

-- Records of access --------------------------------------------------------------------------------------------------

-- The audit trail. No foreign keys: events outlive the user and the client.
CREATE TABLE audit_event (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at          INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    actor       TEXT    NOT NULL,
    user_id     BLOB    CHECK (user_id IS NULL OR length(user_id) = 16),
    client_id   BLOB    CHECK (client_id IS NULL OR length(client_id) = 16),
    -- The grant, session, token, secret or key, depending on the kind.
    subject     BLOB    CHECK (subject IS NULL OR length(subject) = 16),
    event_count INTEGER,
    -- An IPv4 address, or an IPv6 network of 64 bits.
    address     TEXT,
    -- The scopes that a user granted, of events about that.
    scopes      TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_event_time ON audit_event (at, id);
CREATE INDEX audit_event_user ON audit_event (user_id, at, id);
CREATE INDEX audit_event_client ON audit_event (client_id, at, id);

-- Events are never changed, only deleted at the end of their retention.
CREATE TRIGGER audit_event_unchanged BEFORE UPDATE ON audit_event
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is never changed');
END;

-- INSERT OR REPLACE would delete the old row without running a trigger.
CREATE TRIGGER audit_event_unreplaced BEFORE INSERT ON audit_event
WHEN EXISTS (SELECT 1 FROM audit_event WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is never changed');
END;

-- Who read how much of what, in sums of one minute; never the values.
CREATE TABLE read_tally (
    user_id     BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- Start of the minute.
    minute      INTEGER NOT NULL,
    reader_kind TEXT    NOT NULL CHECK (reader_kind IN ('client', 'personal_token')),
    reader_id   BLOB    NOT NULL CHECK (length(reader_id) = 16),
    kind        TEXT    NOT NULL,
    requests    INTEGER NOT NULL,
    items       INTEGER NOT NULL,
    -- The widest range that was requested; NULL if open.
    range_from  INTEGER,
    range_to    INTEGER,
    PRIMARY KEY (user_id, minute, reader_kind, reader_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX read_tally_minute ON read_tally (minute);
-- For an app's latest read, however much others read since.
CREATE INDEX read_tally_reader ON read_tally (user_id, reader_id, minute);

-- Operation ----------------------------------------------------------------------------------------------------------

-- Messages that wait to be sent.
CREATE TABLE outbox (
    id        BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- Encrypted with the operator's key, and bound to the id.
    sealed    BLOB    NOT NULL,
    queued_at INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    attempts  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_due ON outbox (due_at);

CREATE TABLE failure_counter (
    key             BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    window_began_at INTEGER NOT NULL,
    failures        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX failure_counter_window ON failure_counter (window_began_at);

-- Answers that are returned again when their request is repeated.
CREATE TABLE idempotent_answer (
    client_id    BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    key_hash     BLOB    NOT NULL CHECK (length(key_hash) = 32),
    content_hash BLOB    NOT NULL CHECK (length(content_hash) = 32),
    claimed_at   INTEGER NOT NULL,
    -- Both NULL while the request is in progress.
    status       INTEGER,
    body         BLOB,
    PRIMARY KEY (client_id, key_hash),
    CHECK ((status IS NULL) = (body IS NULL))
) STRICT;

CREATE INDEX idempotent_answer_time ON idempotent_answer (claimed_at);

-- Jobs that one process does at a time, such as housekeeping.
CREATE TABLE job_lease (
    job        TEXT    NOT NULL PRIMARY KEY,
    -- Drawn at random when a program starts.
    holder     BLOB    NOT NULL CHECK (length(holder) = 16),
    held_until INTEGER NOT NULL,
    due_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Hashes of the ids of erased users, which are never used again. Ids have 122 random bits, so that nobody finds one by
-- trying hashes. Nothing connects them with the receipts in erasure.
CREATE TABLE erased_person (
    id_hash BLOB NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasure (
    id BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX erasure_time ON erasure (at, id);
