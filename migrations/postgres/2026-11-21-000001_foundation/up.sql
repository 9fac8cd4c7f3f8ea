-- The first schema.
--
-- Everything of one person lies under that person's user_id: it leads every key of access_grant,
-- sleep_session and intake_log, which are hash-partitioned by it. A statement that names the person reads
-- one partition, and an engine that distributes tables (user_id as the distribution column, supplement as a
-- reference table) can take them as they are.
--
-- Values of an enum are text under a CHECK, so that plain SQL reads them. Hashes are SHA-256.

-- Which program may run on which schema: one row a migration, written by the migration itself.
CREATE TABLE schema_compatibility (
    version        text    PRIMARY KEY,
    oldest_program integer NOT NULL
);

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261121000001', 1);

CREATE TABLE account (
    id               uuid        PRIMARY KEY,
    email            text        NOT NULL,
    email_normalised text        NOT NULL CONSTRAINT account_email UNIQUE,
    home_timezone    text        NOT NULL,
    -- NULL while the account can be used.
    locked_at        timestamptz,
    created_at       timestamptz NOT NULL,
    birth_date       date,
    biological_sex   text        CHECK (biological_sex IN ('female', 'male', 'other')),
    blood_type       text        CHECK (blood_type IN ('A+', 'A-', 'B+', 'B-', 'AB+', 'AB-', 'O+', 'O-')),
    height_cm        double precision,
    weight_kg        double precision,
    skin_type        smallint    CHECK (skin_type BETWEEN 1 AND 6),
    wheelchair_use   boolean
);

CREATE TABLE client (
    id                  uuid        PRIMARY KEY,
    name                text        NOT NULL,
    kind                text        NOT NULL CHECK (kind IN ('app', 'service')),
    redirect_uris       text[]      NOT NULL,
    -- Names separated by one space.
    scopes              text        NOT NULL,
    allow_query_secrets boolean     NOT NULL,
    require_pkce        boolean     NOT NULL,
    -- NULL while the client may be used.
    disabled_at         timestamptz,
    created_at          timestamptz NOT NULL
);

CREATE TABLE client_secret (
    client_id   uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    id          uuid        NOT NULL,
    secret_hash bytea       NOT NULL CHECK (octet_length(secret_hash) = 32),
    created_at  timestamptz NOT NULL,
    -- NULL while it counts.
    expires_at  timestamptz,
    PRIMARY KEY (client_id, id)
);

-- Looked up by its hash alone and gone within minutes, so it is not partitioned.
CREATE TABLE authorization_code (
    code_hash         bytea       PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    client_id         uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    user_id           uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    redirect_uri      text        NOT NULL,
    scopes            text        NOT NULL,
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

CREATE TABLE access_grant (
    user_id            uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    id                 uuid        NOT NULL,
    client_id          uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    scopes             text        NOT NULL,
    refresh_token_hash bytea       NOT NULL CHECK (octet_length(refresh_token_hash) = 32),
    created_at         timestamptz NOT NULL,
    last_used_at       timestamptz,
    -- Both NULL while the grant is live.
    revoked_at         timestamptz,
    revocation_reason  text        CHECK (revocation_reason IN
        ('code_replayed', 'operator', 'too_many_grants', 'person', 'client')),
    PRIMARY KEY (user_id, id),
    CONSTRAINT access_grant_refresh_token UNIQUE (user_id, refresh_token_hash),
    CHECK ((revoked_at IS NULL) = (revocation_reason IS NULL))
) PARTITION BY HASH (user_id);

CREATE INDEX access_grant_client ON access_grant (user_id, client_id);
-- For a refresh token whose person is not known: one look-up a partition. Not unique, because a unique index
-- of a partitioned table holds the partition key; the program looks before it inserts, and the hash is of 256
-- random bits.
CREATE INDEX access_grant_refresh_token_any_user ON access_grant (refresh_token_hash);

-- One row a session, about 320 bytes with stages and metrics.
CREATE TABLE sleep_session (
    user_id         uuid        NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    -- Times are whole milliseconds.
    started_at      timestamptz NOT NULL,
    id              uuid        NOT NULL,
    ended_at        timestamptz NOT NULL,
    -- Minutes east of UTC; NULL where not known.
    offset_at_start smallint    CHECK (offset_at_start BETWEEN -1080 AND 1080),
    offset_at_end   smallint    CHECK (offset_at_end BETWEEN -1080 AND 1080),
    -- '' where no source is known: NULLs would never be equal in a unique key.
    source          text        NOT NULL DEFAULT '',
    key_kind        text        NOT NULL CHECK (key_kind IN ('given', 'derived')),
    natural_key     text        NOT NULL,
    is_nap          boolean,
    updated_at      timestamptz NOT NULL,
    -- Packed (domain::sleep::packed); the views sleep_stage and sleep_metric read them.
    stages          bytea       NOT NULL,
    metrics         bytea       NOT NULL,
    -- All ascending: a backward scan serves the other direction, and a row comparison needs one direction.
    PRIMARY KEY (user_id, started_at, id),
    CONSTRAINT sleep_session_id UNIQUE (user_id, id),
    CONSTRAINT sleep_session_key UNIQUE (user_id, source, natural_key, key_kind),
    CHECK (started_at < ended_at)
) PARTITION BY HASH (user_id);

-- A usual night packs its stages into some 124 bytes and its metrics into some 60. Such a row stays far below
-- the 2 kB from which Postgres compresses or moves anything, whatever is set here. A row above that limit has
-- a very long night in it: its stages move out of line as they are, because varints hardly compress and
-- trying costs time on every write and read. The metrics are bounded by their number and stay inside.
ALTER TABLE sleep_session ALTER COLUMN stages SET STORAGE EXTERNAL;
ALTER TABLE sleep_session ALTER COLUMN metrics SET STORAGE MAIN;

-- The catalogue, shared by all people: one row a version of a label.
CREATE TABLE supplement (
    id               uuid        PRIMARY KEY,
    catalogue_source text        NOT NULL,
    catalogue_key    text        NOT NULL,
    -- False once a newer version has the key.
    is_current       boolean     NOT NULL,
    -- Whether anybody ever logged this version. Kept here, because intake_log has no index that finds a
    -- supplement without its person.
    is_logged        boolean     NOT NULL DEFAULT false,
    brand            text        NOT NULL,
    name             text        NOT NULL,
    servings         text        NOT NULL,
    upc              text        NOT NULL,
    label_date       date,
    entry_date       timestamptz NOT NULL,
    -- In the order of the label: [{"name", "quantity", "unit", "active"}], the middle two only when stated.
    ingredients      jsonb       NOT NULL CHECK (jsonb_typeof(ingredients) = 'array')
);

CREATE UNIQUE INDEX supplement_current ON supplement (catalogue_source, catalogue_key) WHERE is_current;

CREATE TABLE intake_log (
    user_id       uuid             NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    supplement_id uuid             NOT NULL REFERENCES supplement (id),
    created_at    timestamptz      NOT NULL,
    id            uuid             NOT NULL,
    servings      double precision NOT NULL,
    external_key  text,
    PRIMARY KEY (user_id, supplement_id, created_at, id),
    CONSTRAINT intake_log_id UNIQUE (user_id, id),
    CONSTRAINT intake_log_external_key UNIQUE (user_id, external_key)
) PARTITION BY HASH (user_id);

-- For an export, which walks through the logs by time.
CREATE INDEX intake_log_time ON intake_log (user_id, created_at, id);

-- The partitions. Pages skip over keys on the index alone, which is cheap only where the visibility map is
-- set: so vacuum comes after two per cent of new rows, not after twenty. Grants are updated in place (last
-- use, revocation) on columns without an index; the room left in their pages keeps such updates local.
DO $$
DECLARE
    vacuum_soon constant text := 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, '
        'autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 500, '
        'autovacuum_analyze_scale_factor = 0.02';
    partition_name text;
BEGIN
    FOR remainder IN 0..15 LOOP
        partition_name := lpad(remainder::text, 2, '0');
        EXECUTE format('CREATE TABLE %I PARTITION OF access_grant FOR VALUES WITH (MODULUS 16, REMAINDER %s) '
            'WITH (fillfactor = 85)', 'access_grant_' || partition_name, remainder);
        EXECUTE format('CREATE TABLE %I PARTITION OF sleep_session FOR VALUES WITH (MODULUS 16, REMAINDER %s) '
            'WITH (%s)', 'sleep_session_' || partition_name, remainder, vacuum_soon);
        EXECUTE format('CREATE TABLE %I PARTITION OF intake_log FOR VALUES WITH (MODULUS 16, REMAINDER %s) '
            'WITH (%s)', 'intake_log_' || partition_name, remainder, vacuum_soon);
    END LOOP;
END
$$;

CREATE TABLE signing_key (
    id          uuid        PRIMARY KEY,
    public_key  bytea       NOT NULL CHECK (octet_length(public_key) = 32),
    -- Sealed under the operator's key.
    private_key bytea       NOT NULL,
    created_at  timestamptz NOT NULL,
    -- NULL while its signatures are accepted.
    retired_at  timestamptz
);

CREATE TABLE failure_counter (
    key             bytea       PRIMARY KEY CHECK (octet_length(key) = 32),
    window_began_at timestamptz NOT NULL,
    failures        integer     NOT NULL
);

CREATE INDEX failure_counter_window ON failure_counter (window_began_at);

-- What follows is for people who query by hand. The program never calls it.

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

-- Lists the stages of a session in time order. The format stands in domain::sleep::packed.
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

-- Lists the metrics of a session in the order of the API. The format stands in domain::sleep::packed.
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

-- One row a stage.
CREATE VIEW sleep_stage AS
SELECT session.user_id, session.id AS session_id, decoded.place, decoded.stage, decoded.started_at, decoded.ended_at
FROM sleep_session AS session
CROSS JOIN LATERAL restwell_sleep_stages(session.started_at, session.stages) AS decoded;

-- One row a metric.
CREATE VIEW sleep_metric AS
SELECT session.user_id, session.id AS session_id, decoded.metric, decoded.value
FROM sleep_session AS session
CROSS JOIN LATERAL restwell_sleep_metrics(session.metrics) AS decoded;

-- One row a session, its stages and metrics as JSON in the shape of the API.
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
