-- Numbers of changes, imports that can be taken back, erasures, answers to repeated requests. Types as in the first
-- schema. Whatever names a person as its owner goes with the account; what tells of an erasure refers to nothing.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000004', 1);

-- The latest number of the person's changes, and that of the last change of the profile.
ALTER TABLE account ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN profile_change_number INTEGER NOT NULL DEFAULT 0;

-- 0 in rows from before changes were counted: they are told first, in the order of their ids.
ALTER TABLE sleep_session ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sleep_session_change ON sleep_session (user_id, change_number, id);
ALTER TABLE intake_log ADD COLUMN change_number INTEGER NOT NULL DEFAULT 0;
CREATE INDEX intake_log_change ON intake_log (user_id, change_number, id);

-- What is left of a record that is gone; a record that is stored again takes its own away.
CREATE TABLE deletion (
    user_id       BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('sleep', 'supplements')),
    id            BLOB    NOT NULL CHECK (length(id) = 16),
    change_number INTEGER NOT NULL,
    deleted_at    INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX deletion_change ON deletion (user_id, kind, change_number, id);
CREATE INDEX deletion_time ON deletion (deleted_at);

-- The product code as domain::supplement::Upc prints it; NULL where the label states none.
ALTER TABLE supplement ADD COLUMN upc_digits TEXT;
-- How often the version was overwritten.
ALTER TABLE supplement ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

UPDATE supplement
SET upc_digits = substr('00000000000000' || replace(replace(replace(upc, ' ', ''), '-', ''), char(160), ''), -14)
WHERE length(replace(replace(replace(upc, ' ', ''), '-', ''), char(160), '')) BETWEEN 8 AND 14
  AND replace(replace(replace(upc, ' ', ''), '-', ''), char(160), '') NOT GLOB '*[^0-9]*'
  AND replace(replace(replace(upc, ' ', ''), '-', ''), char(160), '') GLOB '*[1-9]*';

CREATE INDEX supplement_upc ON supplement (upc_digits, entry_date, id) WHERE upc_digits IS NOT NULL;

CREATE TABLE import (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- NULL for a catalogue, which is nobody's.
    user_id     BLOB    REFERENCES account (id) ON DELETE CASCADE,
    origin      TEXT    NOT NULL CHECK (origin IN ('command', 'upload')),
    file_name   TEXT    NOT NULL,
    format      TEXT,
    digest      BLOB    CHECK (digest IS NULL OR length(digest) = 32),
    zone        TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    size        INTEGER NOT NULL,
    bytes_done  INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    -- NULL until it is done, refused or undone.
    ended_at    INTEGER,
    -- A JSON object.
    report      TEXT    NOT NULL,
    refusal     TEXT,
    -- Until when one server works on the upload; NULL while none does.
    lease_until INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX import_user ON import (user_id, started_at, id);
CREATE INDEX import_start ON import (started_at, id);
CREATE INDEX import_end ON import (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX import_upload ON import (started_at, id)
    WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running');

CREATE TABLE import_part (
    import_id BLOB    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    bytes     BLOB    NOT NULL,
    PRIMARY KEY (import_id, position)
) STRICT;

-- What an import did to a record, until it is taken back or too old for that.
CREATE TABLE import_change (
    -- In the order in which it was noted: of labels the later one may have taken the place of the earlier one.
    sequence      INTEGER NOT NULL PRIMARY KEY,
    import_id     BLOB    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('session', 'log', 'profile', 'label')),
    record_id     BLOB    NOT NULL CHECK (length(record_id) = 16),
    -- Whose record; NULL for labels of a catalogue. It goes with the import.
    user_id       BLOB    CHECK (user_id IS NULL OR length(user_id) = 16),
    -- The record's own number (of a label its revision) after the import's last write.
    change_number INTEGER NOT NULL,
    -- A JSON object: the record before the import's first write; NULL when there was none.
    before        TEXT
) STRICT;

-- One index for both, what an import did to a record and what others did to it: ids are random, and each index of
-- random values costs a large import a page for nearly every row.
CREATE UNIQUE INDEX import_change_record ON import_change (record_id, kind, import_id);
-- The order in which it is taken back: logs before the labels that they point at.
CREATE INDEX import_change_order ON import_change (import_id, kind = 'label', change_number DESC, sequence DESC);

-- Both tell of an erasure without saying of whom: the id of a person is 122 random bits, so nobody finds it by trying
-- hashes, and the receipt has a number of its own.
CREATE TABLE erased_person (
    id_hash BLOB NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasure (
    id BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX erasure_time ON erasure (at, id);

CREATE TABLE idempotent_answer (
    client_id    BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    key_hash     BLOB    NOT NULL CHECK (length(key_hash) = 32),
    content_hash BLOB    NOT NULL CHECK (length(content_hash) = 32),
    claimed_at   INTEGER NOT NULL,
    -- Both NULL while the request is worked on.
    status       INTEGER,
    body         BLOB,
    PRIMARY KEY (client_id, key_hash),
    CHECK ((status IS NULL) = (body IS NULL))
) STRICT;

CREATE INDEX idempotent_answer_time ON idempotent_answer (claimed_at);
