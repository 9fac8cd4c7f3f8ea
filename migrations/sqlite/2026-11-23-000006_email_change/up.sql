-- A link may confirm a new email address of an account. It then has both the account and the address.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000006', 1);

-- Renaming a table would quote its name in the schema.
CREATE TABLE kept_link AS SELECT * FROM password_link;
DROP TABLE password_link;

CREATE TABLE password_link (
    link_hash  BLOB    NOT NULL PRIMARY KEY CHECK (length(link_hash) = 32),
    purpose    TEXT    NOT NULL CHECK (purpose IN ('invitation', 'reset', 'sign_up', 'email_change')),
    -- NULL for a sign-up.
    user_id    BLOB    REFERENCES account (id) ON DELETE CASCADE,
    -- The address of a sign-up, or the new address of an account.
    email      TEXT,
    expires_at INTEGER NOT NULL,
    CHECK ((user_id IS NULL) = (purpose = 'sign_up')),
    CHECK ((email IS NOT NULL) = (purpose IN ('sign_up', 'email_change')))
) STRICT, WITHOUT ROWID;

INSERT INTO password_link SELECT * FROM kept_link;
DROP TABLE kept_link;

CREATE INDEX password_link_user ON password_link (user_id);
CREATE INDEX password_link_end ON password_link (expires_at);
