-- +goose Up
-- Content is withheld from the model and the revision of the connection that refused it. What a search has only suspected
-- (suspected) is sent again in later turns, tries times at most. Rows of earlier versions match no model, and so hold no more.
ALTER TABLE ai_withheld_content
    ADD COLUMN model text NOT NULL DEFAULT '',
    ADD COLUMN connection_revision bigint NOT NULL DEFAULT 0,
    ADD COLUMN suspected boolean NOT NULL DEFAULT false,
    ADD COLUMN tries smallint NOT NULL DEFAULT 1,
    ADD COLUMN turn_id uuid;

-- +goose Down
ALTER TABLE ai_withheld_content
    DROP COLUMN model,
    DROP COLUMN connection_revision,
    DROP COLUMN suspected,
    DROP COLUMN tries,
    DROP COLUMN turn_id;
