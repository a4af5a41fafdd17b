-- name: PeopleByIDs :many
SELECT id, name, email FROM users WHERE id = ANY(@ids::uuid[]);
