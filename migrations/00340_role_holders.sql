-- +goose NO TRANSACTION
-- +goose Up
-- The holders of a role in the order of their ids, for pages of them. A build that was given up leaves an index that is not valid.
DROP INDEX CONCURRENTLY IF EXISTS user_roles_holders;
CREATE INDEX CONCURRENTLY user_roles_holders ON user_roles (role_id, user_id);
DROP INDEX CONCURRENTLY IF EXISTS user_roles_role;

-- +goose Down
CREATE INDEX user_roles_role ON user_roles (role_id);
DROP INDEX user_roles_holders;
