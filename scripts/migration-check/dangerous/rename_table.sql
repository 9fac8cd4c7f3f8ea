ALTER TABLE access_grant RENAME TO old_grant;
