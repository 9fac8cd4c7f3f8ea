ALTER TABLE sleep_session ALTER COLUMN source TYPE varchar(40);
