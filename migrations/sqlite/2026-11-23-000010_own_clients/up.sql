-- Clients that people register, and the people who can use them before the operator approves them.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000010', 3);

-- The person who registered the client; NULL if the operator did, or if the person was erased.
ALTER TABLE client ADD COLUMN owner_id BLOB;
-- Not approved by the operator.
ALTER TABLE client ADD COLUMN is_draft INTEGER NOT NULL DEFAULT 0;
-- An email address or a URL.
ALTER TABLE client ADD COLUMN contact TEXT;

CREATE INDEX client_owner ON client (owner_id) WHERE owner_id IS NOT NULL;

-- A draft is deleted with its owner; an approved client stays. A foreign key cannot be dropped again without writing
-- the table anew.
CREATE TRIGGER client_owner_erased AFTER DELETE ON account
BEGIN
    DELETE FROM client WHERE owner_id = OLD.id AND is_draft = 1;
    UPDATE client SET owner_id = NULL, contact = NULL WHERE owner_id = OLD.id;
END;

-- People other than the owner who can use a draft.
CREATE TABLE draft_user (
    client_id   BLOB    NOT NULL REFERENCES client (id) ON DELETE CASCADE,
    user_id     BLOB    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    admitted_at INTEGER NOT NULL,
    PRIMARY KEY (client_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX draft_user_user ON draft_user (user_id);
