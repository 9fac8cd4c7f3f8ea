-- Clients that people register, and the people who can use them before the operator approves them.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000010', 3);

DO $$ BEGIN
-- The person who registered the client; NULL if the operator did, or if the person was erased.
ALTER TABLE client ADD COLUMN owner_id uuid;
-- Not approved by the operator. A draft is deleted with its owner; an approved client stays.
ALTER TABLE client ADD COLUMN is_draft boolean NOT NULL DEFAULT false;
-- An email address or a URL.
ALTER TABLE client ADD COLUMN contact text;
ALTER TABLE client
    ADD CONSTRAINT client_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES person (id) ON DELETE CASCADE,
    ADD CONSTRAINT client_draft_check CHECK (NOT is_draft OR owner_id IS NOT NULL);
CREATE INDEX client_owner ON client (owner_id) WHERE owner_id IS NOT NULL;

-- For the number of live grants of a client, and for its deletion.
CREATE INDEX access_grant_of_client ON access_grant (client_id);
END $$;

-- People other than the owner who can use a draft.
CREATE TABLE draft_user (
    client_id   uuid        NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    user_id     uuid        NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    admitted_at timestamptz NOT NULL,
    PRIMARY KEY (client_id, user_id)
);
CREATE INDEX draft_user_user ON draft_user (user_id);
