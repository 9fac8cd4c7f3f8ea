-- Webhook endpoints of clients, the events that they have not been sent yet, and the log of deliveries.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000009', 2);

CREATE TABLE webhook_endpoint (
    id                         uuid        PRIMARY KEY,
    client_id                  uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    url                        text        NOT NULL,
    -- Email address of who is notified when the endpoint is disabled.
    contact                    text,
    -- 'unconfirmed', 'active', or why the endpoint is disabled.
    status                     text        NOT NULL,
    disabled_at                timestamptz,
    -- Encrypted under keys.encryption_key and bound to id.
    secret                     bytea       NOT NULL,
    previous_secret            bytea,
    previous_secret_expires_at timestamptz,
    created_at                 timestamptz NOT NULL
);
CREATE INDEX webhook_endpoint_client ON webhook_endpoint (client_id);

-- At most one row for each person, endpoint and kind: a thousand changes are one event.
CREATE TABLE webhook_event (
    -- Without a foreign key, because a person.erased event outlives the person; nil for events about nobody.
    user_id     uuid        NOT NULL,
    endpoint_id uuid        NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
    kind        text        NOT NULL,
    -- Change number of the person for 'records.changed', otherwise the time of the event in microseconds.
    number      bigint      NOT NULL,
    -- Change number up to which the endpoint was notified.
    announced        bigint      NOT NULL,
    failed      integer     NOT NULL,
    -- NULL if the endpoint was notified of everything.
    due_at      timestamptz,
    PRIMARY KEY (user_id, endpoint_id, kind)
);
CREATE INDEX webhook_event_due ON webhook_event (endpoint_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE webhook_delivery (
    id              uuid        PRIMARY KEY,
    endpoint_id     uuid        NOT NULL,
    -- Nil for events about nobody or about an erased person.
    user_id         uuid        NOT NULL,
    kind            text        NOT NULL,
    number          bigint      NOT NULL,
    announced_before     bigint      NOT NULL,
    at              timestamptz NOT NULL,
    milliseconds    bigint      NOT NULL,
    -- HTTP status, or why there was no response.
    result          text        NOT NULL,
    next_attempt_at timestamptz
);
CREATE INDEX webhook_delivery_endpoint ON webhook_delivery (endpoint_id, at);
CREATE INDEX webhook_delivery_user ON webhook_delivery (user_id);
CREATE INDEX webhook_delivery_at ON webhook_delivery (at);

DO $$
BEGIN
-- Nested, because PostgreSQL without Citus cannot plan the inner condition.
IF to_regclass('pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'account'::regclass) THEN
        PERFORM create_reference_table('webhook_endpoint');
        PERFORM create_distributed_table('webhook_event', 'user_id', colocate_with => 'account');
    END IF;
END IF;
END
$$;
