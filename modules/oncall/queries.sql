-- name: Schedules :many
SELECT * FROM oncall_schedules
WHERE name_key > @after::text AND (sqlc.narg(team_id)::uuid IS NULL OR team_id = sqlc.narg(team_id))
ORDER BY name_key
LIMIT @max_rows::integer;

-- name: SchedulesByID :many
SELECT * FROM oncall_schedules WHERE id = ANY (@ids::uuid[]) ORDER BY id;

-- name: Schedule :one
SELECT * FROM oncall_schedules WHERE id = $1;

-- name: LockSchedule :one
SELECT * FROM oncall_schedules WHERE id = $1 FOR NO KEY UPDATE;

-- name: CreateSchedule :one
INSERT INTO oncall_schedules (id, name, name_key, description, team_id, zone, layers)
VALUES (@id, @name, @name_key, @description, sqlc.narg(team_id), @zone, @layers)
RETURNING *;

-- name: UpdateSchedule :one
UPDATE oncall_schedules
SET name = @name, name_key = @name_key, description = @description, team_id = sqlc.narg(team_id), zone = @zone, layers = @layers,
    revision = revision + 1, updated_at = now()
WHERE id = @id
RETURNING *;

-- name: SetCalendar :one
UPDATE oncall_schedules
SET feed_sealed = sqlc.narg(feed_sealed), feed_host = @feed_host, events = @events, event_warnings = @event_warnings,
    feed_read_at = now(), feed_error = '', feed_next_at = now() + make_interval(secs => @seconds::integer),
    revision = revision + 1, updated_at = now()
WHERE id = @id
RETURNING *;

-- name: DueFeeds :many
-- Claims feeds to read again: another process, and the next run, leaves them alone for a while.
UPDATE oncall_schedules SET feed_next_at = now() + make_interval(secs => @seconds::integer)
WHERE id IN (SELECT id FROM oncall_schedules WHERE feed_sealed IS NOT NULL AND feed_next_at <= now()
             ORDER BY feed_next_at LIMIT @max_rows::integer FOR UPDATE SKIP LOCKED)
RETURNING *;

-- name: RefreshFeed :exec
-- Keeps what a feed says, unless its address has changed since. The revision stays: people have changed nothing.
UPDATE oncall_schedules
SET events = @events, event_warnings = @event_warnings, feed_read_at = now(), feed_error = ''
WHERE id = @id AND feed_sealed = @feed_sealed::bytea;

-- name: FailFeed :exec
UPDATE oncall_schedules SET feed_error = @feed_error WHERE id = @id AND feed_sealed = @feed_sealed::bytea;

-- name: SealedFeeds :many
SELECT id FROM oncall_schedules WHERE id > @after AND feed_sealed IS NOT NULL ORDER BY id LIMIT @max_rows::integer;

-- name: SetFeedSealed :exec
UPDATE oncall_schedules SET feed_sealed = @sealed::bytea WHERE id = @id;

-- name: DeleteSchedule :execrows
DELETE FROM oncall_schedules WHERE id = $1;

-- name: BumpSchedule :one
UPDATE oncall_schedules SET revision = revision + 1, updated_at = now() WHERE id = $1 RETURNING revision;

-- name: SchedulesNaming :many
-- Locks the schedules that name a person or a team.
SELECT * FROM oncall_schedules
WHERE team_id = @ref::uuid OR strpos(layers::text, @ref_text::text) > 0 OR strpos(events::text, @ref_text) > 0
ORDER BY id
FOR NO KEY UPDATE;

-- name: ForgetInSchedule :exec
UPDATE oncall_schedules
SET team_id = sqlc.narg(team_id), layers = @layers, events = @events, revision = revision + 1, updated_at = now()
WHERE id = @id;

-- name: DropOverridesOf :exec
DELETE FROM oncall_overrides WHERE person_id = @person_id::uuid OR replaces_id = @person_id::uuid;

-- name: AddOverride :one
INSERT INTO oncall_overrides (id, schedule_id, person_id, replaces_id, starts_at, ends_at)
VALUES (@id, @schedule_id, @person_id, sqlc.narg(replaces_id), @starts_at, @ends_at)
RETURNING *;

-- name: CountOverrides :one
SELECT count(*) FROM oncall_overrides WHERE schedule_id = @schedule_id AND ends_at > now();

-- name: RemoveOverride :many
DELETE FROM oncall_overrides WHERE id = @id AND schedule_id = @schedule_id RETURNING *;

-- name: Overrides :many
-- Lists the overrides of schedules that overlap a time, in the order in which they were made.
SELECT * FROM oncall_overrides
WHERE schedule_id = ANY (@schedule_ids::uuid[]) AND ends_at > @from_at::timestamptz AND starts_at < @to_at::timestamptz
ORDER BY created_at, id;

-- name: Policies :many
SELECT * FROM oncall_policies
WHERE name_key > @after::text AND (sqlc.narg(team_id)::uuid IS NULL OR team_id = sqlc.narg(team_id))
ORDER BY name_key
LIMIT @max_rows::integer;

-- name: Policy :one
SELECT * FROM oncall_policies WHERE id = $1;

-- name: LockPolicy :one
SELECT * FROM oncall_policies WHERE id = $1 FOR NO KEY UPDATE;

-- name: CreatePolicy :one
INSERT INTO oncall_policies (id, name, name_key, description, team_id, zone, steps, repeats, between_seconds, severities, is_default,
                             is_enabled)
VALUES (@id, @name, @name_key, @description, sqlc.narg(team_id), @zone, @steps, @repeats, @between_seconds, @severities, @is_default,
        @is_enabled)
RETURNING *;

-- name: UpdatePolicy :one
UPDATE oncall_policies
SET name = @name, name_key = @name_key, description = @description, team_id = sqlc.narg(team_id), zone = @zone, steps = @steps,
    repeats = @repeats, between_seconds = @between_seconds, severities = @severities, is_default = @is_default, is_enabled = @is_enabled,
    revision = revision + 1, updated_at = now()
WHERE id = @id
RETURNING *;

-- name: DeletePolicy :execrows
DELETE FROM oncall_policies WHERE id = $1;

-- name: ApplicablePolicies :many
-- Lists the policies that an incident of a severity on systems of these teams may follow, the closest first: those of the
-- teams, then those of no team, then the default one; of these, those for the severity alone come first.
SELECT * FROM oncall_policies
WHERE is_enabled AND (is_default OR (team_id IS NULL OR team_id = ANY (@team_ids::uuid[])))
  AND (severities = '{}' OR @severity::text = ANY (severities))
  AND (team_id = ANY (@team_ids::uuid[]) OR severities <> '{}' OR is_default)
ORDER BY (team_id = ANY (@team_ids::uuid[])) IS TRUE DESC, is_default, severities = '{}', name_key
LIMIT 500;

-- name: PoliciesNaming :many
-- Locks the policies that name a person, a team or a schedule.
SELECT * FROM oncall_policies
WHERE team_id = @ref::uuid OR strpos(steps::text, @ref_text::text) > 0
ORDER BY id
FOR NO KEY UPDATE;

-- name: ForgetInPolicy :exec
UPDATE oncall_policies SET team_id = sqlc.narg(team_id), steps = @steps, revision = revision + 1, updated_at = now() WHERE id = @id;

-- name: PoliciesUsing :many
SELECT id, name FROM oncall_policies WHERE strpos(steps::text, @ref_text::text) > 0 ORDER BY name_key;

-- name: BeginEscalation :one
-- Begins the escalation of an incident that was opened or reopened.
INSERT INTO oncall_escalations (incident_id, workflow_id, state, began_at, last_at)
VALUES (@incident_id, @workflow_id, 'waiting', @began_at, @began_at)
ON CONFLICT (incident_id) DO UPDATE
SET opening = oncall_escalations.opening + 1, run = oncall_escalations.run + 1, workflow_id = excluded.workflow_id, state = 'waiting',
    reason = '', policy_id = NULL, round = 0, step = 0, began_at = excluded.began_at, last_at = excluded.last_at, due_at = NULL,
    updated_at = clock_timestamp()
WHERE oncall_escalations.workflow_id <> excluded.workflow_id
RETURNING *;

-- name: EscalationOf :one
SELECT * FROM oncall_escalations WHERE incident_id = $1;

-- name: LockEscalation :one
SELECT * FROM oncall_escalations WHERE incident_id = $1 FOR UPDATE;

-- name: MoveEscalation :exec
UPDATE oncall_escalations
SET state = @state, reason = @reason, policy_id = sqlc.narg(policy_id), run = @run, round = @round, step = @step, last_at = @last_at,
    due_at = sqlc.narg(due_at), updated_at = clock_timestamp()
WHERE incident_id = @incident_id;

-- name: AddCall :exec
INSERT INTO oncall_calls (incident_id, run, round, step, policy_id, policy_name, due_at, people, messages, unreached, is_hidden)
VALUES (@incident_id, @run, @round, @step, @policy_id, @policy_name, @due_at, @people, @messages, @unreached, @is_hidden);

-- name: Calls :many
SELECT * FROM oncall_calls WHERE incident_id = $1 ORDER BY taken_at DESC, run DESC, round DESC, step DESC LIMIT 200;

-- name: CallsBefore :many
-- Lists calls before a moment, newest first. The number of a call orders those of one time.
SELECT c.* FROM (
    SELECT *, ((run::bigint << 40) + (round::bigint << 20) + step)::bigint AS number FROM oncall_calls WHERE incident_id = @incident_id
) c
WHERE (c.taken_at, c.number) < (@before_at::timestamptz, @before_number::bigint)
ORDER BY c.taken_at DESC, c.number DESC
LIMIT @max_rows::integer;

-- name: WaitingOn :many
-- Lists the workflows that wait and follow a policy, or none, or one of a team: those of several teams run together.
SELECT workflow_id FROM oncall_escalations
WHERE state = 'waiting' AND (policy_id = @policy_id OR policy_id IS NULL
                             OR policy_id IN (SELECT id FROM oncall_policies WHERE team_id IS NOT NULL));

-- name: Overdue :many
-- Lists escalations whose step is overdue: their workflow was not woken. The time of the statement lets the index find them.
SELECT * FROM oncall_escalations WHERE state = 'waiting' AND due_at < now() - make_interval(secs => @seconds::integer)
ORDER BY due_at LIMIT @max_rows::integer;

-- name: SetWorkflow :exec
UPDATE oncall_escalations SET workflow_id = @workflow_id WHERE incident_id = @incident_id;

-- name: DropEscalation :exec
DELETE FROM oncall_escalations WHERE incident_id = $1;

-- name: MutedEscalations :many
SELECT workflow_id FROM oncall_escalations WHERE state = 'waiting' AND reason LIKE @reason::text;
