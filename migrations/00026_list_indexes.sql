-- +goose NO TRANSACTION
-- +goose Up
-- The indexes that pages of lists are read from. They are built beside readers and writers. A build that was given up leaves
-- an index that is not valid, so each is dropped before it is made.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
        RAISE EXCEPTION 'PostgreSQL lacks the extension pg_trgm, which searches need. It is part of PostgreSQL''s own contrib modules: install the package that holds them on the database server (Debian and Ubuntu: postgresql; Fedora and Alpine: postgresql-contrib), then migrate again.';
    END IF;
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'The login of the migration may not create the extension pg_trgm, which searches need: %. As the owner of the database or a superuser, run CREATE EXTENSION pg_trgm in it, then migrate again.', SQLERRM;
END
$$;
-- +goose StatementEnd

DROP INDEX CONCURRENTLY IF EXISTS relation_tuples_page;
CREATE INDEX CONCURRENTLY relation_tuples_page ON relation_tuples (subject_type, subject_id, object_type, sort_key, object_id);

DROP INDEX CONCURRENTLY IF EXISTS catalog_group_systems_page;
CREATE INDEX CONCURRENTLY catalog_group_systems_page ON catalog_group_systems (group_id, name_key, system_id);
DROP INDEX CONCURRENTLY IF EXISTS catalog_environment_systems_page;
CREATE INDEX CONCURRENTLY catalog_environment_systems_page ON catalog_environment_systems (environment_id, name_key, system_id);

-- What a search looks for in a system, tags aside, letter by letter. Its expression is repeated by the query.
DROP INDEX CONCURRENTLY IF EXISTS catalog_systems_search;
CREATE INDEX CONCURRENTLY catalog_systems_search ON catalog_systems
    USING gin (((name_key || E'\n' || lower(description)) COLLATE "C") gin_trgm_ops) WITH (fastupdate = off);
DROP INDEX CONCURRENTLY IF EXISTS ai_memory_search;
CREATE INDEX CONCURRENTLY ai_memory_search ON ai_memory USING gin ((folded COLLATE "C") gin_trgm_ops) WITH (fastupdate = off);

-- Shared memories, newest first, with what decides who sees them; and those of a system.
DROP INDEX CONCURRENTLY IF EXISTS ai_memory_shared;
CREATE INDEX CONCURRENTLY ai_memory_shared ON ai_memory (updated_at DESC, id DESC) INCLUDE (system_id) WHERE system_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS ai_memory_of_system;
CREATE INDEX CONCURRENTLY ai_memory_of_system ON ai_memory (system_id, updated_at DESC, id DESC) WHERE system_id IS NOT NULL;

-- What these replace goes last.
DROP INDEX CONCURRENTLY IF EXISTS ai_memory_newest;
DROP INDEX CONCURRENTLY IF EXISTS ai_memory_system;
DROP INDEX CONCURRENTLY IF EXISTS relation_tuples_subject;

-- +goose Down
-- The extension stays: others may use it.
CREATE INDEX ai_memory_system ON ai_memory (system_id) WHERE system_id IS NOT NULL;
CREATE INDEX ai_memory_newest ON ai_memory (updated_at DESC, id DESC);
CREATE INDEX relation_tuples_subject ON relation_tuples (subject_type, subject_id, object_type, object_id);
DROP INDEX ai_memory_of_system;
DROP INDEX ai_memory_shared;
DROP INDEX ai_memory_search;
DROP INDEX catalog_systems_search;
DROP INDEX catalog_environment_systems_page;
DROP INDEX catalog_group_systems_page;
DROP INDEX relation_tuples_page;
