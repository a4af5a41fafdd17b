-- +goose Up
-- What the organisation runs. name_key is the name in the form in which names are compared and sorted (Unicode NFC,
-- case folded): it does not depend on the locale of the database. A revision rises with every change of the record,
-- its members, contacts and links included.
CREATE TABLE catalog_systems (
    id          uuid        PRIMARY KEY,
    name        text        NOT NULL CHECK (name <> ''),
    name_key    text        COLLATE "C" NOT NULL CONSTRAINT catalog_systems_name_key UNIQUE,
    description text        NOT NULL,
    metadata    jsonb       NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
    tags        text[]      NOT NULL,
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX catalog_systems_tags ON catalog_systems USING gin (tags);

CREATE TABLE catalog_groups (
    id          uuid        PRIMARY KEY,
    name        text        NOT NULL CHECK (name <> ''),
    name_key    text        COLLATE "C" NOT NULL CONSTRAINT catalog_groups_name_key UNIQUE,
    description text        NOT NULL,
    metadata    jsonb       NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE catalog_environments (
    id          uuid        PRIMARY KEY,
    name        text        NOT NULL CHECK (name <> ''),
    name_key    text        COLLATE "C" NOT NULL CONSTRAINT catalog_environments_name_key UNIQUE,
    description text        NOT NULL,
    fields      jsonb       NOT NULL CHECK (jsonb_typeof(fields) = 'object'),
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE catalog_group_systems (
    group_id  uuid NOT NULL REFERENCES catalog_groups ON DELETE CASCADE,
    system_id uuid NOT NULL REFERENCES catalog_systems ON DELETE CASCADE,
    PRIMARY KEY (group_id, system_id)
);
CREATE INDEX catalog_group_systems_system ON catalog_group_systems (system_id);

CREATE TABLE catalog_environment_systems (
    environment_id uuid NOT NULL REFERENCES catalog_environments ON DELETE CASCADE,
    system_id      uuid NOT NULL REFERENCES catalog_systems ON DELETE CASCADE,
    PRIMARY KEY (environment_id, system_id)
);
CREATE INDEX catalog_environment_systems_system ON catalog_environment_systems (system_id);

-- user_id names a user of the people module without a foreign key: modules share no tables. A user who is gone leaves
-- a contact without a name.
CREATE TABLE catalog_contacts (
    id         uuid        PRIMARY KEY,
    system_id  uuid        NOT NULL REFERENCES catalog_systems ON DELETE CASCADE,
    label      text        NOT NULL,
    user_id    uuid,
    email      text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(user_id, email) = 1),
    CONSTRAINT catalog_contacts_once UNIQUE NULLS NOT DISTINCT (system_id, user_id, email)
);

CREATE TABLE catalog_links (
    id         uuid        PRIMARY KEY,
    system_id  uuid        NOT NULL REFERENCES catalog_systems ON DELETE CASCADE,
    label      text        NOT NULL,
    url        text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT catalog_links_once UNIQUE (system_id, url)
);

-- +goose Down
DROP TABLE catalog_links, catalog_contacts, catalog_environment_systems, catalog_group_systems,
    catalog_environments, catalog_groups, catalog_systems;
