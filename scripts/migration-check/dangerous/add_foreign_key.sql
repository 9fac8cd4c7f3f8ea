ALTER TABLE intake_log ADD CONSTRAINT known_account FOREIGN KEY (user_id) REFERENCES account (id);
