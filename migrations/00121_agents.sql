-- +goose Up
-- What people make of a prompt, skills and tools of their own. name_key is the slug: it is chosen once, as live tools are called
-- by it. numbered is the number of the last revision.
CREATE TABLE agents (
    id          uuid        PRIMARY KEY,
    name_key    text        COLLATE "C" NOT NULL CONSTRAINT agents_name_key UNIQUE CHECK (length(name_key) <= 64 AND name_key ~ '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$'),
    name        text        NOT NULL CHECK (name <> ''),
    description text        NOT NULL,
    numbered    integer     NOT NULL DEFAULT 0,
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

-- A bundle: draft can be written, ready is sealed, live is offered, archived was. secrets repeats the names of the spec's
-- secrets. revision rises with every write of the bundle.
CREATE TABLE agent_revisions (
    id              uuid        PRIMARY KEY,
    agent_id        uuid        NOT NULL REFERENCES agents ON DELETE CASCADE,
    number          integer     NOT NULL CHECK (number > 0),
    state           text        NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'ready', 'live', 'archived')),
    agent_md        text        NOT NULL DEFAULT '' CHECK (length(agent_md) <= 500000),
    spec            jsonb       NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(spec) = 'object'),
    secrets         text[]      NOT NULL DEFAULT '{}',
    bundle_sha256   text        CHECK (bundle_sha256 ~ '^[0-9a-f]{64}$'),
    cloned_from     uuid,
    created_by_kind text        NOT NULL,
    created_by_id   uuid        NOT NULL,
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    frozen_at       timestamptz,
    promoted_at     timestamptz,
    CONSTRAINT agent_revisions_number UNIQUE (agent_id, number),
    CONSTRAINT agent_revisions_sealed CHECK ((state = 'draft') = (bundle_sha256 IS NULL))
);
CREATE UNIQUE INDEX agent_revisions_live ON agent_revisions (agent_id) WHERE state = 'live';
CREATE INDEX agent_revisions_secrets ON agent_revisions USING gin (secrets);

-- compiled_js was made by this compiler of the source with this hash. What is json rather than jsonb keeps the order in which its
-- author wrote it, and every character of a source.
CREATE TABLE agent_tools (
    revision_id   uuid        NOT NULL REFERENCES agent_revisions ON DELETE CASCADE,
    id            text        COLLATE "C" NOT NULL CHECK (length(id) <= 64 AND id ~ '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$'),
    description   text        NOT NULL CHECK (length(description) BETWEEN 1 AND 2000),
    args_schema   json        NOT NULL,
    effect        text        NOT NULL CHECK (effect IN ('read', 'mutate')),
    source        text        NOT NULL CHECK (length(source) BETWEEN 1 AND 500000),
    source_sha256 text        NOT NULL CHECK (source_sha256 ~ '^[0-9a-f]{64}$'),
    compiled_js   text        NOT NULL,
    source_map    bytea       NOT NULL,
    capabilities  json        NOT NULL,
    compiler      text        NOT NULL,
    warnings      json        NOT NULL DEFAULT '[]',
    examples      json        NOT NULL DEFAULT '[]',
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (revision_id, id)
);

CREATE TABLE agent_skills (
    revision_id uuid        NOT NULL REFERENCES agent_revisions ON DELETE CASCADE,
    id          text        COLLATE "C" NOT NULL CHECK (length(id) <= 64 AND id ~ '^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$'),
    description text        NOT NULL CHECK (length(description) BETWEEN 1 AND 2000),
    content     text        NOT NULL CHECK (length(content) <= 100000),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (revision_id, id)
);

-- Grants on agents are read in the order of their slugs.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    CASE NEW.object_type
        WHEN 'catalog.system' THEN SELECT name_key INTO NEW.sort_key FROM catalog_systems WHERE id = NEW.object_id FOR KEY SHARE;
        WHEN 'catalog.group' THEN SELECT name_key INTO NEW.sort_key FROM catalog_groups WHERE id = NEW.object_id FOR KEY SHARE;
        WHEN 'healthcheck.healthcheck' THEN SELECT name_key INTO NEW.sort_key FROM health_checks WHERE id = NEW.object_id FOR KEY SHARE;
        WHEN 'agent.agent' THEN SELECT name_key INTO NEW.sort_key FROM agents WHERE id = NEW.object_id FOR KEY SHARE;
        ELSE NULL;
    END CASE;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER access_renamed AFTER INSERT OR DELETE OR UPDATE OF name_key ON agents
    FOR EACH ROW EXECUTE FUNCTION access_renamed('agent.agent');

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    CASE NEW.object_type
        WHEN 'catalog.system' THEN SELECT name_key INTO NEW.sort_key FROM catalog_systems WHERE id = NEW.object_id FOR KEY SHARE;
        WHEN 'catalog.group' THEN SELECT name_key INTO NEW.sort_key FROM catalog_groups WHERE id = NEW.object_id FOR KEY SHARE;
        WHEN 'healthcheck.healthcheck' THEN SELECT name_key INTO NEW.sort_key FROM health_checks WHERE id = NEW.object_id FOR KEY SHARE;
        ELSE NULL;
    END CASE;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
DROP TABLE agent_skills, agent_tools, agent_revisions, agents;
