-- Signing in, consent, personal access tokens, the audit trail and mail. Types as in the first schema.
-- Whatever names a person as its owner goes with the account; the audit trail refers to nothing and stays.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000002', 1);

-- From where the refresh token was last used; both NULL while that is not known.
ALTER TABLE access_grant ADD COLUMN last_used_address TEXT;
ALTER TABLE access_grant ADD COLUMN last_used_agent TEXT;

CREATE TABLE password (
    user_id    BLOB    NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    -- A PHC string, which names its own parameters.
    hash       TEXT    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE authorization_request (
    id            BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    client_id     BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    redirect_uri  TEXT    NOT NULL,
    scopes        TEXT    NOT NULL,
    state         TEXT,
    challenge     BLOB    CHECK (challenge IS NULL OR length(challenge) = 32),
    force_consent INTEGER NOT NULL,
    visit_hash    BLOB    NOT NULL CHECK (length(visit_hash) = 32),
    -- NULL until somebody has signed in for it.
    user_id       BLOB    REFERENCES account (id) ON DELETE CASCADE,
    created_at    INTEGER NOT NULL,
    -- NULL while it is open.
    decided_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX authorization_request_created ON authorization_request (created_at);
CREATE INDEX authorization_request_client ON authorization_request (client_id);
CREATE INDEX authorization_request_user ON authorization_request (user_id);

CREATE TABLE consent (
    user_id       BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    client_id     BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes        TEXT    NOT NULL,
    remembered_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX consent_client ON consent (client_id);

CREATE TABLE personal_token (
    user_id      BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id           BLOB    NOT NULL CHECK (length(id) = 16),
    name         TEXT    NOT NULL,
    token_hash   BLOB    NOT NULL CHECK (length(token_hash) = 32),
    scopes       TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    last_used_at INTEGER,
    revoked_at   INTEGER,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX personal_token_hash ON personal_token (token_hash);

-- No foreign keys: it tells of what was erased, too.
CREATE TABLE audit_event (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at          INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    actor       TEXT    NOT NULL,
    user_id     BLOB    CHECK (user_id IS NULL OR length(user_id) = 16),
    client_id   BLOB    CHECK (client_id IS NULL OR length(client_id) = 16),
    subject     BLOB    CHECK (subject IS NULL OR length(subject) = 16),
    event_count INTEGER,
    address     TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_event_time ON audit_event (at, id);
CREATE INDEX audit_event_user ON audit_event (user_id, at, id);
CREATE INDEX audit_event_client ON audit_event (client_id, at, id);

-- What was written stays as it is, whoever asks; only events past their retention are deleted.
CREATE TRIGGER audit_event_unchanged BEFORE UPDATE ON audit_event
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is never changed');
END;

-- INSERT OR REPLACE would delete the old row without asking a trigger.
CREATE TRIGGER audit_event_unreplaced BEFORE INSERT ON audit_event
WHEN EXISTS (SELECT 1 FROM audit_event WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is never changed');
END;

CREATE TABLE read_tally (
    user_id     BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- The first instant of the minute.
    minute      INTEGER NOT NULL,
    reader_kind TEXT    NOT NULL CHECK (reader_kind IN ('client', 'personal_token')),
    reader_id   BLOB    NOT NULL CHECK (length(reader_id) = 16),
    kind        TEXT    NOT NULL,
    requests    INTEGER NOT NULL,
    items       INTEGER NOT NULL,
    -- NULL means without end.
    range_from  INTEGER,
    range_to    INTEGER,
    PRIMARY KEY (user_id, minute, reader_kind, reader_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX read_tally_minute ON read_tally (minute);
-- For when an app read last, however much others read since.
CREATE INDEX read_tally_reader ON read_tally (user_id, reader_id, minute);

CREATE TABLE outbox (
    id        BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- Encrypted, and bound to the id.
    sealed    BLOB    NOT NULL,
    queued_at INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    attempts  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_due ON outbox (due_at);
