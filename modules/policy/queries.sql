-- name: Policies :many
SELECT * FROM ai_tool_policies ORDER BY tool_name;

-- name: Policy :one
SELECT * FROM ai_tool_policies WHERE tool_name = @tool_name;

-- name: EnsurePolicy :exec
INSERT INTO ai_tool_policies (tool_name) VALUES (@tool_name) ON CONFLICT (tool_name) DO NOTHING;

-- name: LockPolicy :one
SELECT * FROM ai_tool_policies WHERE tool_name = @tool_name FOR UPDATE;

-- name: UpdatePolicy :one
UPDATE ai_tool_policies
SET enabled = @enabled, always_confirm = @always_confirm, two_person = @two_person, revision = revision + 1,
    updated_by_id = @updated_by_id, updated_by_name = @updated_by_name, updated_at = now()
WHERE tool_name = @tool_name
RETURNING *;

-- name: Exceptions :many
-- Lists policies by every name that they apply to: their own, and those of tools with the same identity.
SELECT p.tool_name, p.enabled, p.always_confirm, p.two_person FROM ai_tool_policies p
UNION ALL
SELECT b.tool_name, p.enabled, p.always_confirm, p.two_person
FROM ai_tool_policies p
JOIN tool_identities a ON a.tool_name = p.tool_name
JOIN tool_identities b ON b.identity = a.identity AND b.tool_name <> p.tool_name;
