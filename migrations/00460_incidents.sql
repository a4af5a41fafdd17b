-- +goose Up
-- Texts under a record of a module (owner): updates and links. Nothing refers to the owner, whose module deletes them with it.
CREATE TABLE notes (
    id            uuid        PRIMARY KEY,
    owner_kind    text        NOT NULL,
    owner_id      uuid        NOT NULL,
    message       text        NOT NULL CHECK (message <> ''),
    status_change text        NOT NULL DEFAULT '',
    visibility    text        NOT NULL CHECK (visibility IN ('public', 'logged_in', 'internal')),
    author_kind   text        NOT NULL,
    author_id     uuid        NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    edited_at     timestamptz
);
CREATE INDEX notes_newest ON notes (owner_kind, owner_id, created_at DESC, id DESC);

-- What a note was before an edit.
CREATE TABLE note_edits (
    note_id     uuid        NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    number      integer     NOT NULL,
    message     text        NOT NULL,
    visibility  text        NOT NULL,
    editor_kind text        NOT NULL,
    editor_id   uuid        NOT NULL,
    edited_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (note_id, number)
);

CREATE TABLE note_links (
    id         uuid        PRIMARY KEY,
    owner_kind text        NOT NULL,
    owner_id   uuid        NOT NULL,
    label      text        NOT NULL DEFAULT '',
    url        text        NOT NULL,
    visibility text        NOT NULL CHECK (visibility IN ('public', 'logged_in', 'internal')),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (owner_kind, owner_id, url)
);

-- A changed note or link is told to those who may see its owner, whose page reads it again.
-- +goose StatementBegin
CREATE FUNCTION feed_note() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        NEW := OLD;
    END IF;
    INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
    VALUES (NEW.owner_kind, NEW.owner_id::text, 'record', NEW.owner_kind, NEW.owner_id::text);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER feed_note AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION feed_note();
CREATE TRIGGER feed_note AFTER INSERT OR UPDATE OR DELETE ON note_links FOR EACH ROW EXECUTE FUNCTION feed_note();

CREATE TABLE incidents (
    id                     uuid        PRIMARY KEY,
    title                  text        NOT NULL CHECK (title <> ''),
    description            text        NOT NULL,
    status                 text        NOT NULL CHECK (status IN ('investigating', 'identified', 'fixing', 'monitoring', 'resolved')),
    severity               text        NOT NULL CHECK (severity IN ('minor', 'major', 'critical')),
    suppress_notifications boolean     NOT NULL,
    health_override        text        CHECK (health_override IN ('degraded', 'unhealthy')),
    dedupe_key             text        CHECK (dedupe_key <> ''),
    started_at             timestamptz NOT NULL,
    resolved_at            timestamptz,
    duplicate_of           uuid        REFERENCES incidents (id) ON DELETE SET NULL,
    acknowledged_at        timestamptz,
    acknowledged_by        uuid,
    -- The title and the description as a search compares them.
    folded                 text        NOT NULL,
    revision               bigint      NOT NULL DEFAULT 1,
    created_at             timestamptz NOT NULL DEFAULT now(),
    updated_at             timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT incidents_resolved CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
    CONSTRAINT incidents_duplicate CHECK (duplicate_of IS NULL OR resolved_at IS NOT NULL AND duplicate_of <> id),
    CONSTRAINT incidents_acknowledged CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL))
);
-- Duplicate guard: of the open incidents one has a key.
CREATE UNIQUE INDEX incidents_open_key ON incidents (dedupe_key) WHERE resolved_at IS NULL AND dedupe_key IS NOT NULL;
CREATE INDEX incidents_newest ON incidents (started_at DESC, id DESC);
CREATE INDEX incidents_open ON incidents (started_at DESC, id DESC) WHERE resolved_at IS NULL;
CREATE INDEX incidents_duplicates ON incidents (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX incidents_search ON incidents USING gin ((folded COLLATE "C") gin_trgm_ops) WITH (fastupdate = off);

-- The systems of an incident. A deleted system leaves by the module's own delete, which notes it in the audit log.
CREATE TABLE incident_systems (
    incident_id uuid NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
    system_id   uuid NOT NULL,
    PRIMARY KEY (incident_id, system_id)
);
CREATE INDEX incident_systems_system ON incident_systems (system_id);

CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON incidents FOR EACH ROW
EXECUTE FUNCTION feed_record('incident.incident', 'incident.incident');

-- +goose Down
DROP TABLE incident_systems;
DROP TABLE incidents;
DROP TABLE note_links;
DROP TABLE note_edits;
DROP TABLE notes;
DROP FUNCTION feed_note();
