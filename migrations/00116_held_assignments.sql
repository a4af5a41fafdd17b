-- +goose Up
-- held says that targets of the assignment do not follow what the system says of itself: somebody changed it who may not say where
-- the secrets of the check go. It ends when somebody who may saves or assigns the check.
ALTER TABLE health_assignments ADD COLUMN held boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE health_assignments DROP COLUMN held;
