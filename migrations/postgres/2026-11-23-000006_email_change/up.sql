-- A link may confirm a new email address of an account. It then has both the account and the address.

INSERT INTO schema_compatibility (version, oldest_program) VALUES ('20261123000006', 2);

DO $$ BEGIN
ALTER TABLE password_link
    DROP CONSTRAINT password_link_purpose_check,
    DROP CONSTRAINT password_link_check,
    DROP CONSTRAINT password_link_check1,
    ADD CONSTRAINT password_link_purpose_check
        CHECK (purpose IN ('invitation', 'reset', 'sign_up', 'email_change')),
    ADD CONSTRAINT password_link_user_check CHECK ((purpose = 'sign_up') = (user_id IS NULL)),
    ADD CONSTRAINT password_link_email_check
        CHECK ((purpose IN ('sign_up', 'email_change')) = (email IS NOT NULL));
END $$;
