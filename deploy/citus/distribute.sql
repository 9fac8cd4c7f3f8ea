-- Distributes an empty Restwell store over the workers of a Citus cluster (docs/scaling.md). Run it once, with
-- psql on the coordinator, after `restwell migrate`:
--
--   psql --no-psqlrc --file deploy/citus/distribute.sql URL
--
-- Restwell then runs as on PostgreSQL. `--set shards=N` sets the number of shards (default 32): at least as many
-- as the workers will ever have processors in total, because shards move between workers but are not split.

\set ON_ERROR_STOP on
\if :{?shards}
\else
\set shards 32
\endif

BEGIN;
SET LOCAL client_min_messages = warning;
SELECT set_config('restwell.shards', :'shards', true) \gset ignored_

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RAISE EXCEPTION 'this database has no Citus: run CREATE EXTENSION citus on it and on the same database of every worker';
    END IF;
    IF to_regclass('person') IS NULL THEN
        RAISE EXCEPTION 'the store has no schema: run restwell migrate first';
    END IF;
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'person'::regclass) THEN
        RAISE EXCEPTION 'the store is distributed already';
    END IF;
    IF EXISTS (SELECT FROM person) OR EXISTS (SELECT FROM client) OR EXISTS (SELECT FROM supplement) THEN
        RAISE EXCEPTION 'the store is not empty: distribute a new store, before anything is stored';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) THEN
        RAISE EXCEPTION 'this server is not a coordinator that its workers can reach: run citus_set_coordinator_host first';
    END IF;
    IF EXISTS (SELECT FROM pg_dist_local_group WHERE groupid <> 0) THEN
        RAISE EXCEPTION 'this server is a worker: run this on the coordinator';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary') THEN
        RAISE EXCEPTION 'the coordinator has no active worker: run citus_add_node first';
    END IF;
END
$$;

-- Partitions would multiply the number of shards, and a shard is already as small as a partition.
CREATE TEMP TABLE distributed_table ON COMMIT DROP AS
SELECT t.relname::text AS name, CASE t.relname WHEN 'account' THEN 'id' ELSE 'user_id' END AS person,
    t.relkind = 'p' AS is_partitioned, (
        SELECT array_to_string(part.reloptions, ', ') FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
        WHERE inhparent = t.oid LIMIT 1
    ) AS options
FROM pg_class t
WHERE t.relnamespace = 'public'::regnamespace
    AND (t.relkind = 'p'
        OR t.relname IN ('account', 'consent', 'password', 'profile_source', 'recovery_code', 'totp', 'webhook_event'));

CREATE TEMP TABLE kept_key ON COMMIT DROP AS
SELECT conrelid::regclass::text AS owner, conname, pg_get_constraintdef(oid) AS definition
FROM pg_constraint
WHERE contype = 'f' AND conparentid = 0 AND conrelid IN (SELECT to_regclass(name) FROM distributed_table);

CREATE TEMP TABLE kept_view ON COMMIT DROP AS
SELECT viewname AS name, definition FROM pg_views WHERE schemaname = 'public' AND viewname LIKE 'sleep\_%';

DO $$
DECLARE
    one record;
    part record;
BEGIN
    FOR one IN SELECT * FROM kept_key LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.owner, one.conname);
    END LOOP;
    FOR one IN SELECT * FROM kept_view LOOP
        EXECUTE format('DROP VIEW %I', one.name);
    END LOOP;
    FOR one IN SELECT * FROM distributed_table WHERE is_partitioned LOOP
        EXECUTE format('ALTER TABLE %I RENAME TO partitioned', one.name);
        EXECUTE format('CREATE TABLE %I (LIKE partitioned INCLUDING ALL)', one.name);
        -- LIKE generates new index names.
        FOR part IN
            SELECT made.relname AS made, kept.relname AS kept
            FROM pg_index m JOIN pg_class made ON made.oid = m.indexrelid AND m.indrelid = one.name::regclass
            JOIN pg_index k ON k.indrelid = 'partitioned'::regclass AND k.indkey::text = m.indkey::text
                AND k.indoption::text = m.indoption::text
                AND pg_get_expr(k.indpred, k.indrelid) IS NOT DISTINCT FROM pg_get_expr(m.indpred, m.indrelid)
            JOIN pg_class kept ON kept.oid = k.indexrelid
        LOOP
            EXECUTE format('ALTER INDEX %I RENAME TO %I', part.kept, part.kept || '_old');
            EXECUTE format('ALTER INDEX %I RENAME TO %I', part.made, part.kept);
        END LOOP;
        DROP TABLE partitioned;
        IF one.options <> '' THEN
            EXECUTE format('ALTER TABLE %I SET (%s)', one.name, one.options);
        END IF;
    END LOOP;
    PERFORM create_reference_table('person');
    PERFORM create_reference_table('client');
    PERFORM create_reference_table('supplement');
    PERFORM create_reference_table('webhook_endpoint');
    FOR one IN SELECT * FROM distributed_table ORDER BY name <> 'account' LOOP
        IF one.name = 'account' THEN
            PERFORM create_distributed_table('account', 'id', shard_count => current_setting('restwell.shards')::integer);
        ELSE
            PERFORM create_distributed_table(one.name, one.person, colocate_with => 'account');
        END IF;
    END LOOP;
    FOR one IN SELECT * FROM kept_key LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', one.owner, one.conname, one.definition);
    END LOOP;
    FOR one IN SELECT * FROM kept_view ORDER BY name LIKE '%decoded' LOOP
        EXECUTE format('CREATE VIEW %I AS %s', one.name, one.definition);
    END LOOP;
END
$$;

COMMIT;
