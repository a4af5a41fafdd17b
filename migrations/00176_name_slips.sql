-- +goose NO TRANSACTION
-- +goose Up
-- What a search with a slip in it is found by. The words of a name that have 4 to 30 letters, each also without any one of its
-- letters: two words one of which has a letter too many, too few, another one, or two of them swapped, have at least one of these in
-- common. The service writes those of a search in the same way (modules/catalog/slips.go). Nothing else is kept than the index.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION catalog_slips(name text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT (left(w, n) || substr(w, n + 2)) COLLATE "C"), '{}')
    FROM regexp_split_to_table($1 COLLATE "C", '[\u0001-\u0060\u007b-\u007f]+') w, generate_series(0, length(w)) n
    WHERE length(w) BETWEEN 4 AND 30
$$;
-- +goose StatementEnd

-- It is built beside readers and writers. A build that was given up leaves an index that is not valid, so it is dropped before.
DROP INDEX CONCURRENTLY IF EXISTS catalog_systems_slips;
CREATE INDEX CONCURRENTLY catalog_systems_slips ON catalog_systems USING gin (catalog_slips(name_key)) WITH (fastupdate = off);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS catalog_systems_slips;
DROP FUNCTION catalog_slips;
