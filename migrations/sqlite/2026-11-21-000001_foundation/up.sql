-- The first schema. Times are microseconds since 1970-01-01 UTC, those of sleep sessions milliseconds;
-- ids are UUIDs as 16 bytes, hashes SHA-256 as 32 bytes, booleans 0 or 1.

-- Which program may run on which schema: one row a migration, written by the migration itself.
CREATE TABLE schema_compatibility (
    version        TEXT    NOT NULL PRIMARY KEY,
    oldest_program INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000001', 1);

CREATE TABLE account (
    id               BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    email            TEXT    NOT NULL,
    email_normalised TEXT    NOT NULL UNIQUE,
    home_timezone    TEXT    NOT NULL,
    -- NULL while the account can be used.
    locked_at        INTEGER,
    created_at       INTEGER NOT NULL,
    birth_date       TEXT,
    biological_sex   TEXT,
    blood_type       TEXT,
    height_cm        REAL,
    weight_kg        REAL,
    skin_type        INTEGER,
    wheelchair_use   INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE client (
    id                  BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name                TEXT    NOT NULL,
    kind                TEXT    NOT NULL,
    -- A JSON array of strings.
    redirect_uris       TEXT    NOT NULL,
    -- Names separated by one space.
    scopes              TEXT    NOT NULL,
    allow_query_secrets INTEGER NOT NULL,
    require_pkce        INTEGER NOT NULL,
    -- NULL while the client may be used.
    disabled_at         INTEGER,
    created_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE client_secret (
    client_id   BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    id          BLOB    NOT NULL CHECK (length(id) = 16),
    secret_hash BLOB    NOT NULL CHECK (length(secret_hash) = 32),
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    PRIMARY KEY (client_id, id)
) STRICT, WITHOUT ROWID;

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
    PRIMARY KEY (user_id, id),
    CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX access_grant_id ON access_grant (id);
CREATE UNIQUE INDEX access_grant_refresh_token ON access_grant (refresh_token_hash);
CREATE INDEX access_grant_client ON access_grant (user_id, client_id);
CREATE INDEX access_grant_of_client ON access_grant (client_id);

CREATE TABLE sleep_session (
    user_id         BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    started_at      INTEGER NOT NULL,
    id              BLOB    NOT NULL CHECK (length(id) = 16),
    ended_at        INTEGER NOT NULL,
    -- Minutes east of UTC.
    offset_at_start INTEGER,
    offset_at_end   INTEGER,
    -- '' where no source is known: NULLs would never be equal in a unique key.
    source          TEXT    NOT NULL,
    key_kind        TEXT    NOT NULL CHECK (key_kind IN ('given', 'derived')),
    natural_key     TEXT    NOT NULL,
    is_nap          INTEGER,
    updated_at      INTEGER NOT NULL,
    -- Packed; see domain::sleep::packed.
    stages          BLOB    NOT NULL,
    metrics         BLOB    NOT NULL,
    PRIMARY KEY (user_id, started_at, id),
    UNIQUE (user_id, id),
    UNIQUE (user_id, source, key_kind, natural_key)
) STRICT, WITHOUT ROWID;

-- Keys without rows, so that skipping to a page far back does not read the rows that it skips.
CREATE INDEX sleep_session_start ON sleep_session (user_id, started_at, id);

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
    ingredients      TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX supplement_current ON supplement (catalogue_source, catalogue_key) WHERE is_current = 1;

CREATE TABLE intake_log (
    user_id       BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    supplement_id BLOB    NOT NULL REFERENCES supplement (id),
    created_at    INTEGER NOT NULL,
    id            BLOB    NOT NULL CHECK (length(id) = 16),
    servings      REAL    NOT NULL,
    external_key  TEXT,
    PRIMARY KEY (user_id, supplement_id, created_at, id),
    UNIQUE (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX intake_log_external_key ON intake_log (user_id, external_key)
    WHERE external_key IS NOT NULL;
CREATE INDEX intake_log_time ON intake_log (user_id, created_at, id);
CREATE INDEX intake_log_supplement ON intake_log (supplement_id);

CREATE TABLE signing_key (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    public_key  BLOB    NOT NULL CHECK (length(public_key) = 32),
    private_key BLOB    NOT NULL,
    created_at  INTEGER NOT NULL,
    -- NULL while its signatures are accepted.
    retired_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE failure_counter (
    key             BLOB    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    window_began_at INTEGER NOT NULL,
    failures        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX failure_counter_window ON failure_counter (window_began_at);
