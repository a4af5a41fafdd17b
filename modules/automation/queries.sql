-- name: Automations :many
SELECT * FROM automations
WHERE name_key > @after::text
  AND (@status::text = '' OR status = @status) AND (@group_name::text = '' OR group_name = @group_name)
  AND (@query::text = '' OR name_key LIKE '%' || @query || '%')
ORDER BY name_key
LIMIT @max_rows::integer;

-- name: Automation :one
SELECT * FROM automations WHERE id = $1;

-- name: HoldAutomation :one
SELECT * FROM automations WHERE id = $1 FOR NO KEY UPDATE;

-- name: CreateAutomation :one
INSERT INTO automations (id, name, name_key, description, group_name, status, run_as, definition_revision)
VALUES (@id, @name, @name_key, @description, @group_name, @status, @run_as, 1)
RETURNING *;

-- name: UpdateAutomation :one
UPDATE automations
SET name = @name, name_key = @name_key, description = @description, group_name = @group_name, status = @status,
    disabled_reason = @disabled_reason, run_as = @run_as, definition_revision = @definition_revision,
    revision = revision + 1, updated_at = now()
WHERE id = @id
RETURNING *;

-- name: DisableAutomation :exec
-- The product itself disables one, and says why.
UPDATE automations SET status = 'disabled', disabled_reason = @disabled_reason, revision = revision + 1,
    updated_at = now() WHERE id = @id;

-- name: DeleteAutomation :execrows
DELETE FROM automations WHERE id = $1;

-- name: AutomationsRunAs :many
SELECT * FROM automations WHERE run_as = $1 ORDER BY id FOR NO KEY UPDATE;

-- name: NextGeneration :exec
UPDATE automation_generation SET generation = generation + 1;

-- name: Generation :one
SELECT generation FROM automation_generation;

-- name: EnabledDefinitions :many
SELECT a.id, a.definition_revision AS revision, r.compiled
FROM automations a JOIN automation_revisions r ON r.automation_id = a.id AND r.revision = a.definition_revision
WHERE a.status = 'enabled'
ORDER BY a.id;

-- name: AddRevision :exec
INSERT INTO automation_revisions (automation_id, revision, text, compiled, run_as, author_id)
VALUES (@automation_id, @revision, @text, @compiled, @run_as, @author_id);

-- name: Revision :one
SELECT * FROM automation_revisions WHERE automation_id = @automation_id AND revision = @revision;

-- name: Revisions :many
SELECT * FROM automation_revisions
WHERE automation_id = @automation_id AND revision < @before::bigint
ORDER BY revision DESC
LIMIT @max_rows::integer;

-- name: SetSchedule :exec
-- A schedule that stays the same keeps its next slot, also one that stood while it was disabled.
INSERT INTO automation_schedules AS s (automation_id, trigger_id, spec, next_at)
VALUES (@automation_id, @trigger_id, @spec, sqlc.narg(next_at))
ON CONFLICT (automation_id, trigger_id) DO UPDATE
SET spec = EXCLUDED.spec, next_at = CASE WHEN s.spec = EXCLUDED.spec THEN s.held_at ELSE EXCLUDED.next_at END, held_at = NULL,
    last_at = CASE WHEN s.spec = EXCLUDED.spec THEN s.last_at END, late = false
WHERE s.spec <> EXCLUDED.spec OR s.held_at IS NOT NULL;

-- name: DropSchedules :exec
DELETE FROM automation_schedules WHERE automation_id = @automation_id AND NOT trigger_id = ANY (@kept::text[]);

-- name: DueSchedules :many
SELECT s.automation_id, s.trigger_id FROM automation_schedules s WHERE s.next_at <= now() ORDER BY s.next_at LIMIT @max_rows::integer;

-- name: HoldSchedule :one
SELECT *, now()::timestamptz AS clock FROM automation_schedules WHERE automation_id = @automation_id
    AND trigger_id = @trigger_id FOR UPDATE SKIP LOCKED;

-- name: MoveSchedule :exec
UPDATE automation_schedules SET next_at = sqlc.narg(next_at), last_at = @last_at::timestamptz, late = @late
WHERE automation_id = @automation_id AND trigger_id = @trigger_id;

-- name: StandSchedule :exec
-- The schedule of what is disabled stands at its next slot.
UPDATE automation_schedules SET held_at = next_at, next_at = NULL
WHERE automation_id = @automation_id AND trigger_id = @trigger_id AND next_at IS NOT NULL;

-- name: BeginFor :exec
-- The first event of a lasting state counts.
INSERT INTO automation_fors (automation_id, trigger_id, context_key, spec, event_id, trigger, cause, due_at)
VALUES (@automation_id, @trigger_id, @context_key, @spec, @event_id, @trigger, @cause, @due_at)
ON CONFLICT DO NOTHING;

-- name: EndFors :exec
DELETE FROM automation_fors WHERE automation_id = @automation_id AND trigger_id = @trigger_id AND context_key = @context_key;

-- name: DropFors :exec
DELETE FROM automation_fors WHERE automation_id = @automation_id AND NOT (trigger_id || ' ' || spec) = ANY (@kept::text[]);

-- name: HasLasted :one
SELECT EXISTS (SELECT FROM automation_fors WHERE automation_id = @automation_id AND trigger_id = @trigger_id
    AND context_key = @context_key AND due_at <= @due_by)::boolean;

-- name: DueFors :many
SELECT automation_id, trigger_id, context_key, due_at FROM automation_fors WHERE due_at <= now() ORDER BY due_at LIMIT @max_rows::integer;

-- name: TakeFor :one
DELETE FROM automation_fors f
WHERE (f.automation_id, f.trigger_id, f.context_key) IN (
    SELECT g.automation_id, g.trigger_id, g.context_key FROM automation_fors g
    WHERE g.automation_id = @automation_id AND g.trigger_id = @trigger_id AND g.context_key = @context_key AND g.due_at <= @due_by
    FOR UPDATE SKIP LOCKED)
RETURNING *;

-- name: NextDue :one
-- Seconds until the next schedule or lasting state is due; -1 for none.
SELECT coalesce(extract(epoch FROM least(
    (SELECT min(next_at) FROM automation_schedules), (SELECT min(due_at) FROM automation_fors)) - clock_timestamp()),
    -1)::float8 AS seconds;

-- name: AddRun :execrows
INSERT INTO automation_runs (id, automation_id, revision, trigger_id, event_id, slot, context_key, trigger, cause, depth, status, reason,
    actor_id, again_of, ended_at)
VALUES (@id, @automation_id, @revision, @trigger_id, sqlc.narg(event_id), sqlc.narg(slot), @context_key, @trigger,
    @cause, @depth, @status,
    @reason, sqlc.narg(actor_id), sqlc.narg(again_of), CASE WHEN @status::text = 'skipped' THEN now() END)
ON CONFLICT DO NOTHING;

-- name: OpenRuns :many
-- Open runs of a scope, oldest first.
SELECT id, status FROM automation_runs
WHERE automation_id = @automation_id AND (@whole::boolean OR context_key = @context_key) AND status IN ('queued', 'pending', 'running')
  AND cancel_at IS NULL
ORDER BY id;

-- name: Run :one
SELECT * FROM automation_runs WHERE id = $1;

-- name: HoldRun :one
SELECT * FROM automation_runs WHERE id = $1 FOR UPDATE;

-- name: Runs :many
SELECT * FROM automation_runs
WHERE id < @before::uuid AND (sqlc.narg(automation_id)::uuid IS NULL OR automation_id = sqlc.narg(automation_id))
  AND (@status::text = '' OR status = @status)
ORDER BY id DESC
LIMIT @max_rows::integer;

-- name: LastRuns :many
-- The newest runs of some automations.
SELECT r.id, r.automation_id, r.status, r.created_at, r.ended_at FROM unnest(@automations::uuid[]) AS a (id)
CROSS JOIN LATERAL (SELECT * FROM automation_runs WHERE automation_id = a.id ORDER BY automation_runs.id DESC LIMIT @most::integer) r
ORDER BY r.automation_id, r.id DESC;

-- name: ClaimPending :many
UPDATE automation_runs SET claimed_until = now() + make_interval(secs => @seconds::integer)
WHERE id IN (SELECT id FROM automation_runs r WHERE r.status = 'pending' AND (r.claimed_until IS NULL OR r.claimed_until < now())
             ORDER BY r.id LIMIT @max_rows::integer FOR UPDATE SKIP LOCKED)
RETURNING id, automation_id, trigger_id;

-- name: ClaimCancelled :many
UPDATE automation_runs SET claimed_until = now() + make_interval(secs => @seconds::integer)
WHERE id IN (SELECT id FROM automation_runs r WHERE r.status = 'running' AND r.cancel_at IS NOT NULL
             AND (r.claimed_until IS NULL OR r.claimed_until < now()) ORDER BY r.id LIMIT @max_rows::integer FOR UPDATE SKIP LOCKED)
RETURNING id;

-- name: UnendedRuns :many
-- Runs that a workflow should have for a minute, by their ids.
SELECT id FROM automation_runs
WHERE status IN ('pending', 'running') AND coalesce(started_at, created_at) < now() - interval '1 minute' AND id > @after::uuid
ORDER BY id
LIMIT @max_rows::integer;

-- name: WorkflowsOf :many
SELECT id FROM automation_runs WHERE automation_id = $1 AND status IN ('pending', 'running');

-- name: ClaimWakes :many
UPDATE automation_waits SET claimed_until = now() + make_interval(secs => @seconds::integer)
WHERE (run_id, path, iteration, event) IN (
    SELECT w.run_id, w.path, w.iteration, w.event FROM automation_waits w
    WHERE w.waking AND (w.claimed_until IS NULL OR w.claimed_until < now())
    ORDER BY w.run_id LIMIT @max_rows::integer FOR UPDATE SKIP LOCKED)
RETURNING run_id, path, iteration, event;

-- name: Woken :exec
UPDATE automation_waits SET waking = false, claimed_until = NULL
WHERE run_id = @run_id AND path = @path AND iteration = @iteration AND event = @event;

-- name: BeginRun :one
-- The first step of the workflow. A run that was cancelled before does not begin.
UPDATE automation_runs
SET status = 'running', started_at = coalesce(started_at, clock_timestamp()), claimed_until = NULL
WHERE id = @id AND status IN ('pending', 'running')
RETURNING *;

-- name: CancelRun :one
UPDATE automation_runs
SET cancel_at = coalesce(cancel_at, now()),
    cancel_reason = CASE WHEN cancel_at IS NULL THEN @reason ELSE cancel_reason END, claimed_until = NULL,
    status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END,
    ended_at = CASE status WHEN 'queued' THEN now() ELSE ended_at END,
    reason = CASE status WHEN 'queued' THEN @reason ELSE reason END
WHERE id = @id AND status IN ('queued', 'pending', 'running')
RETURNING *;

-- name: FinishRun :one
UPDATE automation_runs SET status = @status, reason = @reason, failures = @failures, ended_at = clock_timestamp()
WHERE id = @id AND status IN ('pending', 'running')
RETURNING *;

-- name: PromoteQueued :exec
UPDATE automation_runs SET status = 'pending' WHERE id = @id AND status = 'queued';

-- name: CountStep :one
-- Counts a step of a running run against its limits.
UPDATE automation_runs SET steps = steps + 1, effects = effects + @effects::integer
WHERE id = @id AND status = 'running'
RETURNING steps, effects;

-- name: SetVars :one
UPDATE automation_runs SET vars = vars || @vars::jsonb WHERE id = @id RETURNING octet_length(vars::text)::integer AS size;

-- name: BeginStep :execrows
INSERT INTO automation_steps (run_id, path, iteration, attempt, step_id, kind, action, status, input, due_at)
VALUES (@run_id, @path, @iteration, @attempt, @step_id, @kind, @action, @status, sqlc.narg(input)::jsonb, sqlc.narg(due_at)::timestamptz)
ON CONFLICT DO NOTHING;

-- name: Step :one
SELECT *, greatest(extract(epoch FROM due_at - clock_timestamp()), 0)::float8 AS remaining FROM automation_steps
WHERE run_id = @run_id AND path = @path AND iteration = @iteration AND attempt = @attempt;

-- name: ActStep :execrows
-- Marks that the effect may begin from now on.
UPDATE automation_steps SET acting = true, input = sqlc.narg(input)::jsonb
WHERE run_id = @run_id AND path = @path AND iteration = @iteration AND attempt = @attempt AND status = 'running';

-- name: EndStep :execrows
-- A late outcome replaces the assumption that there was none.
UPDATE automation_steps SET status = @status, reason = @reason, output = sqlc.narg(output)::jsonb, ended_at = clock_timestamp()
WHERE run_id = @run_id AND path = @path AND iteration = @iteration AND attempt = @attempt AND status IN ('running', 'waiting', 'unknown');

-- name: OpenSteps :many
SELECT path, iteration, attempt FROM automation_steps WHERE run_id = @run_id AND status IN ('running', 'waiting');

-- name: Steps :many
SELECT * FROM automation_steps
WHERE run_id = @run_id AND (started_at, path, iteration, attempt) > (@after::timestamptz, @path::text,
    @iteration::text, @attempt::integer)
ORDER BY started_at, path, iteration, attempt
LIMIT @max_rows::integer;

-- name: SetArtifact :exec
INSERT INTO automation_artifacts (run_id, step_id, type, data) VALUES (@run_id, @step_id, @type, @data)
ON CONFLICT (run_id, step_id, type) DO UPDATE SET data = EXCLUDED.data;

-- name: Artifacts :many
SELECT step_id, type, data FROM automation_artifacts WHERE run_id = @run_id ORDER BY step_id, type;

-- name: AddWait :exec
INSERT INTO automation_waits (run_id, path, iteration, event, filter, context_key)
VALUES (@run_id, @path, @iteration, @event, @filter, @context_key)
ON CONFLICT DO NOTHING;

-- name: Waits :many
SELECT * FROM automation_waits WHERE run_id = @run_id AND path = @path AND iteration = @iteration;

-- name: EndAllWaits :exec
DELETE FROM automation_waits WHERE run_id = $1;

-- name: EndWaits :exec
DELETE FROM automation_waits WHERE run_id = @run_id AND path = @path AND iteration = @iteration;

-- name: WaitsFor :many
SELECT * FROM automation_waits w
WHERE w.event = @event AND w.matched IS NULL AND w.context_key IN ('', @context_key::text, @subject::text)
ORDER BY w.run_id
FOR UPDATE;

-- name: MatchWait :exec
UPDATE automation_waits SET matched = @matched, waking = true
WHERE run_id = @run_id AND path = @path AND iteration = @iteration AND event = @event;

-- name: DeleteOldRuns :execrows
DELETE FROM automation_runs WHERE id IN (
    SELECT id FROM automation_runs r WHERE r.ended_at < now() - make_interval(days => @days::integer)
    ORDER BY r.ended_at LIMIT @max_rows::integer);

-- name: QueuedContexts :many
SELECT DISTINCT context_key FROM automation_runs WHERE automation_id = $1 AND status = 'queued' ORDER BY context_key;

-- name: NextSlots :many
SELECT automation_id, min(next_at)::timestamptz AS next_at FROM automation_schedules
WHERE automation_id = ANY (@automations::uuid[]) AND next_at IS NOT NULL
GROUP BY automation_id;

-- name: CompiledOf :many
SELECT r.automation_id, r.compiled FROM automations a
JOIN automation_revisions r ON r.automation_id = a.id AND r.revision = a.definition_revision
WHERE a.id = ANY (@automations::uuid[]);

-- name: AutomationNames :many
SELECT id, name FROM automations WHERE id = ANY (@ids::uuid[]);

-- name: LoopResults :many
-- The iterations of a loop so far: the depth-th number of the iterations of its steps.
SELECT split_part(iteration, '.', @depth::integer)::integer AS index,
    coalesce(bool_or(status IN ('failed', 'unknown')), false)::boolean AS failed,
    coalesce(max(reason) FILTER (WHERE status IN ('failed', 'unknown')), '')::text AS problem
FROM automation_steps
WHERE run_id = @run_id AND starts_with(path, @inside::text) AND starts_with(iteration, @outer_iteration::text)
GROUP BY 1
ORDER BY 1
LIMIT 1000;
