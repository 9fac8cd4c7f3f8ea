-- Renaming a table would quote its name in the schema.
CREATE TABLE kept_link AS SELECT * FROM password_link WHERE purpose <> 'email_change';
DROP TABLE password_link;

CREATE TABLE password_link (
    link_hash  BLOB    NOT NULL PRIMARY KEY CHECK (length(link_hash) = 32),
    purpose    TEXT    NOT NULL CHECK (purpose IN ('invitation', 'reset', 'sign_up')),
    -- NULL for a sign-up, which has an address instead.
    user_id    BLOB    REFERENCES account (id) ON DELETE CASCADE,
    email      TEXT,
    expires_at INTEGER NOT NULL,
    CHECK ((user_id IS NULL) = (purpose = 'sign_up')),
    CHECK ((user_id IS NULL) <> (email IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO password_link SELECT * FROM kept_link;
DROP TABLE kept_link;

CREATE INDEX password_link_user ON password_link (user_id);
CREATE INDEX password_link_end ON password_link (expires_at);

DELETE FROM schema_compatibility WHERE version = '20261123000006';
