-- +goose Up
CREATE TABLE users (
    id            uuid        PRIMARY KEY,
    email         text        NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    name          text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- argon2id in PHC format, with its own salt and parameters.
    password_hash text        NOT NULL,
    disabled      boolean     NOT NULL DEFAULT false,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE roles (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    builtin    boolean     NOT NULL DEFAULT false,
    rules      text[]      NOT NULL DEFAULT '{}',
    revision   bigint      NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX roles_name ON roles (lower(name));
INSERT INTO roles (id, name, builtin, rules) VALUES
    ('00000000-0000-4000-8000-0000000000ad', 'admin', true, '{*}'),
    -- Every user holds this one, without a row in user_roles. Its rules are filled from the defaults at start.
    ('00000000-0000-4000-8000-0000000000d0', 'users', true, '{}');

-- Rules that a process has declared once: a default rule is given to the role "users" when it first appears and not
-- again, so that an administrator can take it away.
CREATE TABLE access_rules (
    id         text        PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE user_roles (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role_id uuid NOT NULL REFERENCES roles ON DELETE CASCADE,
    PRIMARY KEY (user_id, role_id)
);
CREATE INDEX user_roles_role ON user_roles (role_id);

CREATE TABLE sessions (
    id           uuid        PRIMARY KEY,
    -- SHA-256 of the cookie; the cookie itself is nowhere.
    token_hash   bytea       NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    user_id      uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    user_agent   text        NOT NULL,
    address      text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

CREATE TABLE applications (
    id           uuid        PRIMARY KEY,
    name         text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- Identifies the current token, so that credentials derived from an earlier one end with it.
    token_id     uuid        NOT NULL UNIQUE,
    token_hash   bytea       NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    disabled     boolean     NOT NULL DEFAULT false,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revision     bigint      NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX applications_name ON applications (lower(name));

CREATE TABLE application_roles (
    application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
    role_id        uuid NOT NULL REFERENCES roles ON DELETE CASCADE,
    PRIMARY KEY (application_id, role_id)
);
CREATE INDEX application_roles_role ON application_roles (role_id);

CREATE TABLE teams (
    id          uuid        PRIMARY KEY,
    name        text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description text        NOT NULL DEFAULT '' CHECK (length(description) <= 2000),
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX teams_name ON teams (lower(name));

CREATE TABLE team_members (
    team_id    uuid        NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_user ON team_members (user_id);

-- Who may do what with one object, beyond the rules that roles give for all of a kind. "private" closes the way
-- through roles; its subject is the public as a whole.
CREATE TABLE relation_tuples (
    object_type  text        NOT NULL CHECK (object_type ~ '^[a-z]+\.[a-z_]+$'),
    object_id    uuid        NOT NULL,
    relation     text        NOT NULL CHECK (relation IN ('viewer', 'editor', 'owner', 'private')),
    subject_type text        NOT NULL CHECK (subject_type IN ('user', 'application', 'team', 'public')),
    subject_id   uuid        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (object_type, object_id, relation, subject_type, subject_id),
    CHECK ((relation = 'private') = (subject_type = 'public'))
);
CREATE INDEX relation_tuples_subject ON relation_tuples (subject_type, subject_id, object_type);

-- Sign-in attempts by e-mail address and by client address. A bucket is a SHA-256, as people type passwords into the
-- wrong field. An attempt counts from before its password is checked; success takes it back.
CREATE TABLE login_attempts (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bucket  bytea       NOT NULL CHECK (length(bucket) = 32),
    failed  boolean     NOT NULL DEFAULT false,
    at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX login_attempts_bucket ON login_attempts (bucket, at);
CREATE INDEX login_attempts_at ON login_attempts (at);

-- +goose Down
DROP TABLE login_attempts, relation_tuples, team_members, teams, application_roles, applications, sessions, user_roles,
    access_rules, roles, users;
