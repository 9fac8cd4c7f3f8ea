-- Requests of clients by day, endpoint and status.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261124000001', 1);

CREATE TABLE client_usage (
    -- Without a foreign key: rows of a deleted client are deleted with their day.
    client_id   BLOB    NOT NULL,
    day         TEXT    NOT NULL,
    endpoint    TEXT    NOT NULL,
    -- HTTP status.
    status      INTEGER NOT NULL,
    requests    INTEGER NOT NULL,
    -- Fewest requests that a daily limit left after one of these; NULL if none was counted against a limit.
    fewest_left INTEGER,
    PRIMARY KEY (client_id, day, endpoint, status)
) STRICT, WITHOUT ROWID;
CREATE INDEX client_usage_day ON client_usage (day);
