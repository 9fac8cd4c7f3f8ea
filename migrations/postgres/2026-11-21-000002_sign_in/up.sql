-- Sign-in, consent, personal access tokens, the audit trail, the sums of reads, and mail that waits.
--
-- What a person has few of, and what is found by a hash alone, is not partitioned: a unique index of a partitioned
-- table would have to hold user_id. The sums of reads are many and are read by person; they lie like other data.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000002', 1);

-- From where the refresh token was last used; NULL while it never was, or was before this was noted.
ALTER TABLE access_grant
    ADD COLUMN last_used_address text,
    -- What the program calls itself, if anything.
    ADD COLUMN last_used_agent   text;

CREATE TABLE password (
    user_id    uuid        PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    -- A PHC string, which carries its own parameters.
    hash       text        NOT NULL,
    changed_at timestamptz NOT NULL
);

-- One-time links; using one deletes it.
CREATE TABLE password_link (
    link_hash  bytea       PRIMARY KEY CHECK (octet_length(link_hash) = 32),
    purpose    text        NOT NULL CHECK (purpose IN ('invitation', 'reset', 'sign_up')),
    user_id    uuid        REFERENCES account (id) ON DELETE CASCADE,
    -- Of a sign-up alone, which has no account yet.
    email      text,
    expires_at timestamptz NOT NULL,
    CHECK ((user_id IS NULL) = (email IS NOT NULL)),
    CHECK ((purpose = 'sign_up') = (email IS NOT NULL))
);

CREATE INDEX password_link_user ON password_link (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX password_link_end ON password_link (expires_at);

-- Found by the hash of its cookie on every page.
CREATE TABLE session (
    user_id          uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id               uuid        NOT NULL,
    token_hash       bytea       NOT NULL CONSTRAINT session_token UNIQUE CHECK (octet_length(token_hash) = 32),
    method           text        NOT NULL CHECK (method IN ('password')),
    authenticated_at timestamptz NOT NULL,
    -- To the minute.
    last_seen_at     timestamptz NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX session_last_seen ON session (last_seen_at);
CREATE INDEX session_authenticated ON session (authenticated_at);

CREATE TABLE authorization_request (
    id            uuid        PRIMARY KEY,
    client_id     uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    redirect_uri  text        NOT NULL,
    scopes        text        NOT NULL,
    state         text,
    challenge     bytea       CHECK (octet_length(challenge) = 32),
    force_consent boolean     NOT NULL,
    visit_hash    bytea       NOT NULL CHECK (octet_length(visit_hash) = 32),
    -- NULL until somebody has signed in for it.
    user_id       uuid        REFERENCES account (id) ON DELETE CASCADE,
    created_at    timestamptz NOT NULL,
    -- NULL while the person can still decide.
    decided_at    timestamptz
);

CREATE INDEX authorization_request_created ON authorization_request (created_at);
CREATE INDEX authorization_request_client ON authorization_request (client_id);
CREATE INDEX authorization_request_user ON authorization_request (user_id) WHERE user_id IS NOT NULL;

-- What a person told Restwell not to ask again.
CREATE TABLE consent (
    user_id       uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    client_id     uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes        text        NOT NULL,
    remembered_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, client_id)
);

CREATE INDEX consent_client ON consent (client_id);

-- Found by its hash on every request that brings one. The last use is updated in place: no index has it.
CREATE TABLE personal_token (
    user_id      uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id           uuid        NOT NULL,
    name         text        NOT NULL,
    token_hash   bytea       NOT NULL CONSTRAINT personal_token_hash UNIQUE CHECK (octet_length(token_hash) = 32),
    scopes       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    -- NULL when it has no end.
    expires_at   timestamptz,
    -- To the minute; NULL while it never was.
    last_used_at timestamptz,
    -- NULL while it counts.
    revoked_at   timestamptz,
    PRIMARY KEY (user_id, id)
) WITH (fillfactor = 85);

-- The audit trail. No foreign keys: what happened stays known when the person or the client is gone. The kinds
-- are not listed here, because every release may bring more of them.
CREATE TABLE audit_event (
    id          uuid        PRIMARY KEY,
    at          timestamptz NOT NULL,
    kind        text        NOT NULL,
    actor       text        NOT NULL CHECK (actor IN ('person', 'operator', 'client', 'server')),
    user_id     uuid,
    client_id   uuid,
    -- The grant, session, token, secret or key, as the kind says.
    subject     uuid,
    event_count bigint,
    -- An IPv4 address, or an IPv6 network of 64 bits.
    address     text
);

CREATE INDEX audit_event_time ON audit_event (at, id);
CREATE INDEX audit_event_user ON audit_event (user_id, at, id);
CREATE INDEX audit_event_client ON audit_event (client_id, at, id);

-- An event is never changed. It may be deleted, when its time of keeping is over.
CREATE FUNCTION restwell_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is never changed' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_event_unchanged BEFORE UPDATE OR TRUNCATE ON audit_event
FOR EACH STATEMENT EXECUTE FUNCTION restwell_refuse_change();

-- Who read how much of what, summed by minute; never the values.
CREATE TABLE read_tally (
    user_id     uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- By its first instant.
    minute      timestamptz NOT NULL,
    reader_kind text        NOT NULL CHECK (reader_kind IN ('client', 'personal_token')),
    reader_id   uuid        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('profile', 'sleep', 'supplements', 'refresh')),
    requests    bigint      NOT NULL,
    items       bigint      NOT NULL,
    -- The widest range that was asked for; NULL where it is open.
    range_from  timestamptz,
    range_to    timestamptz,
    PRIMARY KEY (user_id, minute, reader_kind, reader_id, kind)
) PARTITION BY HASH (user_id);

CREATE INDEX read_tally_minute ON read_tally (minute);
-- For when an app read last, however much others read since. No other index has this order (there are no NULLs, but
-- the planner does not look), so that none is walked through in the hope of finding the app soon.
CREATE INDEX read_tally_reader ON read_tally (user_id, reader_id, minute DESC NULLS LAST);

-- A sum is updated in place, on columns without an index, as long as its minute lasts: the room left in the pages
-- keeps such updates local.
DO $$
BEGIN
    FOR remainder IN 0..15 LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF read_tally FOR VALUES WITH (MODULUS 16, REMAINDER %s) '
            'WITH (fillfactor = 85)', 'read_tally_' || lpad(remainder::text, 2, '0'), remainder);
    END LOOP;
END
$$;

-- Messages that wait to be sent.
CREATE TABLE outbox (
    id        uuid        PRIMARY KEY,
    -- Sealed under the operator's key.
    sealed    bytea       NOT NULL,
    queued_at timestamptz NOT NULL,
    due_at    timestamptz NOT NULL,
    attempts  integer     NOT NULL
);

CREATE INDEX outbox_due ON outbox (due_at);
