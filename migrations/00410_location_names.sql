-- +goose Up
-- probe_key is the key of the name by which the probes of a renamed location register; null is that of its name. A removed location
-- keeps its number for some time, so that a probe which was suspended meanwhile takes no shard of another location.
ALTER TABLE check_locations ADD COLUMN probe_key text COLLATE "C", ADD COLUMN removed_at timestamptz;

-- +goose Down
DELETE FROM check_locations WHERE removed_at IS NOT NULL;
ALTER TABLE check_locations DROP COLUMN removed_at, DROP COLUMN probe_key;
