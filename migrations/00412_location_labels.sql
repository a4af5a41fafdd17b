-- +goose Up
-- Whether a check runs from a location: locations holds names, and labels as region=eu, which stand for every location with that label.
CREATE FUNCTION check_runs_at(locations text[], name text, labels jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(name = ANY (locations) OR EXISTS (
        SELECT FROM jsonb_each_text(labels) e WHERE e.key || '=' || e.value = ANY (locations)), false)
$$;

-- +goose Down
DROP FUNCTION check_runs_at;
