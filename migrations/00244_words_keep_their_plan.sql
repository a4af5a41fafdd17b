-- +goose Up
-- The words of a message are found for each message. As a function in SQL that was parsed and planned anew each time, which took five times
-- as long as finding the words of a short message. The words are the same.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ai_words(owner uuid, content text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    mark text := public.ai_owner_mark(owner);
BEGIN
    RETURN (SELECT array_to_tsvector(coalesce(array_agg(mark || d.word), '{}'))
            FROM (SELECT DISTINCT left(w, 40) AS word
                  FROM string_to_table(public.ai_spaced(left(content, 100000)), ' ') w WHERE w <> '' LIMIT 3000) d);
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ai_words(owner uuid, content text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(coalesce(array_agg(ai_owner_mark($1) || w), '{}'))
    FROM (SELECT DISTINCT left(w, 40) AS w FROM string_to_table(ai_spaced(left($2, 100000)), ' ') w WHERE w <> '' LIMIT 3000) d
$$;
-- +goose StatementEnd
