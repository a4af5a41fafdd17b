-- name: PeopleByIDs :many
SELECT id, name, email FROM users WHERE id = ANY(@ids::uuid[]);

-- name: PeopleByNames :many
-- Finds users by lower-case addresses and names. found is which of them it was.
SELECT w.name::text AS found, u.id FROM unnest(@names::text[]) AS w (name)
JOIN users u ON lower(u.email) = w.name OR lower(u.name) = w.name;

-- name: MembersOfTeams :many
SELECT m.team_id, m.user_id FROM team_members m WHERE m.team_id = ANY (@team_ids::uuid[]) ORDER BY m.team_id, m.user_id;
