-- +goose Up
-- What an incident went through, for its timeline. note_id is the update that set the status, other_id the incident into which it
-- was merged. An update that is deleted leaves its state.
CREATE TABLE incident_states (
    id            uuid        PRIMARY KEY,
    incident_id   uuid        NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    at            timestamptz NOT NULL,
    kind          text        NOT NULL CHECK (kind IN ('opened', 'imported', 'moved', 'acknowledged', 'resolved', 'reopened', 'merged')),
    status        text        NOT NULL,
    status_before text        NOT NULL DEFAULT '',
    note_id       uuid,
    other_id      uuid,
    by_kind       text        NOT NULL,
    by_id         uuid        NOT NULL
);
CREATE INDEX incident_states_newest ON incident_states (incident_id, at DESC, id DESC);

-- +goose Down
DROP TABLE incident_states;
