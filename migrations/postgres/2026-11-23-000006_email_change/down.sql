DELETE FROM password_link WHERE purpose = 'email_change';

DO $$ BEGIN
ALTER TABLE password_link
    DROP CONSTRAINT password_link_purpose_check,
    DROP CONSTRAINT password_link_user_check,
    DROP CONSTRAINT password_link_email_check,
    ADD CONSTRAINT password_link_purpose_check CHECK (purpose IN ('invitation', 'reset', 'sign_up')),
    ADD CONSTRAINT password_link_check CHECK ((user_id IS NULL) = (email IS NOT NULL)),
    ADD CONSTRAINT password_link_check1 CHECK ((purpose = 'sign_up') = (email IS NOT NULL));
END $$;

DELETE FROM schema_compatibility WHERE version = '20261123000006';
