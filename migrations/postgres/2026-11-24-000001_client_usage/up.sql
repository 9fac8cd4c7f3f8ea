-- Requests of clients by day, endpoint and status.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261124000001', 2);

CREATE TABLE client_usage (
    -- Without a foreign key: rows of a deleted client are deleted with their day.
    client_id   uuid     NOT NULL,
    day         date     NOT NULL,
    endpoint    text     NOT NULL,
    -- HTTP status.
    status      smallint NOT NULL,
    requests    bigint   NOT NULL,
    -- Fewest requests that a daily limit left after one of these; NULL if none was counted against a limit.
    fewest_left bigint,
    PRIMARY KEY (client_id, day, endpoint, status)
);
CREATE INDEX client_usage_day ON client_usage (day);
