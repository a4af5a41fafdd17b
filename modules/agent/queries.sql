-- name: Agents :many
-- Lists a page of agents by slug: all, or with @by_grants those opened by grants, for a caller without the rule.
SELECT a.*
FROM (
    (SELECT n.id, n.name_key FROM agents n
     WHERE NOT @by_grants::boolean AND n.name_key > @after AND (@slug::text = '' OR n.name_key = @slug)
     ORDER BY n.name_key)
    UNION ALL
    (SELECT o.object_id, o.sort_key
     FROM access_page('agent.agent', @subject_type, @subject_id, @team_ids::uuid[], @after, sqlc.narg(depth)::bigint) o
     WHERE @by_grants)
) c JOIN agents a ON a.id = c.id
WHERE (@by_grants OR EXISTS (SELECT FROM access_opens('agent.agent', c.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
  AND (@search::text = '' OR strpos(a.name_key, @search) > 0 OR strpos(lower(a.name), @search) > 0
      OR strpos(lower(a.description), @search) > 0)
ORDER BY c.name_key
LIMIT @max_rows;

-- name: Agent :one
SELECT * FROM agents WHERE id = $1;

-- name: LockAgent :one
SELECT * FROM agents WHERE id = $1 FOR NO KEY UPDATE;

-- name: AgentBySlug :one
SELECT * FROM agents WHERE name_key = $1;

-- name: CountAgents :one
SELECT count(*) FROM agents;

-- name: CreateAgent :execrows
INSERT INTO agents (id, name_key, name, description) VALUES ($1, $2, $3, $4) ON CONFLICT (name_key) DO NOTHING;

-- name: UpdateAgent :execrows
UPDATE agents a SET name = @name, description = @description
WHERE a.id = @id AND (a.name, a.description) IS DISTINCT FROM (@name, @description);

-- name: BumpAgent :exec
UPDATE agents SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: DeleteAgent :execrows
DELETE FROM agents WHERE id = $1;

-- name: PrivateAgents :many
SELECT object_id FROM relation_tuples
WHERE object_type = 'agent.agent' AND relation = 'private' AND object_id = ANY (@ids::uuid[]);

-- name: SummariseRevisions :many
-- Returns for each agent the live revision, the number of drafts, and the number of tools of the live revision, or of
-- the newest one if none is live.
SELECT a.id AS agent_id, l.id AS live_id, coalesce(l.number, 0)::integer AS live_number,
       (SELECT count(*) FROM agent_revisions d WHERE d.agent_id = a.id AND d.state = 'draft')::integer AS drafts,
       (SELECT count(*) FROM agent_tools t WHERE t.revision_id = coalesce(l.id,
            (SELECT n.id FROM agent_revisions n WHERE n.agent_id = a.id ORDER BY n.number DESC LIMIT 1)))::integer AS tools
FROM agents a LEFT JOIN agent_revisions l ON l.agent_id = a.id AND l.state = 'live'
WHERE a.id = ANY (@ids::uuid[]);

-- name: Revisions :many
-- Lists a page, newest first. Number 0 means before all.
SELECT r.id, r.agent_id, r.number, r.state, r.bundle_sha256, r.cloned_from, r.created_by_kind, r.created_by_id, r.revision, r.created_at,
       r.updated_at, r.frozen_at, r.promoted_at, (SELECT count(*) FROM agent_tools t WHERE t.revision_id = r.id)::integer AS tools
FROM agent_revisions r
WHERE r.agent_id = @agent_id AND (@before::integer = 0 OR r.number < @before) AND (@state::text = '' OR r.state = @state)
ORDER BY r.number DESC LIMIT @max_rows;

-- name: RevisionHead :one
-- Finds one of an agent by its id or number.
SELECT r.id, r.agent_id, r.number, r.state, r.bundle_sha256, r.cloned_from, r.created_by_kind, r.created_by_id, r.revision, r.created_at,
       r.updated_at, r.frozen_at, r.promoted_at, (SELECT count(*) FROM agent_tools t WHERE t.revision_id = r.id)::integer AS tools
FROM agent_revisions r
WHERE r.agent_id = @agent_id AND (r.id = sqlc.narg(id)::uuid OR r.number = sqlc.narg(number)::integer);

-- name: LockRevision :one
-- Leaves out agent.md, which may be large.
SELECT r.id, r.number, r.state, r.spec, r.secrets, r.bundle_sha256, r.revision FROM agent_revisions r
WHERE r.agent_id = @agent_id AND (r.id = sqlc.narg(id)::uuid OR r.number = sqlc.narg(number)::integer) FOR NO KEY UPDATE;

-- name: RevisionContent :one
SELECT * FROM agent_revisions WHERE id = @id;

-- name: RevisionSpec :one
SELECT spec FROM agent_revisions WHERE id = $1;

-- name: AgentOfRevision :one
SELECT agent_id FROM agent_revisions WHERE id = $1;

-- name: RevisionVersion :one
SELECT revision FROM agent_revisions WHERE id = $1;

-- name: CountDrafts :one
SELECT count(*) FROM agent_revisions WHERE agent_id = $1 AND state = 'draft';

-- name: NextNumber :one
UPDATE agents SET numbered = numbered + 1 WHERE id = $1 RETURNING numbered;

-- name: CreateRevision :exec
INSERT INTO agent_revisions (id, agent_id, number, created_by_kind, created_by_id) VALUES ($1, $2, $3, $4, $5);

-- name: BumpRevision :exec
UPDATE agent_revisions SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: DeleteDraft :execrows
DELETE FROM agent_revisions WHERE id = $1 AND state = 'draft';

-- name: SetAgentMD :execrows
UPDATE agent_revisions r SET agent_md = @agent_md WHERE r.id = @id AND r.state = 'draft' AND r.agent_md <> @agent_md;

-- name: SetSpec :execrows
UPDATE agent_revisions r SET spec = @spec, secrets = @secrets WHERE r.id = @id AND r.state = 'draft' AND r.spec IS DISTINCT FROM @spec;

-- name: SetClonedFrom :exec
UPDATE agent_revisions SET cloned_from = @source WHERE id = @id AND state = 'draft';

-- name: Seal :execrows
UPDATE agent_revisions SET state = 'ready', bundle_sha256 = @sha256, frozen_at = now() WHERE id = @id AND state = 'draft';

-- name: RetireLive :execrows
UPDATE agent_revisions SET state = 'archived', revision = revision + 1, updated_at = now() WHERE agent_id = @agent_id AND state = 'live';

-- name: GoLive :execrows
UPDATE agent_revisions SET state = 'live', promoted_at = now() WHERE id = @id AND state IN ('ready', 'archived');

-- name: ArchiveRevision :execrows
UPDATE agent_revisions SET state = 'archived' WHERE id = @id AND state IN ('ready', 'live');

-- name: Tools :many
SELECT * FROM agent_tools WHERE revision_id = $1 ORDER BY id;

-- name: ToolIDs :many
SELECT id FROM agent_tools WHERE revision_id = $1;

-- name: RevisionIDs :many
SELECT id FROM agent_revisions WHERE agent_id = $1;

-- name: Tool :one
SELECT * FROM agent_tools WHERE revision_id = @revision_id AND id = @id;

-- name: PutTool :execrows
-- Changes nothing when the tool is the same; warnings do not count, as types are not always checked. Examples stay.
INSERT INTO agent_tools AS t (revision_id, id, description, args_schema, effect, source, source_sha256, compiled_js,
    source_map, capabilities, compiler, warnings)
VALUES (@revision_id, @id, @description, @args_schema, @effect, @source, @source_sha256, @compiled_js, @source_map,
    @capabilities, @compiler, @warnings)
ON CONFLICT (revision_id, id) DO UPDATE
SET description = excluded.description, args_schema = excluded.args_schema, effect = excluded.effect, source = excluded.source,
    source_sha256 = excluded.source_sha256, compiled_js = excluded.compiled_js, source_map = excluded.source_map,
    capabilities = excluded.capabilities, compiler = excluded.compiler, warnings = excluded.warnings, updated_at = now()
WHERE (t.description, t.args_schema::text, t.effect, t.source, t.compiled_js, t.source_map, t.capabilities::text, t.compiler)
      IS DISTINCT FROM (excluded.description, excluded.args_schema::text, excluded.effect, excluded.source, excluded.compiled_js,
                        excluded.source_map, excluded.capabilities::text, excluded.compiler);

-- name: DeleteTool :execrows
DELETE FROM agent_tools WHERE revision_id = @revision_id AND id = @id;

-- name: DeleteToolsExcept :execrows
DELETE FROM agent_tools WHERE revision_id = @revision_id AND id <> ALL (@ids::text[]);

-- name: DeleteSkills :exec
DELETE FROM agent_skills WHERE revision_id = $1;

-- name: SetExamples :execrows
UPDATE agent_tools t SET examples = @examples, updated_at = now()
WHERE t.revision_id = @revision_id AND t.id = @id AND t.examples::text <> (@examples::json)::text;

-- name: Skills :many
SELECT * FROM agent_skills WHERE revision_id = $1 ORDER BY id;

-- name: PutSkill :execrows
INSERT INTO agent_skills AS s (revision_id, id, description, content) VALUES (@revision_id, @id, @description, @content)
ON CONFLICT (revision_id, id) DO UPDATE SET description = excluded.description, content = excluded.content, updated_at = now()
WHERE (s.description, s.content) IS DISTINCT FROM (excluded.description, excluded.content);

-- name: DeleteSkill :execrows
DELETE FROM agent_skills WHERE revision_id = @revision_id AND id = @id;

-- name: BundleSize :one
-- Returns the size of a bundle: tools, skills, examples and bytes.
SELECT (SELECT count(*) FROM agent_tools t WHERE t.revision_id = r.id)::integer AS tools,
       (SELECT count(*) FROM agent_skills s WHERE s.revision_id = r.id)::integer AS skills,
       (SELECT coalesce(sum(json_array_length(t.examples)), 0) FROM agent_tools t WHERE t.revision_id = r.id)::integer AS examples,
       (octet_length(r.agent_md)
        + (SELECT coalesce(sum(octet_length(t.source) + octet_length(t.args_schema::text) + octet_length(t.examples::text)), 0)
            FROM agent_tools t WHERE t.revision_id = r.id)
        + (SELECT coalesce(sum(octet_length(s.content)), 0) FROM agent_skills s WHERE s.revision_id = r.id))::bigint AS bytes
FROM agent_revisions r WHERE r.id = $1;

-- name: AgentsWithSecret :many
-- Lists agents that name a secret in a revision that is not archived, among those that the caller sees.
SELECT a.id, a.name FROM agents a
WHERE EXISTS (SELECT FROM agent_revisions r WHERE r.agent_id = a.id AND r.state <> 'archived' AND r.secrets @> ARRAY[@secret::text])
  AND EXISTS (SELECT FROM access_opens('agent.agent', a.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY a.name_key LIMIT @max_rows;

-- name: CountAgentsWithSecret :one
SELECT count(DISTINCT r.agent_id) FROM agent_revisions r WHERE r.state <> 'archived' AND r.secrets @> ARRAY[@secret::text];

-- name: OfferedTools :many
-- Lists the tools of live revisions of the agents that a caller may use, narrowed by agent id or slug, tool, and
-- hashed wire name. Beyond @max_rows, tools of the caller's own revisions come first, then granted ones, then others,
-- with at most @per_author of each author, so that nobody can crowd out the tools of others. total is the number of
-- all.
SELECT o.agent_id, o.slug, o.agent_name, o.revision_id, o.number, o.bundle_sha256, o.spec, o.id, o.description,
       o.args_schema, o.effect, o.capabilities, o.total
FROM (
    SELECT u.*, count(*) OVER () AS total,
           row_number() OVER (PARTITION BY u.created_by_kind, u.created_by_id ORDER BY u.nearness, u.slug, u.id) AS place
    FROM (
        SELECT a.id AS agent_id, a.name_key AS slug, a.name AS agent_name, r.id AS revision_id, r.number, r.bundle_sha256, r.spec,
               t.id, t.description, t.args_schema, t.effect, t.capabilities, r.created_by_kind, r.created_by_id,
               CASE WHEN r.created_by_kind = @subject_type AND r.created_by_id = @subject_id THEN 0
                    WHEN EXISTS (SELECT FROM access_opens('agent.agent', a.id, false, @subject_type, @subject_id, @team_ids::uuid[])) THEN 1
                    ELSE 2 END AS nearness
        FROM agent_revisions r JOIN agents a ON a.id = r.agent_id JOIN agent_tools t ON t.revision_id = r.id
        WHERE r.state = 'live'
          AND (@everybody::boolean OR EXISTS (
              SELECT FROM access_opens('agent.agent', a.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
          AND (sqlc.narg(agent_id)::uuid IS NULL OR a.id = sqlc.narg(agent_id)::uuid)
          AND (sqlc.narg(slug)::text IS NULL OR a.name_key = sqlc.narg(slug)::text)
          AND (sqlc.narg(tool)::text IS NULL OR t.id = sqlc.narg(tool)::text)
          AND (sqlc.narg(wire)::text IS NULL
               OR starts_with(sqlc.narg(wire)::text, left('agent_' || a.name_key || '_' || t.id, @wire_prefix::integer))
                  AND right(sqlc.narg(wire)::text, @wire_hash::integer)
                      = left(encode(sha256(convert_to('agent.' || a.name_key || '.' || t.id, 'UTF8')), 'hex'), @wire_hash::integer))
    ) u
) o
WHERE o.nearness = 0 OR o.place <= @per_author::integer OR o.total <= @max_rows::integer
ORDER BY o.nearness, o.place, o.slug, o.id LIMIT @max_rows::integer;

-- name: CountLiveTools :one
SELECT count(*) FROM agent_revisions r JOIN agent_tools t ON t.revision_id = r.id WHERE r.state = 'live';

-- name: Trials :many
-- Returns the recent checks in order; old ones are expired.
WITH old AS (
    DELETE FROM agent_trials o WHERE o.revision_id = @revision_id AND o.at <= now() - interval '1 hour'
)
SELECT t.hash FROM agent_trials t WHERE t.revision_id = @revision_id AND t.at > now() - interval '1 hour';

-- name: AddTrials :exec
INSERT INTO agent_trials (revision_id, hash)
SELECT DISTINCT r.id, h FROM agent_revisions r, unnest(@hashes::bytea[]) h WHERE r.id = @revision_id AND r.state = 'draft'
ON CONFLICT (revision_id, hash) DO UPDATE SET at = excluded.at;

-- name: ForgetTrials :exec
DELETE FROM agent_trials WHERE revision_id = $1;

-- name: CompiledTool :one
SELECT compiled_js, source_map FROM agent_tools WHERE revision_id = @revision_id AND id = @id;

-- name: LiveInstructions :one
-- Returns the live revision's instructions for a model, cut to a number of characters.
SELECT a.name_key AS slug, a.name, left(r.agent_md, @most::integer)::text AS agent_md
FROM agents a JOIN agent_revisions r ON r.agent_id = a.id AND r.state = 'live' WHERE a.id = @agent_id;

-- name: LiveRevision :one
SELECT a.name, r.id, r.spec FROM agents a JOIN agent_revisions r ON r.agent_id = a.id AND r.state = 'live' WHERE a.id = @agent_id;

-- name: AddCall :exec
INSERT INTO agent_calls (id, agent_id, number, tool_id, principal_kind, principal_id, turn_id, args_hash, ok, error_code, duration_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: Calls :many
-- Lists a page, newest first; of one principal only if @principal_id is given.
SELECT * FROM agent_calls c
WHERE c.agent_id = @agent_id AND (sqlc.narg(principal_id)::uuid IS NULL OR c.principal_id = sqlc.narg(principal_id)::uuid)
  AND (sqlc.narg(before_at)::timestamptz IS NULL OR (c.at, c.id) < (sqlc.narg(before_at)::timestamptz, sqlc.narg(before_id)::uuid))
ORDER BY c.at DESC, c.id DESC LIMIT @max_rows;

-- name: PruneCalls :exec
DELETE FROM agent_calls WHERE at < now() - interval '90 days';

-- name: KeepIdentities :exec
-- Adds the identities of the tools of a revision, for policies. Identities are never removed.
INSERT INTO tool_identities (tool_name, identity)
SELECT 'agent.' || a.name_key, 'agents:' || t.source_sha256
FROM agents a JOIN agent_revisions r ON r.agent_id = a.id JOIN agent_tools t ON t.revision_id = r.id WHERE r.id = @revision_id
UNION
SELECT 'agent.' || a.name_key || '.' || t.id, 'agent:' || t.source_sha256
FROM agents a JOIN agent_revisions r ON r.agent_id = a.id JOIN agent_tools t ON t.revision_id = r.id WHERE r.id = @revision_id
ON CONFLICT DO NOTHING;

-- name: NamesWithIdentity :many
SELECT DISTINCT tool_name FROM tool_identities WHERE tool_name = ANY (@names::text[]) AND identity = ANY (@identities::text[]);

-- name: LastPromoted :one
-- Returns the live revision, or the last live one.
SELECT r.id FROM agent_revisions r WHERE r.agent_id = @agent_id AND r.promoted_at IS NOT NULL
ORDER BY (r.state = 'live') DESC, r.promoted_at DESC LIMIT 1;

-- name: ToolEffects :many
SELECT t.id, t.effect, t.source_sha256, r.spec FROM agent_revisions r JOIN agent_tools t ON t.revision_id = r.id WHERE r.id = @revision_id;
