-- +goose Up
-- A code that comes again locks itself and then the consent that came of it. Were the consent's end to touch the code in turn,
-- the two could wait for each other; nothing is lost when a code names a consent that is gone.
ALTER TABLE oauth_codes DROP CONSTRAINT oauth_codes_consent_id_fkey;
DROP INDEX oauth_codes_consent;

-- +goose Down
CREATE INDEX oauth_codes_consent ON oauth_codes (consent_id);
UPDATE oauth_codes c SET consent_id = NULL WHERE NOT EXISTS (SELECT FROM oauth_consents o WHERE o.id = c.consent_id);
ALTER TABLE oauth_codes ADD CONSTRAINT oauth_codes_consent_id_fkey FOREIGN KEY (consent_id) REFERENCES oauth_consents ON DELETE SET NULL;
