-- The schema of the first release. Tables and columns are those of PostgreSQL, except for what PostgreSQL
-- needs to partition or distribute a store: the table person, whose email_normalised is in account here, the
-- table refresh_token, and the column supplement.is_logged.
--
-- Times are microseconds since 1970-01-01 UTC, those of sleep sessions milliseconds. Dates are text, such as
-- '2026-01-31'. Ids are UUIDs as 16 bytes, hashes SHA-256 as 32 bytes, booleans 0 or 1. Rows that belong to a
-- person are deleted with the account.

-- Programs that may use the schema: one row for each migration, written by the migration itself.
CREATE TABLE schema_compatibility (
    version        TEXT    NOT NULL PRIMARY KEY,
    oldest_program INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261122000001', 1);

-- People ----------------------------------------------------------------------------------------------------

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
    -- Number of the latest change to the person's records.
    change_number         INTEGER NOT NULL DEFAULT 0,
    -- Number of the latest change to the profile.
    profile_change_number INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Where the value of a profile field came from. A field without a row is as it was when the account was
-- created.
CREATE TABLE profile_source (
    user_id   BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    field     TEXT    NOT NULL,
    origin    TEXT    NOT NULL CHECK (origin IN ('person', 'import', 'operator', 'client')),
    -- The import; NULL for other origins.
    import_id BLOB    CHECK (import_id IS NULL OR length(import_id) = 16),
    at        INTEGER NOT NULL,
    PRIMARY KEY (user_id, field),
    CHECK ((origin = 'import') = (import_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Synthetic people, for developers of apps.
CREATE TABLE sandbox_person (
    user_id       BLOB NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    story         TEXT NOT NULL,
    -- The developer, whose erasure erases the person too; NULL for the operator.
    owner_id      BLOB CHECK (owner_id IS NULL OR length(owner_id) = 16),
    -- Last day that has records, in the person's time zone.
    records_until TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sandbox_person_owner ON sandbox_person (owner_id);

-- Sign-in ---------------------------------------------------------------------------------------------------

CREATE TABLE password (
    user_id    BLOB    NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    -- A PHC string, which contains its own parameters.
    hash       TEXT    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One-time links; using one deletes it.
CREATE TABLE password_link (
    link_hash  BLOB    NOT NULL PRIMARY KEY CHECK (length(link_hash) = 32),
    purpose    TEXT    NOT NULL CHECK (purpose IN ('invitation', 'reset', 'sign_up', 'email_change')),
    -- NULL for a sign-up, which has no account yet.
    user_id    BLOB    REFERENCES account (id) ON DELETE CASCADE,
    -- Address of a sign-up, or the new address of an account.
    email      TEXT,
    expires_at INTEGER NOT NULL,
    CHECK ((user_id IS NULL) = (purpose = 'sign_up')),
    CHECK ((email IS NOT NULL) = (purpose IN ('sign_up', 'email_change')))
) STRICT, WITHOUT ROWID;

CREATE INDEX password_link_user ON password_link (user_id);
CREATE INDEX password_link_end ON password_link (expires_at);

-- Authenticator apps.
CREATE TABLE totp (
    user_id   BLOB    NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    -- Encrypted under keys.encryption_key and bound to user_id.
    secret    BLOB    NOT NULL,
    -- Latest step of 30 seconds whose code was used.
    last_step INTEGER NOT NULL,
    set_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Unused recovery codes.
CREATE TABLE recovery_code (
    user_id   BLOB NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    code_hash BLOB NOT NULL CHECK (length(code_hash) = 32),
    PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;

-- Found by the credential id, which is unique over all people.
CREATE TABLE passkey (
    user_id            BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id                 BLOB    NOT NULL CHECK (length(id) = 16),
    name               TEXT    NOT NULL,
    credential_id      BLOB    NOT NULL CHECK (length(credential_id) BETWEEN 1 AND 1023),
    -- A COSE key.
    public_key         BLOB    NOT NULL,
    sign_count         INTEGER NOT NULL,
    is_backup_eligible INTEGER NOT NULL,
    is_backed_up       INTEGER NOT NULL,
    -- Names separated by spaces.
    transports         TEXT    NOT NULL,
    created_at         INTEGER NOT NULL,
    -- NULL if never used.
    last_used_at       INTEGER,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX passkey_credential ON passkey (credential_id);

-- Ceremonies in progress that add or use a passkey, found by the hash of their challenge.
CREATE TABLE passkey_ceremony (
    challenge_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(challenge_hash) = 32),
    purpose        TEXT    NOT NULL,
    -- Hash of the cookie of the browser that started it.
    browser_hash   BLOB    NOT NULL CHECK (length(browser_hash) = 32),
    expires_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX passkey_ceremony_expiry ON passkey_ceremony (expires_at);

-- Sign-ins whose password was correct and whose second factor is still missing.
CREATE TABLE pending_sign_in (
    -- Hash of the cookie of the browser.
    visit_hash       BLOB    NOT NULL PRIMARY KEY CHECK (length(visit_hash) = 32),
    user_id          BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- Whether to enter a code or to set up a second factor.
    step             TEXT    NOT NULL,
    is_known_browser INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX pending_sign_in_user ON pending_sign_in (user_id);
CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at);

-- Browser sessions, found by the hash of their cookie.
CREATE TABLE session (
    user_id          BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id               BLOB    NOT NULL CHECK (length(id) = 16),
    token_hash       BLOB    NOT NULL CHECK (length(token_hash) = 32),
    -- Factors of the sign-in, such as 'password+totp'.
    method           TEXT    NOT NULL,
    authenticated_at INTEGER NOT NULL,
    -- To the minute.
    last_seen_at     INTEGER NOT NULL,
    -- First sign-in in this browser since it was last signed out; NULL if that is authenticated_at.
    first_seen_at    INTEGER,
    -- Names of browser and platform, such as 'firefox/android'.
    device           TEXT,
    -- An IPv4 address, or an IPv6 network of 64 bits.
    address          TEXT,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX session_token ON session (token_hash);
CREATE INDEX session_last_seen ON session (last_seen_at);
CREATE INDEX session_authenticated ON session (authenticated_at);

-- Clients ---------------------------------------------------------------------------------------------------

CREATE TABLE client (
    id                  BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name                TEXT    NOT NULL,
    kind                TEXT    NOT NULL,
    -- Of kind 'app', without secrets.
    is_public           INTEGER NOT NULL DEFAULT 0,
    -- A JSON array of strings.
    redirect_uris       TEXT    NOT NULL,
    -- Separated by one space.
    scopes              TEXT    NOT NULL,
    allow_query_secrets INTEGER NOT NULL,
    require_pkce        INTEGER NOT NULL,
    -- Web pages of an app, which the consent page links to.
    home_page           TEXT,
    privacy_policy      TEXT,
    -- The person who registered the client; NULL if the operator did, or if the person was erased.
    owner_id            BLOB,
    -- Not approved by the operator.
    is_draft            INTEGER NOT NULL DEFAULT 0,
    -- An email address or a URL.
    contact             TEXT,
    -- JSON of an app registered from a document at its client_id, which is a URL: "url" of the document, and
    -- "fresh_until" in microseconds. NULL for other clients.
    document            TEXT,
    created_at          INTEGER NOT NULL,
    -- NULL unless the client is disabled.
    disabled_at         INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX client_owner ON client (owner_id) WHERE owner_id IS NOT NULL;

-- A draft is deleted with its owner; an approved client stays. A foreign key cannot treat them differently.
CREATE TRIGGER client_owner_erased AFTER DELETE ON account
BEGIN
    DELETE FROM client WHERE owner_id = OLD.id AND is_draft = 1;
    UPDATE client SET owner_id = NULL, contact = NULL WHERE owner_id = OLD.id;
END;

CREATE TABLE client_secret (
    client_id   BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    id          BLOB    NOT NULL CHECK (length(id) = 16),
    secret_hash BLOB    NOT NULL CHECK (length(secret_hash) = 32),
    created_at  INTEGER NOT NULL,
    -- NULL if it never expires.
    expires_at  INTEGER,
    PRIMARY KEY (client_id, id)
) STRICT, WITHOUT ROWID;

-- People other than the owner who can use a draft.
CREATE TABLE draft_user (
    client_id   BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    user_id     BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    admitted_at INTEGER NOT NULL,
    PRIMARY KEY (client_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX draft_user_user ON draft_user (user_id);

-- Requests of clients by day, endpoint and status.
CREATE TABLE client_usage (
    -- Without a foreign key: rows of a deleted client are deleted with their day.
    client_id   BLOB    NOT NULL,
    -- In UTC.
    day         TEXT    NOT NULL,
    endpoint    TEXT    NOT NULL,
    -- HTTP status.
    status      INTEGER NOT NULL,
    requests    INTEGER NOT NULL,
    -- Fewest requests that a daily limit left after one of these; NULL if none was counted against a limit.
    fewest_left INTEGER,
    -- Why the latest of them was rejected, and when; NULL if none was.
    rejection   TEXT,
    rejected_at INTEGER,
    PRIMARY KEY (client_id, day, endpoint, status)
) STRICT, WITHOUT ROWID;

CREATE INDEX client_usage_day ON client_usage (day);

-- Authorization ---------------------------------------------------------------------------------------------

CREATE TABLE authorization_request (
    id            BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    client_id     BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    redirect_uri  TEXT    NOT NULL,
    scopes        TEXT    NOT NULL,
    -- Audience of the access tokens: 'api' or 'mcp'.
    resource      TEXT    NOT NULL DEFAULT 'api',
    state         TEXT,
    -- The PKCE challenge, if the app sent one.
    challenge     BLOB    CHECK (challenge IS NULL OR length(challenge) = 32),
    force_consent INTEGER NOT NULL,
    -- Hash of the cookie of the browser.
    visit_hash    BLOB    NOT NULL CHECK (length(visit_hash) = 32),
    -- NULL until a person has signed in for it.
    user_id       BLOB    REFERENCES account (id) ON DELETE CASCADE,
    -- Email address that the app expects, to fill in the sign-in form; NULL if it named none.
    login_hint    TEXT,
    created_at    INTEGER NOT NULL,
    -- NULL while the decision is pending.
    decided_at    INTEGER
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
    -- As in authorization_request.
    resource          TEXT    NOT NULL DEFAULT 'api',
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

-- Consents that the person asked to remember.
CREATE TABLE consent (
    user_id       BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    client_id     BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes        TEXT    NOT NULL,
    remembered_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX consent_client ON consent (client_id);

CREATE TABLE access_grant (
    user_id             BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id                  BLOB    NOT NULL CHECK (length(id) = 16),
    client_id           BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes              TEXT    NOT NULL,
    -- As in authorization_request.
    resource            TEXT    NOT NULL DEFAULT 'api',
    -- Hash of the refresh token; of what all its tokens share if it rotates.
    refresh_token_hash  BLOB    NOT NULL CHECK (length(refresh_token_hash) = 32),
    -- NULL unless the refresh token rotates.
    newest_token_hash   BLOB,
    -- The token that the newest one replaced; these three are NULL until the first rotation.
    replaced_token_hash BLOB,
    -- The newest token, encrypted under the replaced one.
    sealed_token        BLOB,
    rotated_at          INTEGER,
    created_at          INTEGER NOT NULL,
    -- Latest refresh, to the hour; NULL before the first.
    last_used_at        INTEGER,
    -- Address of the latest refresh; NULL before the first.
    last_used_address   TEXT,
    -- Program name of the latest refresh, if it sent one.
    last_used_agent     TEXT,
    -- Both NULL while the grant is live.
    revoked_at          INTEGER,
    revocation_reason   TEXT,
    PRIMARY KEY (user_id, id),
    CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX access_grant_id ON access_grant (id);
CREATE UNIQUE INDEX access_grant_refresh_token ON access_grant (refresh_token_hash);
-- For the number of live grants of a client, and for its deletion.
CREATE INDEX access_grant_of_client ON access_grant (client_id);
-- A redemption counts the live grants of its client and person.
CREATE INDEX access_grant_live ON access_grant (user_id, client_id) WHERE revoked_at IS NULL;
CREATE INDEX access_grant_revoked ON access_grant (revoked_at) WHERE revoked_at IS NOT NULL;

-- Found by its hash on every request that uses one.
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
    -- Encrypted under keys.encryption_key and bound to id.
    private_key BLOB    NOT NULL,
    created_at  INTEGER NOT NULL,
    -- NULL while its signatures are accepted.
    retired_at  INTEGER
) STRICT, WITHOUT ROWID;

-- Health data -----------------------------------------------------------------------------------------------

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

-- Labels: those of the catalogue, shared by all people, and people's own products. One row for each version
-- of a label.
CREATE TABLE supplement (
    id               BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    catalogue_source TEXT    NOT NULL,
    -- The key of a person's own product begins with their id (domain::supplement::CatalogueKey).
    catalogue_key    TEXT    NOT NULL,
    -- The owner of such a product; NULL for the catalogue. In hexadecimal, as hex() writes it: SQLite reads
    -- it back only since 3.41, which distributions do not have yet.
    owner_id         TEXT    GENERATED ALWAYS AS (
        CASE catalogue_source WHEN 'own' THEN upper(replace(substr(catalogue_key, 1, 36), '-', '')) END
    ) VIRTUAL,
    -- 0 once a newer version has the key.
    is_current       INTEGER NOT NULL,
    brand            TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    servings         TEXT    NOT NULL,
    upc              TEXT    NOT NULL,
    label_date       TEXT,
    entry_date       INTEGER NOT NULL,
    -- In the order of the label, as JSON: [{"name", "quantity", "unit", "active"}], the middle two only if
    -- stated.
    ingredients      TEXT    NOT NULL,
    -- The bar code as 14 digits (domain::supplement::Upc); NULL if upc is no such code.
    upc_digits       TEXT,
    -- Searched text, written like a query in domain::supplement::SearchWords: lower case, blanks instead of
    -- punctuation, and a blank before each word.
    search_text      TEXT    GENERATED ALWAYS AS (
        substr(' ' || lower(
            replace(replace(replace(replace(replace(replace(replace(replace(
            replace(replace(replace(replace(replace(replace(replace(
            replace(replace(replace(replace(replace(replace(replace(
            name || ' ' || brand,
            '-', ' '), ',', ' '), '.', ' '), ';', ' '), ':', ' '), '/', ' '), '\', ' '), '(', ' '),
            ')', ' '), '[', ' '), ']', ' '), '''', ' '), '"', ' '), '&', ' '), '+', ' '),
            '*', ' '), '%', ' '), '#', ' '), '!', ' '), '?', ' '), '_', ' '), '|', ' ')
        ), 1, 300)
    ) VIRTUAL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX supplement_current ON supplement (catalogue_source, catalogue_key) WHERE is_current = 1;
CREATE INDEX supplement_upc ON supplement (upc_digits, entry_date, id) WHERE upc_digits IS NOT NULL;
CREATE INDEX supplement_owner ON supplement (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX supplement_name ON supplement (search_text, id) WHERE is_current = 1 AND owner_id IS NULL;

-- Instead of a foreign key, because owner_id is text.
CREATE TRIGGER supplement_owner_erased AFTER DELETE ON account
BEGIN
    DELETE FROM supplement WHERE owner_id = hex(OLD.id);
END;

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

-- Imports ---------------------------------------------------------------------------------------------------

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
    -- NULL until the import is done, refused or being undone.
    ended_at          INTEGER,
    -- A JSON object.
    report            TEXT    NOT NULL,
    refusal           TEXT,
    -- Until when the server that reads the upload has it to itself; NULL if none does.
    lease_until       INTEGER,
    -- Latest update of the row; NULL before the first. A running import without an update for long is lost.
    updated_at        INTEGER,
    -- Bytes that the check before the first stored record has passed.
    bytes_checked     INTEGER NOT NULL DEFAULT 0,
    -- How often a server started to read the upload.
    tries             INTEGER NOT NULL DEFAULT 0,
    -- Start of a recording that does not state it, with its offset (RFC 3339).
    recording_start   TEXT,
    -- Changed and proposed profile fields as JSON: field, old and new value, whether applied. NULL if there
    -- are none.
    profile_changes   TEXT,
    -- Whether an upload overwrites profile fields that differ.
    overwrite_profile INTEGER NOT NULL DEFAULT 0,
    -- 'person' or 'operator'; NULL unless it was cancelled.
    cancelled_by      TEXT,
    -- Whether labels of supplements were left out, because the file is an upload.
    left_out_labels   INTEGER NOT NULL DEFAULT 0,
    -- What undoing it did, as JSON: counts, and the records that were kept. NULL unless it was undone.
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

-- The parts of an upload, stored as received.
CREATE TABLE import_part (
    import_id BLOB    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    bytes     BLOB    NOT NULL,
    PRIMARY KEY (import_id, position)
) STRICT;

-- What an import did to each record, so that it can be undone.
CREATE TABLE import_change (
    -- The order of all changes; of two changes to one record the later one has the greater number.
    sequence      INTEGER NOT NULL PRIMARY KEY,
    import_id     BLOB    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('session', 'log', 'label')),
    record_id     BLOB    NOT NULL CHECK (length(record_id) = 16),
    -- Owner of the record; two people may have records of one id. NULL for a label of a catalogue.
    user_id       BLOB    CHECK (user_id IS NULL OR length(user_id) = 16),
    -- The record before the import, as JSON; NULL if the import created it.
    before        TEXT,
    -- Hashes of the version that the import found, and of the one that it left, cut to 16 bytes; NULL if
    -- there was, or is, no record.
    version_found BLOB    CHECK (version_found IS NULL OR length(version_found) = 16),
    version_left  BLOB    CHECK (version_left IS NULL OR length(version_left) = 16),
    -- The session that replaced a removed one.
    replaced_by   BLOB    CHECK (replaced_by IS NULL OR length(replaced_by) = 16)
) STRICT;

-- One index for both, what an import did to a record and what others did to it: ids are random, and each
-- index of random values costs a large import a page for nearly every row.
CREATE UNIQUE INDEX import_change_record ON import_change (record_id, kind, import_id);
-- The order of undoing, reversed: logs before the labels that they refer to.
CREATE INDEX import_change_order ON import_change (import_id, kind <> 'label', sequence);

-- Webhooks --------------------------------------------------------------------------------------------------

CREATE TABLE webhook_endpoint (
    id                         BLOB    NOT NULL PRIMARY KEY,
    client_id                  BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    url                        TEXT    NOT NULL,
    -- Email address that is notified when the endpoint is disabled; NULL if the operator gave none.
    contact                    TEXT,
    -- 'unconfirmed', 'active', or why the endpoint is disabled.
    status                     TEXT    NOT NULL,
    disabled_at                INTEGER,
    -- Created or approved by the operator; any other receiver must have a public address.
    is_reviewed                INTEGER NOT NULL DEFAULT 0,
    -- Encrypted under keys.encryption_key and bound to id, as is the previous one.
    secret                     BLOB    NOT NULL,
    previous_secret            BLOB,
    previous_secret_expires_at INTEGER,
    created_at                 INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_endpoint_client ON webhook_endpoint (client_id);

-- Events that an endpoint has not been sent yet. At most one row for each person, endpoint and kind: a
-- thousand changes are one event.
CREATE TABLE webhook_event (
    -- Without a foreign key, because a person.erased event outlives the person; nil for events about nobody.
    user_id     BLOB    NOT NULL,
    endpoint_id BLOB    NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL,
    -- Change number of the person for 'records.changed', otherwise the time of the event in microseconds.
    number      INTEGER NOT NULL,
    -- Change number up to which the endpoint was notified.
    announced   INTEGER NOT NULL,
    -- Time of the event; for 'records.changed', of the first change that the endpoint was not notified of.
    occurred_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    -- Attempts that failed.
    failed      INTEGER NOT NULL,
    -- NULL if the endpoint was notified of everything.
    due_at      INTEGER,
    PRIMARY KEY (user_id, endpoint_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_event_due ON webhook_event (endpoint_id, due_at) WHERE due_at IS NOT NULL;

-- The log of deliveries.
CREATE TABLE webhook_delivery (
    id               BLOB    NOT NULL PRIMARY KEY,
    endpoint_id      BLOB    NOT NULL,
    -- Nil for events about nobody or about an erased person.
    user_id          BLOB    NOT NULL,
    kind             TEXT    NOT NULL,
    number           INTEGER NOT NULL,
    announced_before INTEGER NOT NULL,
    occurred_at      INTEGER NOT NULL,
    -- Start of the attempt.
    at               INTEGER NOT NULL,
    milliseconds     INTEGER NOT NULL,
    -- HTTP status, or why there was no response.
    result           TEXT    NOT NULL,
    next_attempt_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, at);
CREATE INDEX webhook_delivery_user ON webhook_delivery (user_id);
CREATE INDEX webhook_delivery_at ON webhook_delivery (at);

-- Records of access -----------------------------------------------------------------------------------------

-- The audit trail. No foreign keys: events outlive the client, and the erasure of a person deletes theirs.
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
    -- As in session.
    device      TEXT,
    -- The scopes that a person granted, of events about that.
    scopes      TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_event_time ON audit_event (at, id);
CREATE INDEX audit_event_user ON audit_event (user_id, at, id);
CREATE INDEX audit_event_client ON audit_event (client_id, at, id);

-- Events are never changed, only deleted at the end of their retention or with the person.
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

-- Operation -------------------------------------------------------------------------------------------------

-- Email that waits to be sent.
CREATE TABLE outbox (
    id        BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- Encrypted under keys.encryption_key and bound to id.
    sealed    BLOB    NOT NULL,
    queued_at INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    attempts  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_due ON outbox (due_at);

-- Failed attempts to sign in and the like.
CREATE TABLE failure_counter (
    -- Hash of what the attempts were for.
    key             BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    window_began_at INTEGER NOT NULL,
    failures        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX failure_counter_window ON failure_counter (window_began_at);

-- Responses that are returned again when their request is repeated.
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

-- Hashes of the ids of erased people, which are never used again. Ids have 122 random bits, so that nobody
-- finds one by trying hashes. Nothing connects them with the receipts in erasure.
CREATE TABLE erased_person (
    id_hash BLOB NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32)
) STRICT, WITHOUT ROWID;

-- Receipts of erasures.
CREATE TABLE erasure (
    id BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX erasure_time ON erasure (at, id);
