-- Webhook endpoints of clients, the events that they have not been sent yet, and the log of deliveries.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000009', 1);

CREATE TABLE webhook_endpoint (
    id                         BLOB    NOT NULL PRIMARY KEY,
    client_id                  BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    url                        TEXT    NOT NULL,
    -- Email address of who is notified when the endpoint is disabled.
    contact                    TEXT,
    -- 'unconfirmed', 'active', or why the endpoint is disabled.
    status                     TEXT    NOT NULL,
    disabled_at                INTEGER,
    -- Encrypted under keys.encryption_key and bound to id.
    secret                     BLOB    NOT NULL,
    previous_secret            BLOB,
    previous_secret_expires_at INTEGER,
    created_at                 INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_endpoint_client ON webhook_endpoint (client_id);

-- At most one row for each person, endpoint and kind: a thousand changes are one event.
CREATE TABLE webhook_event (
    -- Without a foreign key, because a person.erased event outlives the person; nil for events about nobody.
    user_id     BLOB    NOT NULL,
    endpoint_id BLOB    NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL,
    -- Change number of the person for 'records.changed', otherwise the time of the event in microseconds.
    number      INTEGER NOT NULL,
    -- Change number up to which the endpoint was notified.
    announced        INTEGER NOT NULL,
    failed      INTEGER NOT NULL,
    -- NULL if the endpoint was notified of everything.
    due_at      INTEGER,
    PRIMARY KEY (user_id, endpoint_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_event_due ON webhook_event (endpoint_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE webhook_delivery (
    id              BLOB    NOT NULL PRIMARY KEY,
    endpoint_id     BLOB    NOT NULL,
    -- Nil for events about nobody or about an erased person.
    user_id         BLOB    NOT NULL,
    kind            TEXT    NOT NULL,
    number          INTEGER NOT NULL,
    announced_before     INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    milliseconds    INTEGER NOT NULL,
    -- HTTP status, or why there was no response.
    result          TEXT    NOT NULL,
    next_attempt_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, at);
CREATE INDEX webhook_delivery_user ON webhook_delivery (user_id);
CREATE INDEX webhook_delivery_at ON webhook_delivery (at);
