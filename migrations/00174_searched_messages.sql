-- +goose NO TRANSACTION
-- +goose Up
-- The words of messages, for people who look for what was said in their chats. Each word begins with a mark of its owner, so
-- that a search reads what one person has written and been answered, and nothing of others, however many there are. Words go
-- with their message when it is erased, and at once when it is replaced. A trigger keeps them, whichever version writes.

-- A text in small letters, with a space for each character that stands between words. Its words begin behind a space.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ai_spaced(content text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ' ' || translate(lower($1),
        E'\t\n\r\f\v!"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~\u00a0«»“”„‘’‚…–—·•、。，！？（）：；「」',
        '                                                              ')
$$;
-- +goose StatementEnd

-- The mark of an owner, of eight characters. Two may have the same: whoever searches looks at the owner too.
CREATE OR REPLACE FUNCTION ai_owner_mark(owner uuid) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN left(md5(owner::text), 8);

-- Up to three thousand words of the first hundred thousand characters, cut to forty characters each.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ai_words(owner uuid, content text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(coalesce(array_agg(ai_owner_mark($1) || w), '{}'))
    FROM (SELECT DISTINCT left(w, 40) AS w FROM string_to_table(ai_spaced(left($2, 100000)), ' ') w WHERE w <> '' LIMIT 3000) d
$$;
-- +goose StatementEnd

ALTER TABLE ai_messages ADD COLUMN IF NOT EXISTS words tsvector;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ai_message_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.replaced_at IS NOT NULL THEN
        NEW.words := NULL;
    ELSE
        SELECT ai_words(c.owner_id, NEW.content) INTO NEW.words FROM ai_conversations c WHERE c.id = NEW.conversation_id;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER ai_message_words BEFORE INSERT OR UPDATE OF content, replaced_at ON ai_messages
    FOR EACH ROW EXECUTE FUNCTION ai_message_words();

-- What is there already, fifty conversations at a time.
-- +goose StatementBegin
DO $$
DECLARE
    done  uuid := '00000000-0000-0000-0000-000000000000';
    batch uuid[];
BEGIN
    LOOP
        SELECT array_agg(b.id ORDER BY b.id) INTO batch FROM (SELECT id FROM ai_conversations WHERE id > done ORDER BY id LIMIT 50) b;
        EXIT WHEN batch IS NULL;
        done := batch[array_upper(batch, 1)];
        UPDATE ai_messages m SET words = ai_words(c.owner_id, m.content) FROM ai_conversations c
        WHERE c.id = ANY (batch) AND m.conversation_id = c.id AND m.words IS NULL AND m.replaced_at IS NULL;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

DROP INDEX CONCURRENTLY IF EXISTS ai_messages_words;
CREATE INDEX CONCURRENTLY ai_messages_words ON ai_messages USING gin (words) WITH (fastupdate = off);

-- +goose Down
DROP INDEX ai_messages_words;
DROP TRIGGER ai_message_words ON ai_messages;
DROP FUNCTION ai_message_words;
ALTER TABLE ai_messages DROP COLUMN words;
DROP FUNCTION ai_words, ai_owner_mark, ai_spaced;
