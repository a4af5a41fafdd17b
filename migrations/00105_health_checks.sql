-- +goose Up
-- What is checked and how. definition is a check.Configuration; strategy repeats its strategy for lists, secrets the names of the
-- secrets that it refers to. guarded says that it has secrets and templates, so that what a system says of itself decides where
-- secrets go. version rises with every change of what runs.
CREATE TABLE health_checks (
    id               uuid        PRIMARY KEY,
    name             text        NOT NULL CHECK (name <> ''),
    name_key         text        COLLATE "C" NOT NULL CONSTRAINT health_checks_name_key UNIQUE,
    description      text        NOT NULL,
    strategy         text        NOT NULL,
    definition       jsonb       NOT NULL CHECK (jsonb_typeof(definition) = 'object'),
    secrets          text[]      NOT NULL DEFAULT '{}',
    guarded          boolean     NOT NULL DEFAULT false,
    interval_seconds integer     NOT NULL CHECK (interval_seconds BETWEEN 1 AND 86400),
    paused           boolean     NOT NULL DEFAULT false,
    version          bigint      NOT NULL DEFAULT 1,
    revision         bigint      NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX health_checks_secrets ON health_checks USING gin (secrets);

-- environment_ids: null is every environment of the system, empty is once without an environment.
CREATE TABLE health_assignments (
    check_id        uuid        NOT NULL REFERENCES health_checks ON DELETE CASCADE,
    system_id       uuid        NOT NULL,
    enabled         boolean     NOT NULL DEFAULT true,
    thresholds      jsonb       NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(thresholds) = 'object'),
    environment_ids uuid[],
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (check_id, system_id)
);
CREATE INDEX health_assignments_system ON health_assignments (system_id);

-- Grants on checks are read in the order of their names, as those on systems and groups are.
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
CREATE TRIGGER access_renamed AFTER INSERT OR DELETE OR UPDATE OF name_key ON health_checks
    FOR EACH ROW EXECUTE FUNCTION access_renamed('healthcheck.healthcheck');

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    CASE NEW.object_type
        WHEN 'catalog.system' THEN SELECT name_key INTO NEW.sort_key FROM catalog_systems WHERE id = NEW.object_id FOR KEY SHARE;
        WHEN 'catalog.group' THEN SELECT name_key INTO NEW.sort_key FROM catalog_groups WHERE id = NEW.object_id FOR KEY SHARE;
        ELSE NULL;
    END CASE;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
DROP TABLE health_assignments, health_checks;
