-- The schema of the first release.
--
-- A person is a row of `person`, which has what must be unique over all people, and a row of `account` with
-- the rest. Foreign keys to a person reference `person`.
--
-- user_id leads every key of access_grant, sleep_session, intake_log, deletion and read_tally, which are
-- hash-partitioned by it: a statement that names the person reads one partition. Small tables, and those
-- found by a hash alone, are not partitioned: a unique index of a partitioned table must contain user_id.
--
-- deploy/citus/distribute.sql distributes an empty store over the workers of a Citus cluster.
--
-- Enums are text, so that plain SQL can read them. A CHECK lists the values unless later releases may add
-- some. Hashes are SHA-256.

-- Programs that may use the schema: one row for each migration, written by the migration itself.
CREATE TABLE schema_compatibility (
    version        text    PRIMARY KEY,
    oldest_program integer NOT NULL
);

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261122000001', 1);

-- People ----------------------------------------------------------------------------------------------------

-- What must be unique over all people. On Citus it is copied to every node, and account is distributed by id.
CREATE TABLE person (
    id               uuid PRIMARY KEY,
    email_normalised text NOT NULL CONSTRAINT person_email UNIQUE
);

-- Pages have free space, because the change numbers are updated in place.
CREATE TABLE account (
    id                    uuid        PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    email                 text        NOT NULL,
    home_timezone         text        NOT NULL,
    -- NULL unless the account is locked.
    locked_at             timestamptz,
    created_at            timestamptz NOT NULL,
    birth_date            date,
    biological_sex        text        CHECK (biological_sex IN ('female', 'male', 'other')),
    blood_type            text        CHECK (blood_type IN
        ('A+', 'A-', 'B+', 'B-', 'AB+', 'AB-', 'O+', 'O-')),
    height_cm             double precision,
    weight_kg             double precision,
    skin_type             smallint    CHECK (skin_type BETWEEN 1 AND 6),
    wheelchair_use        boolean,
    -- Number of the latest change to the person's records. Each write takes the next one and locks the row
    -- until it commits, so that numbers grow in commit order.
    change_number         bigint      NOT NULL DEFAULT 0,
    -- Number of the latest change to the profile.
    profile_change_number bigint      NOT NULL DEFAULT 0
) WITH (fillfactor = 85);

-- Where the value of a profile field came from. A field without a row is as it was when the account was
-- created.
CREATE TABLE profile_source (
    user_id   uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    field     text        NOT NULL,
    origin    text        NOT NULL CHECK (origin IN ('person', 'import', 'operator', 'client')),
    -- The import; NULL for other origins.
    import_id uuid,
    at        timestamptz NOT NULL,
    PRIMARY KEY (user_id, field),
    CHECK ((origin = 'import') = (import_id IS NOT NULL))
);

-- Synthetic people, for developers of apps.
CREATE TABLE sandbox_person (
    user_id       uuid PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    story         text NOT NULL,
    -- The developer, whose erasure erases the person too; NULL for the operator.
    owner_id      uuid,
    -- Last day that has records, in the person's time zone.
    records_until date NOT NULL
);

CREATE INDEX sandbox_person_owner ON sandbox_person (owner_id);

-- Sign-in ---------------------------------------------------------------------------------------------------

CREATE TABLE password (
    user_id    uuid        PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    -- A PHC string, which contains its own parameters.
    hash       text        NOT NULL,
    changed_at timestamptz NOT NULL
);

-- One-time links; using one deletes it.
CREATE TABLE password_link (
    link_hash  bytea       PRIMARY KEY CHECK (octet_length(link_hash) = 32),
    purpose    text        NOT NULL CHECK (purpose IN ('invitation', 'reset', 'sign_up', 'email_change')),
    -- NULL for a sign-up, which has no account yet.
    user_id    uuid        REFERENCES person (id) ON DELETE CASCADE,
    -- Address of a sign-up, or the new address of an account.
    email      text,
    expires_at timestamptz NOT NULL,
    CONSTRAINT password_link_user_check CHECK ((purpose = 'sign_up') = (user_id IS NULL)),
    CONSTRAINT password_link_email_check
        CHECK ((purpose IN ('sign_up', 'email_change')) = (email IS NOT NULL))
);

CREATE INDEX password_link_user ON password_link (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX password_link_end ON password_link (expires_at);

-- Authenticator apps.
CREATE TABLE totp (
    user_id   uuid        PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    -- Encrypted under keys.encryption_key and bound to user_id.
    secret    bytea       NOT NULL,
    -- Latest step of 30 seconds whose code was used.
    last_step bigint      NOT NULL,
    set_at    timestamptz NOT NULL
);

-- Unused recovery codes.
CREATE TABLE recovery_code (
    user_id   uuid  NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    PRIMARY KEY (user_id, code_hash)
);

-- Found by the credential id, which is unique over all people. Not distributed on Citus for this reason.
CREATE TABLE passkey (
    user_id            uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    id                 uuid        NOT NULL,
    name               text        NOT NULL,
    credential_id      bytea       NOT NULL CONSTRAINT passkey_credential UNIQUE
                                   CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    -- A COSE key.
    public_key         bytea       NOT NULL,
    sign_count         bigint      NOT NULL,
    is_backup_eligible boolean     NOT NULL,
    is_backed_up       boolean     NOT NULL,
    -- Names separated by spaces.
    transports         text        NOT NULL,
    created_at         timestamptz NOT NULL,
    -- NULL if never used.
    last_used_at       timestamptz,
    PRIMARY KEY (user_id, id)
);

-- Ceremonies in progress that add or use a passkey, found by the hash of their challenge.
CREATE TABLE passkey_ceremony (
    challenge_hash bytea       PRIMARY KEY CHECK (octet_length(challenge_hash) = 32),
    purpose        text        NOT NULL CHECK (purpose IN ('registration', 'sign_in')),
    -- Hash of the cookie of the browser that started it.
    browser_hash   bytea       NOT NULL CHECK (octet_length(browser_hash) = 32),
    expires_at     timestamptz NOT NULL
);

CREATE INDEX passkey_ceremony_expiry ON passkey_ceremony (expires_at);

-- Sign-ins whose password was correct and whose second factor is still missing.
CREATE TABLE pending_sign_in (
    -- Hash of the cookie of the browser.
    visit_hash       bytea       PRIMARY KEY CHECK (octet_length(visit_hash) = 32),
    user_id          uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    -- Whether to enter a code or to set up a second factor.
    step             text        NOT NULL,
    is_known_browser boolean     NOT NULL,
    expires_at       timestamptz NOT NULL
);

CREATE INDEX pending_sign_in_user ON pending_sign_in (user_id);
CREATE INDEX pending_sign_in_expiry ON pending_sign_in (expires_at);

-- Browser sessions, found by the hash of their cookie.
CREATE TABLE session (
    user_id          uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    id               uuid        NOT NULL,
    token_hash       bytea       NOT NULL CONSTRAINT session_token UNIQUE
                                 CHECK (octet_length(token_hash) = 32),
    -- Factors of the sign-in, such as 'password+totp'.
    method           text        NOT NULL,
    authenticated_at timestamptz NOT NULL,
    -- To the minute.
    last_seen_at     timestamptz NOT NULL,
    -- First sign-in in this browser since it was last signed out; NULL if that is authenticated_at.
    first_seen_at    timestamptz,
    -- Names of browser and platform, such as 'firefox/android'.
    device           text,
    -- An IPv4 address, or an IPv6 network of 64 bits.
    address          text,
    PRIMARY KEY (user_id, id)
);

CREATE INDEX session_last_seen ON session (last_seen_at);
CREATE INDEX session_authenticated ON session (authenticated_at);

-- Clients ---------------------------------------------------------------------------------------------------

CREATE TABLE client (
    id                  uuid        PRIMARY KEY,
    name                text        NOT NULL,
    kind                text        NOT NULL CHECK (kind IN ('app', 'service')),
    -- Of kind 'app', without secrets.
    is_public           boolean     NOT NULL DEFAULT false,
    redirect_uris       text[]      NOT NULL,
    -- Separated by one space.
    scopes              text        NOT NULL,
    allow_query_secrets boolean     NOT NULL,
    require_pkce        boolean     NOT NULL,
    -- Web pages of an app, which the consent page links to.
    home_page           text,
    privacy_policy      text,
    -- The person who registered the client; NULL if the operator did, or if the person was erased.
    owner_id            uuid        REFERENCES person (id) ON DELETE CASCADE,
    -- Not approved by the operator. A draft is deleted with its owner. An approved client stays: its owner is
    -- removed before the person is deleted.
    is_draft            boolean     NOT NULL DEFAULT false,
    -- An email address or a URL.
    contact             text,
    -- JSON of an app registered from a document at its client_id, which is a URL: "url" of the document, and
    -- "fresh_until" in microseconds. NULL for other clients.
    document            text,
    created_at          timestamptz NOT NULL,
    -- NULL unless the client is disabled.
    disabled_at         timestamptz,
    CONSTRAINT client_draft_check CHECK (NOT is_draft OR owner_id IS NOT NULL)
);

CREATE INDEX client_owner ON client (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE client_secret (
    client_id   uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    id          uuid        NOT NULL,
    secret_hash bytea       NOT NULL CHECK (octet_length(secret_hash) = 32),
    created_at  timestamptz NOT NULL,
    -- NULL if it never expires.
    expires_at  timestamptz,
    PRIMARY KEY (client_id, id)
);

-- People other than the owner who can use a draft.
CREATE TABLE draft_user (
    client_id   uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    user_id     uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    admitted_at timestamptz NOT NULL,
    PRIMARY KEY (client_id, user_id)
);

CREATE INDEX draft_user_user ON draft_user (user_id);

-- Requests of clients by day, endpoint and status.
CREATE TABLE client_usage (
    -- Without a foreign key: rows of a deleted client are deleted with their day.
    client_id   uuid     NOT NULL,
    -- In UTC.
    day         date     NOT NULL,
    endpoint    text     NOT NULL,
    -- HTTP status.
    status      smallint NOT NULL,
    requests    bigint   NOT NULL,
    -- Fewest requests that a daily limit left after one of these; NULL if none was counted against a limit.
    fewest_left bigint,
    -- Why the latest of them was rejected, and when; NULL if none was.
    rejection   text,
    rejected_at timestamptz,
    PRIMARY KEY (client_id, day, endpoint, status)
);

CREATE INDEX client_usage_day ON client_usage (day);

-- Authorization ---------------------------------------------------------------------------------------------

CREATE TABLE authorization_request (
    id            uuid        PRIMARY KEY,
    client_id     uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    redirect_uri  text        NOT NULL,
    scopes        text        NOT NULL,
    -- Audience of the access tokens: 'api' or 'mcp'.
    resource      text        NOT NULL DEFAULT 'api',
    state         text,
    -- The PKCE challenge, if the app sent one.
    challenge     bytea       CHECK (octet_length(challenge) = 32),
    force_consent boolean     NOT NULL,
    -- Hash of the cookie of the browser.
    visit_hash    bytea       NOT NULL CHECK (octet_length(visit_hash) = 32),
    -- NULL until a person has signed in for it.
    user_id       uuid        REFERENCES person (id) ON DELETE CASCADE,
    -- Email address that the app expects, to fill in the sign-in form; NULL if it named none.
    login_hint    text,
    created_at    timestamptz NOT NULL,
    -- NULL while the decision is pending.
    decided_at    timestamptz
);

CREATE INDEX authorization_request_created ON authorization_request (created_at);
CREATE INDEX authorization_request_client ON authorization_request (client_id);
CREATE INDEX authorization_request_user ON authorization_request (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE authorization_code (
    code_hash         bytea       PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    client_id         uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    user_id           uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    redirect_uri      text        NOT NULL,
    scopes            text        NOT NULL,
    -- As in authorization_request.
    resource          text        NOT NULL DEFAULT 'api',
    challenge         bytea       CHECK (octet_length(challenge) = 32),
    issued_at         timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    -- Both NULL until the code is redeemed.
    redeemed_grant_id uuid,
    redeemed_at       timestamptz,
    CHECK ((redeemed_grant_id IS NULL) = (redeemed_at IS NULL))
);

CREATE INDEX authorization_code_user ON authorization_code (user_id);
CREATE INDEX authorization_code_client ON authorization_code (client_id);
CREATE INDEX authorization_code_end ON authorization_code (expires_at);

-- Consents that the person asked to remember.
CREATE TABLE consent (
    user_id       uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    client_id     uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes        text        NOT NULL,
    remembered_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, client_id)
);

CREATE INDEX consent_client ON consent (client_id);

CREATE TABLE access_grant (
    user_id             uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    id                  uuid        NOT NULL,
    client_id           uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes              text        NOT NULL,
    -- As in authorization_request.
    resource            text        NOT NULL DEFAULT 'api',
    -- Hash of the refresh token; of what all its tokens share if it rotates.
    refresh_token_hash  bytea       NOT NULL CHECK (octet_length(refresh_token_hash) = 32),
    -- NULL unless the refresh token rotates.
    newest_token_hash   bytea,
    -- The token that the newest one replaced; these three are NULL until the first rotation.
    replaced_token_hash bytea,
    -- The newest token, encrypted under the replaced one.
    sealed_token        bytea,
    rotated_at          timestamptz,
    created_at          timestamptz NOT NULL,
    -- Latest refresh, to the hour; NULL before the first.
    last_used_at        timestamptz,
    -- Address of the latest refresh; NULL before the first.
    last_used_address   text,
    -- Program name of the latest refresh, if it sent one.
    last_used_agent     text,
    -- Both NULL while the grant is live.
    revoked_at          timestamptz,
    revocation_reason   text,
    PRIMARY KEY (user_id, id),
    CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
) PARTITION BY HASH (user_id);

CREATE INDEX access_grant_client ON access_grant (user_id, client_id);
-- For the number of live grants of a client, and for its deletion.
CREATE INDEX access_grant_of_client ON access_grant (client_id);
-- Finds the grant of a refresh token. The table refresh_token keeps the hash unique across partitions.
CREATE INDEX access_grant_refresh_token_any_user ON access_grant (refresh_token_hash);
CREATE INDEX access_grant_revoked ON access_grant (revoked_at) WHERE revoked_at IS NOT NULL;

-- Refresh tokens by hash alone: one index instead of a look-up in every partition of access_grant.
CREATE TABLE refresh_token (
    token_hash bytea NOT NULL PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    -- So that the row is deleted with its person.
    user_id    uuid  NOT NULL REFERENCES person (id) ON DELETE CASCADE
);

CREATE INDEX refresh_token_user ON refresh_token (user_id);

-- Found by its hash on every request that uses one. The last use is updated in place: no index contains it.
CREATE TABLE personal_token (
    user_id      uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    id           uuid        NOT NULL,
    name         text        NOT NULL,
    token_hash   bytea       NOT NULL CONSTRAINT personal_token_hash UNIQUE
                             CHECK (octet_length(token_hash) = 32),
    scopes       text        NOT NULL,
    created_at   timestamptz NOT NULL,
    -- NULL if it never expires.
    expires_at   timestamptz,
    -- To the minute; NULL if never used.
    last_used_at timestamptz,
    -- NULL unless revoked.
    revoked_at   timestamptz,
    PRIMARY KEY (user_id, id)
) WITH (fillfactor = 85);

CREATE INDEX personal_token_revoked ON personal_token (revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX personal_token_end ON personal_token (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE signing_key (
    id          uuid        PRIMARY KEY,
    public_key  bytea       NOT NULL CHECK (octet_length(public_key) = 32),
    -- Encrypted under keys.encryption_key and bound to id.
    private_key bytea       NOT NULL,
    created_at  timestamptz NOT NULL,
    -- NULL while its signatures are accepted.
    retired_at  timestamptz
);

-- Health data -----------------------------------------------------------------------------------------------

-- One row for each session, about 320 bytes with stages and metrics.
CREATE TABLE sleep_session (
    user_id         uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    -- Times are whole milliseconds.
    started_at      timestamptz NOT NULL,
    id              uuid        NOT NULL,
    ended_at        timestamptz NOT NULL,
    -- Minutes east of UTC; NULL if unknown.
    offset_at_start smallint    CHECK (offset_at_start BETWEEN -1080 AND 1080),
    offset_at_end   smallint    CHECK (offset_at_end BETWEEN -1080 AND 1080),
    -- '' if unknown: NULLs are never equal in a unique key.
    source          text        NOT NULL DEFAULT '',
    key_kind        text        NOT NULL CHECK (key_kind IN ('given', 'derived')),
    natural_key     text        NOT NULL,
    is_nap          boolean,
    updated_at      timestamptz NOT NULL,
    -- Packed (domain::sleep::packed); the views sleep_stage and sleep_metric read them.
    stages          bytea       NOT NULL,
    metrics         bytea       NOT NULL,
    change_number   bigint      NOT NULL DEFAULT 0,
    -- All ascending: a backward scan serves the other direction, and a row comparison needs one direction.
    PRIMARY KEY (user_id, started_at, id),
    CONSTRAINT sleep_session_id UNIQUE (user_id, id),
    CONSTRAINT sleep_session_key UNIQUE (user_id, source, natural_key, key_kind),
    CHECK (started_at < ended_at)
) PARTITION BY HASH (user_id);

-- A usual night packs its stages into some 124 bytes and its metrics into some 60, far below the 2 kB from
-- which PostgreSQL compresses or moves a value. Stages of a very long night move out of line uncompressed,
-- because varints hardly compress and trying costs time on every write and read. Metrics are bounded in
-- number and stay in the row.
ALTER TABLE sleep_session ALTER COLUMN stages SET STORAGE EXTERNAL;
ALTER TABLE sleep_session ALTER COLUMN metrics SET STORAGE MAIN;

CREATE INDEX sleep_session_change ON sleep_session (user_id, change_number, id);

-- Labels: those of the catalogue, shared by all people, and people's own products. One row for each version
-- of a label.
CREATE TABLE supplement (
    id               uuid        PRIMARY KEY,
    catalogue_source text        NOT NULL,
    -- The key of a person's own product begins with their id (domain::supplement::CatalogueKey).
    catalogue_key    text        NOT NULL,
    -- The owner of such a product, so that it is deleted with the person. NULL for the catalogue.
    owner_id         uuid        GENERATED ALWAYS AS (
        CASE catalogue_source WHEN 'own' THEN substr(catalogue_key, 1, 36)::uuid END
    ) STORED REFERENCES person (id) ON DELETE CASCADE,
    -- False once a newer version has the key.
    is_current       boolean     NOT NULL,
    -- Whether anyone ever logged this version: finding out from intake_log would read every partition.
    is_logged        boolean     NOT NULL DEFAULT false,
    brand            text        NOT NULL,
    name             text        NOT NULL,
    servings         text        NOT NULL,
    upc              text        NOT NULL,
    label_date       date,
    entry_date       timestamptz NOT NULL,
    -- In the order of the label: [{"name", "quantity", "unit", "active"}], the middle two only if stated.
    ingredients      jsonb       NOT NULL CHECK (jsonb_typeof(ingredients) = 'array'),
    -- The bar code as 14 digits (domain::supplement::Upc); NULL if upc is no such code.
    upc_digits       text,
    -- Searched text, written like a query in domain::supplement::SearchWords: lower case, blanks instead of
    -- punctuation, and a blank before each word.
    search_text      text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (
        left(' ' || lower(
            translate(name || ' ' || brand, '-,.;:/\()[]''"&+*%#!?_|', repeat(' ', 22)) COLLATE "C"
        ), 300)
    ) STORED
);

CREATE UNIQUE INDEX supplement_current ON supplement (catalogue_source, catalogue_key) WHERE is_current;
CREATE INDEX supplement_upc ON supplement (upc_digits, entry_date, id) WHERE upc_digits IS NOT NULL;
CREATE INDEX supplement_owner ON supplement (owner_id) WHERE owner_id IS NOT NULL;
-- For names that begin with the query.
CREATE INDEX supplement_name ON supplement (search_text, id) WHERE is_current AND owner_id IS NULL;
-- For words in any order. Built without the text search parser, so that both stores find the same words.
CREATE INDEX supplement_word ON supplement
    USING gin (array_to_tsvector(array_remove(string_to_array(search_text, ' '), '')))
    WHERE is_current AND owner_id IS NULL;

CREATE TABLE intake_log (
    user_id       uuid             NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    supplement_id uuid             NOT NULL REFERENCES supplement (id),
    created_at    timestamptz      NOT NULL,
    id            uuid             NOT NULL,
    servings      double precision NOT NULL,
    external_key  text,
    change_number bigint           NOT NULL DEFAULT 0,
    -- A page reads its logs from this index alone, in its order.
    PRIMARY KEY (user_id, supplement_id, created_at, id) INCLUDE (servings),
    CONSTRAINT intake_log_id UNIQUE (user_id, id),
    CONSTRAINT intake_log_external_key UNIQUE (user_id, external_key)
) PARTITION BY HASH (user_id);

-- For an export, which reads the logs by time.
CREATE INDEX intake_log_time ON intake_log (user_id, created_at, id);
CREATE INDEX intake_log_change ON intake_log (user_id, change_number, id);
-- For the deletion of a label: whether a log refers to it.
CREATE INDEX intake_log_supplement ON intake_log (supplement_id);

-- Deleted records, kept for as long as apps may ask for changes. Storing a record again removes its row.
CREATE TABLE deletion (
    user_id       uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    kind          text        NOT NULL CHECK (kind IN ('sleep', 'supplements')),
    id            uuid        NOT NULL,
    change_number bigint      NOT NULL,
    deleted_at    timestamptz NOT NULL,
    PRIMARY KEY (user_id, kind, id)
) PARTITION BY HASH (user_id);

-- By kind first, so that a reader of one kind does not step over the others.
CREATE INDEX deletion_change ON deletion (user_id, kind, change_number, id);
CREATE INDEX deletion_time ON deletion (deleted_at);

-- Imports ---------------------------------------------------------------------------------------------------

CREATE TABLE import (
    id                uuid        PRIMARY KEY,
    -- NULL for a catalogue.
    user_id           uuid        REFERENCES person (id) ON DELETE CASCADE,
    origin            text        NOT NULL CHECK (origin IN ('command', 'upload')),
    file_name         text        NOT NULL,
    -- NULL until recognised.
    format            text,
    -- NULL until the whole file is read.
    digest            bytea       CHECK (octet_length(digest) = 32),
    -- For local times without an offset.
    zone              text        NOT NULL,
    state             text        NOT NULL CHECK (state IN
        ('receiving', 'waiting', 'running', 'done', 'refused', 'undoing', 'undone')),
    size              bigint      NOT NULL,
    bytes_done        bigint      NOT NULL,
    started_at        timestamptz NOT NULL,
    -- NULL until the import is done, refused or being undone.
    ended_at          timestamptz,
    report            json        NOT NULL,
    refusal           text,
    -- Until when the server that reads the upload has it to itself; NULL if none does.
    lease_until       timestamptz,
    -- Latest update of the row; NULL before the first. A running import without an update for long is lost.
    updated_at        timestamptz,
    -- Bytes that the check before the first stored record has passed.
    bytes_checked     bigint      NOT NULL DEFAULT 0,
    -- How often a server started to read the upload.
    tries             integer     NOT NULL DEFAULT 0,
    -- Start of a recording that does not state it, with its offset (RFC 3339).
    recording_start   text,
    -- Changed and proposed profile fields: field, old and new value, whether applied. NULL if there are none.
    profile_changes   jsonb,
    -- Whether an upload overwrites profile fields that differ.
    overwrite_profile boolean     NOT NULL DEFAULT FALSE,
    -- NULL unless it was cancelled.
    cancelled_by      text        CHECK (cancelled_by IN ('person', 'operator')),
    -- Whether labels of supplements were left out, because the file is an upload.
    left_out_labels   boolean     NOT NULL DEFAULT FALSE,
    -- What undoing it did: counts, and the records that were kept. NULL unless it was undone.
    undone            jsonb
) WITH (fillfactor = 70);

CREATE INDEX import_user ON import (user_id, started_at, id);
CREATE INDEX import_start ON import (started_at, id);
CREATE INDEX import_end ON import (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX import_upload ON import (started_at, id)
    WHERE origin = 'upload' AND state IN ('receiving', 'waiting', 'running');
CREATE INDEX import_running ON import (started_at) WHERE state = 'running';
CREATE INDEX import_undoing ON import (started_at) WHERE state = 'undoing';
CREATE INDEX import_profile_changes ON import (started_at) WHERE profile_changes IS NOT NULL;

-- The parts of an upload, stored as received: they are compressed already or are read once.
CREATE TABLE import_part (
    import_id uuid    NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    position  integer NOT NULL CHECK (position >= 0),
    bytes     bytea   NOT NULL,
    PRIMARY KEY (import_id, position)
);

ALTER TABLE import_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- What an import did to each record, so that it can be undone. No foreign key to the import, which would cost
-- a look-up for each row: a trigger deletes the rows with their import.
CREATE TABLE import_change (
    import_id     uuid   NOT NULL,
    kind          text   NOT NULL CHECK (kind IN ('session', 'log', 'profile', 'label')),
    record_id     uuid   NOT NULL,
    -- Owner of the record; two people may have records of one id. NULL for a label of a catalogue.
    user_id       uuid,
    -- The record before the import; NULL if the import created it.
    before        json,
    -- The order of all changes; of two changes to one record the later one has the greater number.
    sequence      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    -- Hashes of the version that the import found, and of the one that it left; NULL if there was, or is, no
    -- record.
    version_found bytea,
    version_left  bytea,
    -- The session that replaced a removed one.
    replaced_by   uuid,
    -- By record first, for both what other imports did to it and what one import did.
    PRIMARY KEY (record_id, kind, import_id)
);

-- The order of undoing, reversed: logs before the labels that they refer to.
CREATE INDEX import_change_order ON import_change (import_id, (kind <> 'label'), sequence);

CREATE FUNCTION restwell_forget_notes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM import_change WHERE import_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;

CREATE TRIGGER import_notes AFTER DELETE ON import REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION restwell_forget_notes();

-- Webhooks --------------------------------------------------------------------------------------------------

CREATE TABLE webhook_endpoint (
    id                         uuid        PRIMARY KEY,
    client_id                  uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    url                        text        NOT NULL,
    -- Email address that is notified when the endpoint is disabled; NULL if the operator gave none.
    contact                    text,
    -- 'unconfirmed', 'active', or why the endpoint is disabled.
    status                     text        NOT NULL,
    disabled_at                timestamptz,
    -- Created or approved by the operator; any other receiver must have a public address.
    is_reviewed                boolean     NOT NULL DEFAULT false,
    -- Encrypted under keys.encryption_key and bound to id, as is the previous one.
    secret                     bytea       NOT NULL,
    previous_secret            bytea,
    previous_secret_expires_at timestamptz,
    created_at                 timestamptz NOT NULL
);

CREATE INDEX webhook_endpoint_client ON webhook_endpoint (client_id);

-- Events that an endpoint has not been sent yet. At most one row for each person, endpoint and kind: a
-- thousand changes are one event.
CREATE TABLE webhook_event (
    -- Without a foreign key, because a person.erased event outlives the person; nil for events about nobody.
    user_id     uuid        NOT NULL,
    endpoint_id uuid        NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
    kind        text        NOT NULL,
    -- Change number of the person for 'records.changed', otherwise the time of the event in microseconds.
    number      bigint      NOT NULL,
    -- Change number up to which the endpoint was notified.
    announced   bigint      NOT NULL,
    -- Time of the event; for 'records.changed', of the first change that the endpoint was not notified of.
    occurred_at timestamptz NOT NULL DEFAULT now(),
    -- Attempts that failed.
    failed      integer     NOT NULL,
    -- NULL if the endpoint was notified of everything.
    due_at      timestamptz,
    PRIMARY KEY (user_id, endpoint_id, kind)
);

CREATE INDEX webhook_event_due ON webhook_event (endpoint_id, due_at) WHERE due_at IS NOT NULL;

-- The log of deliveries.
CREATE TABLE webhook_delivery (
    id               uuid        PRIMARY KEY,
    endpoint_id      uuid        NOT NULL,
    -- Nil for events about nobody or about an erased person.
    user_id          uuid        NOT NULL,
    kind             text        NOT NULL,
    number           bigint      NOT NULL,
    announced_before bigint      NOT NULL,
    occurred_at      timestamptz NOT NULL,
    -- Start of the attempt.
    at               timestamptz NOT NULL,
    milliseconds     bigint      NOT NULL,
    -- HTTP status, or why there was no response.
    result           text        NOT NULL,
    next_attempt_at  timestamptz
);

CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, at);
CREATE INDEX webhook_delivery_user ON webhook_delivery (user_id);
CREATE INDEX webhook_delivery_at ON webhook_delivery (at);

-- Records of access -----------------------------------------------------------------------------------------

-- The audit trail. No foreign keys: events outlive the client, and the erasure of a person deletes theirs.
-- Kinds are not listed here, because every release may add some.
CREATE TABLE audit_event (
    id          uuid        PRIMARY KEY,
    at          timestamptz NOT NULL,
    kind        text        NOT NULL,
    actor       text        NOT NULL CHECK (actor IN ('person', 'operator', 'client', 'server')),
    user_id     uuid,
    client_id   uuid,
    -- The grant, session, token, secret or key, depending on the kind.
    subject     uuid,
    event_count bigint,
    -- An IPv4 address, or an IPv6 network of 64 bits.
    address     text,
    -- As in session.
    device      text,
    -- The scopes that a person granted, of events about that.
    scopes      text
);

CREATE INDEX audit_event_time ON audit_event (at, id);
CREATE INDEX audit_event_user ON audit_event (user_id, at, id);
CREATE INDEX audit_event_client ON audit_event (client_id, at, id);

-- Events are never changed, only deleted at the end of their retention or with the person.
CREATE FUNCTION restwell_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is never changed' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_event_unchanged BEFORE UPDATE OR TRUNCATE ON audit_event
FOR EACH STATEMENT EXECUTE FUNCTION restwell_refuse_change();

-- Who read how much of what, in sums of one minute; never the values.
CREATE TABLE read_tally (
    user_id     uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    -- Start of the minute.
    minute      timestamptz NOT NULL,
    reader_kind text        NOT NULL CHECK (reader_kind IN ('client', 'personal_token')),
    reader_id   uuid        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('profile', 'sleep', 'supplements', 'refresh')),
    requests    bigint      NOT NULL,
    items       bigint      NOT NULL,
    -- The widest range that was requested; NULL if open.
    range_from  timestamptz,
    range_to    timestamptz,
    PRIMARY KEY (user_id, minute, reader_kind, reader_id, kind)
) PARTITION BY HASH (user_id);

CREATE INDEX read_tally_minute ON read_tally (minute);
-- For an app's latest read, however much others read since. Only this index has this order: NULLS LAST keeps
-- the planner from walking another index in the hope of finding the app soon.
CREATE INDEX read_tally_reader ON read_tally (user_id, reader_id, minute DESC NULLS LAST);

-- Operation -------------------------------------------------------------------------------------------------

-- Email that waits to be sent.
CREATE TABLE outbox (
    id        uuid        PRIMARY KEY,
    -- Encrypted under keys.encryption_key and bound to id.
    sealed    bytea       NOT NULL,
    queued_at timestamptz NOT NULL,
    due_at    timestamptz NOT NULL,
    attempts  integer     NOT NULL
);

CREATE INDEX outbox_due ON outbox (due_at);

-- Failed attempts to sign in and the like.
CREATE TABLE failure_counter (
    -- Hash of what the attempts were for.
    key             bytea       PRIMARY KEY CHECK (octet_length(key) = 32),
    window_began_at timestamptz NOT NULL,
    failures        integer     NOT NULL
);

CREATE INDEX failure_counter_window ON failure_counter (window_began_at);

-- Responses that are returned again when their request is repeated.
CREATE TABLE idempotent_answer (
    client_id    uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    key_hash     bytea       NOT NULL CHECK (octet_length(key_hash) = 32),
    content_hash bytea       NOT NULL CHECK (octet_length(content_hash) = 32),
    claimed_at   timestamptz NOT NULL,
    -- Both NULL while the request is in progress.
    status       smallint,
    body         bytea,
    PRIMARY KEY (client_id, key_hash),
    CHECK ((status IS NULL) = (body IS NULL))
);

CREATE INDEX idempotent_answer_time ON idempotent_answer (claimed_at);

-- Jobs that one replica does at a time, such as housekeeping.
CREATE TABLE job_lease (
    job        text        PRIMARY KEY,
    -- Drawn at random when a program starts.
    holder     uuid        NOT NULL,
    held_until timestamptz NOT NULL,
    due_at     timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Hashes of the ids of erased people, which are never used again. Ids have 122 random bits, so that nobody
-- finds one by trying hashes. Nothing connects them with the receipts in erasure.
CREATE TABLE erased_person (
    id_hash bytea PRIMARY KEY CHECK (octet_length(id_hash) = 32)
);

-- Receipts of erasures.
CREATE TABLE erasure (
    id uuid        PRIMARY KEY,
    at timestamptz NOT NULL
);

CREATE INDEX erasure_time ON erasure (at, id);

-- Partitions ------------------------------------------------------------------------------------------------

-- Pages skip over keys on the index alone, which is cheap only where the visibility map is set: sleep_session
-- and intake_log are vacuumed after two per cent of new rows. Grants and tallies are updated in place on
-- columns without an index; the free space of their pages keeps such updates local.
DO $$
DECLARE
    vacuum_soon constant text := 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, '
        'autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 500, '
        'autovacuum_analyze_scale_factor = 0.02';
    partitioned record;
BEGIN
    FOR partitioned IN
        SELECT * FROM (VALUES
            ('access_grant', 'WITH (fillfactor = 85)'),
            ('sleep_session', format('WITH (%s)', vacuum_soon)),
            ('intake_log', format('WITH (%s)', vacuum_soon)),
            ('deletion', ''),
            ('read_tally', 'WITH (fillfactor = 85)')) AS t (name, options)
    LOOP
        FOR remainder IN 0..15 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s) %s',
                partitioned.name || '_' || lpad(remainder::text, 2, '0'), partitioned.name, remainder,
                partitioned.options);
        END LOOP;
    END LOOP;
END
$$;

-- Views -----------------------------------------------------------------------------------------------------

-- For people who query by hand; the program does not use them.

-- Reads one unsigned LEB128 number: its value, and the place (from 0) of the byte after it.
CREATE FUNCTION restwell_varint(packed bytea, place integer, OUT value bigint, OUT next_place integer)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    byte integer;
    shift integer := 0;
BEGIN
    value := 0;
    next_place := place;
    LOOP
        IF shift > 56 THEN
            RAISE EXCEPTION 'ill-formed number in packed bytes' USING ERRCODE = 'data_corrupted';
        END IF;
        IF next_place >= octet_length(packed) THEN
            RAISE EXCEPTION 'packed bytes end too early' USING ERRCODE = 'data_corrupted';
        END IF;
        byte := get_byte(packed, next_place);
        value := value | ((byte & 127)::bigint << shift);
        next_place := next_place + 1;
        EXIT WHEN byte < 128;
        shift := shift + 7;
    END LOOP;
    IF byte = 0 AND shift > 0 THEN
        RAISE EXCEPTION 'ill-formed number in packed bytes' USING ERRCODE = 'data_corrupted';
    END IF;
END
$$;

-- Lists the stages of a session in time order. domain::sleep::packed defines the format.
CREATE FUNCTION restwell_sleep_stages(session_start timestamptz, packed bytea)
RETURNS TABLE (place integer, stage text, started_at timestamptz, ended_at timestamptz)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 40 AS $$
DECLARE
    names constant text[] := ARRAY['AWAKE', 'LIGHT', 'DEEP', 'REM', 'ASLEEP', 'UNKNOWN'];
    units constant bigint[] := ARRAY[1, 1000, 30000];
    at_byte integer := 1;
    millis bigint := 0;
    unit bigint;
    tag integer;
    stretch record;
BEGIN
    IF octet_length(packed) = 0 THEN
        RETURN;
    END IF;
    IF get_byte(packed, 0) / 16 <> 1 THEN
        RAISE EXCEPTION 'packed stages of an unknown version' USING ERRCODE = 'data_corrupted';
    END IF;
    unit := units[get_byte(packed, 0) % 16];
    IF unit IS NULL OR octet_length(packed) = 1 THEN
        RAISE EXCEPTION 'packed stages with an unknown header' USING ERRCODE = 'data_corrupted';
    END IF;
    place := 0;
    WHILE at_byte < octet_length(packed) LOOP
        tag := get_byte(packed, at_byte);
        at_byte := at_byte + 1;
        stage := names[tag / 2];
        IF stage IS NULL THEN
            RAISE EXCEPTION 'packed stages with an unknown tag' USING ERRCODE = 'data_corrupted';
        END IF;
        IF tag % 2 = 1 THEN
            stretch := restwell_varint(packed, at_byte);
            millis := millis + stretch.value * unit;
            at_byte := stretch.next_place;
        END IF;
        started_at := session_start + millis * interval '1 millisecond';
        stretch := restwell_varint(packed, at_byte);
        millis := millis + stretch.value * unit;
        at_byte := stretch.next_place;
        ended_at := session_start + millis * interval '1 millisecond';
        place := place + 1;
        RETURN NEXT;
    END LOOP;
END
$$;

-- Lists the metrics of a session in the order of the API. domain::sleep::packed defines the format.
CREATE FUNCTION restwell_sleep_metrics(packed bytea)
RETURNS TABLE (metric text, value double precision)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 19 AS $$
DECLARE
    names constant text[] := ARRAY[
        'timeNightInBed', 'timeNightAsleep', 'timeNightAwake', 'timeNightLight', 'timeNightDeep', 'timeNightRem',
        'percentageNightAwake', 'percentageNightLight', 'percentageNightDeep', 'percentageNightRem',
        'percentageSleepAwake', 'percentageSleepLight', 'percentageSleepDeep', 'percentageSleepRem',
        'timeSleepAwake', 'sleepLatency', 'sleepEfficiency', 'sleepWakeups', 'wakeupsOver15Minutes'];
    at_byte integer := 1;
    tag integer;
    scale integer;
    number record;
    bits bigint;
    exponent integer;
    fraction double precision;
BEGIN
    IF octet_length(packed) < 2 OR get_byte(packed, 0) <> 16 THEN
        RAISE EXCEPTION 'packed metrics of an unknown version' USING ERRCODE = 'data_corrupted';
    END IF;
    WHILE at_byte < octet_length(packed) LOOP
        tag := get_byte(packed, at_byte);
        at_byte := at_byte + 1;
        metric := names[tag / 8];
        scale := tag % 8;
        IF metric IS NULL OR scale IN (5, 6) THEN
            RAISE EXCEPTION 'packed metrics with an unknown tag' USING ERRCODE = 'data_corrupted';
        END IF;
        IF scale < 7 THEN
            number := restwell_varint(packed, at_byte);
            at_byte := number.next_place;
            -- Zigzag: 0, 1, 2, 3, ... are 0, -1, 1, -2, ...
            bits := (number.value >> 1) # -(number.value & 1);
            value := bits::double precision / power(10::double precision, scale);
        ELSE
            IF at_byte + 8 > octet_length(packed) THEN
                RAISE EXCEPTION 'packed bytes end too early' USING ERRCODE = 'data_corrupted';
            END IF;
            bits := ('x' || encode(substring(packed FROM at_byte + 1 FOR 8), 'hex'))::bit(64)::bigint;
            at_byte := at_byte + 8;
            exponent := ((bits >> 52) & 2047)::integer;
            fraction := (bits & 4503599627370495)::double precision / 4503599627370496;
            -- Twice half the power of two, because 2 to the 1024th, and its inverse, would leave the range.
            IF exponent = 0 THEN
                value := fraction * power(2::double precision, -511) * power(2::double precision, -511);
            ELSE
                value := (1 + fraction) * power(2::double precision, (exponent - 1023) / 2)
                    * power(2::double precision, exponent - 1023 - (exponent - 1023) / 2);
            END IF;
            IF bits < 0 THEN
                value := -value;
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;

-- One row per stage.
CREATE VIEW sleep_stage AS
SELECT
    session.user_id, session.id AS session_id, decoded.place, decoded.stage, decoded.started_at,
    decoded.ended_at
FROM sleep_session AS session
CROSS JOIN LATERAL restwell_sleep_stages(session.started_at, session.stages) AS decoded;

-- One row per metric.
CREATE VIEW sleep_metric AS
SELECT session.user_id, session.id AS session_id, decoded.metric, decoded.value
FROM sleep_session AS session
CROSS JOIN LATERAL restwell_sleep_metrics(session.metrics) AS decoded;

-- One row per session, its stages and metrics as JSON in the shape of the API.
CREATE VIEW sleep_session_decoded AS
SELECT
    session.user_id, session.id, session.started_at, session.ended_at, session.offset_at_start,
    session.offset_at_end, NULLIF(session.source, '') AS source, session.key_kind, session.natural_key,
    session.is_nap, session.updated_at, decoded_stages.list AS stages, decoded_metrics.list AS metrics
FROM sleep_session AS session
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_object('stage', s.stage, 'start', s.started_at, 'end', s.ended_at)
        ORDER BY s.place), '[]') AS list
    FROM restwell_sleep_stages(session.started_at, session.stages) AS s
) AS decoded_stages
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(m.metric, m.value), '{}') AS list
    FROM restwell_sleep_metrics(session.metrics) AS m
) AS decoded_metrics;
