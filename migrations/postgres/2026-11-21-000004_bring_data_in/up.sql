-- What changed of a person's records, imports that can be undone, erasures, and answers to requests that come twice.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000004', 1);

-- Every write of a person's records takes the person's next number and holds the row until its commit, so that
-- numbers grow in the order of commits. No index has them: such an update stays within its page, given room.
ALTER TABLE account
    ADD COLUMN change_number         bigint NOT NULL DEFAULT 0,
    -- That of the profile's last change.
    ADD COLUMN profile_change_number bigint NOT NULL DEFAULT 0,
    SET (fillfactor = 85);

-- Records from before changes were counted have the number 0 and are told in the order of their ids.
ALTER TABLE sleep_session ADD COLUMN change_number bigint NOT NULL DEFAULT 0;
CREATE INDEX sleep_session_change ON sleep_session (user_id, change_number, id);
ALTER TABLE intake_log ADD COLUMN change_number bigint NOT NULL DEFAULT 0;
CREATE INDEX intake_log_change ON intake_log (user_id, change_number, id);
-- For a label that is deleted: whether a log of anybody points at it.
CREATE INDEX intake_log_supplement ON intake_log (supplement_id);

-- Records that are gone, for as long as apps may ask.
CREATE TABLE deletion (
    user_id       uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind          text        NOT NULL CHECK (kind IN ('sleep', 'supplements')),
    id            uuid        NOT NULL,
    change_number bigint      NOT NULL,
    deleted_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) PARTITION BY HASH (user_id);

-- By kind first, so that a reader of one kind does not step over the others.
CREATE INDEX deletion_change ON deletion (user_id, kind, change_number, id);
CREATE INDEX deletion_time ON deletion (deleted_at);

DO $$
BEGIN
    FOR remainder IN 0..15 LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF deletion FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
            'deletion_' || lpad(remainder::text, 2, '0'), remainder);
    END LOOP;
END
$$;

ALTER TABLE supplement
    -- The code under the bar code as 14 digits (domain::supplement::Upc); NULL when the label's text is none.
    ADD COLUMN upc_digits text,
    -- How often the version was overwritten.
    ADD COLUMN revision   bigint NOT NULL DEFAULT 0;

UPDATE supplement SET upc_digits = lpad(stripped.digits, 14, '0')
FROM (SELECT id, translate(upc, ' -' || chr(160), '') AS digits FROM supplement) AS stripped
WHERE stripped.id = supplement.id AND stripped.digits ~ '^[0-9]{8,14}$' AND stripped.digits ~ '[1-9]';

CREATE INDEX supplement_upc ON supplement (upc_digits, entry_date, id) WHERE upc_digits IS NOT NULL;

CREATE TABLE import (
    id          uuid        PRIMARY KEY,
    -- NULL for a catalogue.
    user_id     uuid        REFERENCES account (id) ON DELETE CASCADE,
    origin      text        NOT NULL CHECK (origin IN ('command', 'upload')),
    file_name   text        NOT NULL,
    -- NULL until it is recognised.
    format      text,
    -- NULL until it is known.
    digest      bytea       CHECK (octet_length(digest) = 32),
    -- Of local times that carry no offset.
    zone        text        NOT NULL,
    state       text        NOT NULL CHECK (state IN
        ('receiving', 'waiting', 'running', 'done', 'refused', 'undone')),
    size        bigint      NOT NULL,
    bytes_done  bigint      NOT NULL,
    started_at  timestamptz NOT NULL,
    -- NULL until nothing more will happen by itself.
    ended_at    timestamptz,
    report      json        NOT NULL,
    refusal     text,
    -- Of an upload alone: until when the server that reads it has it to itself.
    lease_until timestamptz
) WITH (fillfactor = 70);

CREATE INDEX import_user ON import (user_id, started_at, id);
CREATE INDEX import_start ON import (started_at, id);
CREATE INDEX import_end ON import (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX import_upload ON import (started_at, id)
    WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running');

-- The parts of an upload. They are compressed already, or will be read once: they lie as they came.
CREATE TABLE import_part (
    import_id uuid    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    position  integer NOT NULL CHECK (position >= 0),
    bytes     bytea   NOT NULL,
    PRIMARY KEY (import_id, position)
);

ALTER TABLE import_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- What an import did to each record, so that it can be taken back.
CREATE TABLE import_change (
    import_id     uuid   NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    kind          text   NOT NULL CHECK (kind IN ('session', 'log', 'profile', 'label')),
    record_id     uuid   NOT NULL,
    -- Whose record; two people may have records of one id.
    user_id       uuid,
    -- The record's own number after the write: that of its change, of its deletion, or a label's revision.
    change_number bigint NOT NULL,
    -- What the record was; NULL when the import made it.
    before        json,
    -- In the order in which it was noted: of labels the later one may have taken the place of the earlier one.
    sequence      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (import_id, kind, record_id)
);

CREATE INDEX import_change_record ON import_change (kind, record_id, change_number);
-- In the order of taking back: labels after what points at them.
CREATE INDEX import_change_order ON import_change
    (import_id, (kind = 'label'), change_number DESC, sequence DESC);

-- Ids that are never given out again, as their hashes, and that people were erased. Nothing connects the two.
CREATE TABLE erased_person (
    id_hash bytea PRIMARY KEY CHECK (octet_length(id_hash) = 32)
);

CREATE TABLE erasure (
    id uuid        PRIMARY KEY,
    at timestamptz NOT NULL
);

CREATE INDEX erasure_time ON erasure (at, id);

-- Answers that are given again when the request comes again.
CREATE TABLE idempotent_answer (
    client_id    uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    key_hash     bytea       NOT NULL CHECK (octet_length(key_hash) = 32),
    content_hash bytea       NOT NULL CHECK (octet_length(content_hash) = 32),
    claimed_at   timestamptz NOT NULL,
    -- Both NULL while the request is being worked on.
    status       smallint,
    body         bytea,
    PRIMARY KEY (client_id, key_hash),
    CHECK ((status IS NULL) = (body IS NULL))
);

CREATE INDEX idempotent_answer_time ON idempotent_answer (claimed_at);
