-- name: Checkpoints :many
SELECT number, seq, hash, newest_at, at, key_id, seal FROM ai_audit_checkpoints ORDER BY number;

-- name: NewestCheckpoint :one
SELECT number, seq, at FROM ai_audit_checkpoints ORDER BY number DESC LIMIT 1;

-- name: FirstStrayCheckpoint :one
-- The first checkpoint after the begin of the chain whose link has another hash.
SELECT k.number, k.seq FROM ai_audit_checkpoints k LEFT JOIN ai_audit_links l ON l.seq = k.seq
WHERE k.seq >= @first AND l.hash IS DISTINCT FROM k.hash ORDER BY k.seq LIMIT 1;

-- name: InsertCheckpoint :execrows
INSERT INTO ai_audit_checkpoints (number, seq, hash, newest_at, at, key_id, seal)
VALUES (@number, @seq, @hash, @newest_at, @at, @key_id, @seal) ON CONFLICT DO NOTHING;

-- name: CountCheckpoints :exec
UPDATE ai_audit_state SET checkpoints = greatest(checkpoints, @checkpoints::bigint);

-- name: TimeOfPlace :one
SELECT e.at FROM ai_audit_links l JOIN ai_audit_entries e ON e.id = l.entry_id WHERE l.seq = $1;

-- name: Now :one
SELECT clock_timestamp()::timestamptz AS at;

-- name: Begin :one
SELECT seq, hash, target_seq, target_hash, checkpoint, archive, kept, kept_hash, at, key_id, seal FROM ai_audit_begin;

-- name: OneSnapshot :exec
-- The rest of the transaction uses the current snapshot of the database.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;

-- name: LockRemovals :exec
SELECT pg_advisory_xact_lock(hashtextextended('countersign audit removal', 0));

-- name: LockBegin :one
SELECT seq, hash, target_seq, target_hash, checkpoint, archive, kept, kept_hash, at, key_id, seal FROM ai_audit_begin FOR UPDATE;

-- name: SaveBegin :exec
INSERT INTO ai_audit_begin (seq, hash, target_seq, target_hash, checkpoint, archive, kept, kept_hash, at, key_id, seal)
VALUES (@seq, @hash, @target_seq, @target_hash, @checkpoint, @archive, @kept, @kept_hash, @at, @key_id, @seal)
ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, target_seq = excluded.target_seq,
    target_hash = excluded.target_hash,
    checkpoint = excluded.checkpoint, archive = excluded.archive, kept = excluded.kept, kept_hash = excluded.kept_hash, at = excluded.at,
    key_id = excluded.key_id, seal = excluded.seal;

-- name: MoveState :exec
-- Lets the trigger of the row move it to the target of the removal.
UPDATE ai_audit_state SET verified_seq = verified_seq;

-- name: Undisturbed :one
-- Whether no background verification can be reading entries before a place: none is due or running.
SELECT coalesce(problem IS NULL AND verified_seq >= @target AND whole_at > clock_timestamp() - interval '50 minutes'
    AND (pass_linked OR pass_seq <= @begun), false)::boolean AS undisturbed FROM ai_audit_state;

-- name: VerificationEnded :one
-- Whether a background verification that ran at a given time has ended: it has reported since, or no process runs the
-- periodic jobs.
SELECT (coalesce(s.verified_at > @since::timestamptz, false)
        OR NOT EXISTS (SELECT FROM leases WHERE name = 'chores' AND leased_until > clock_timestamp()))::boolean FROM ai_audit_state s;

-- name: LateSubscriber :one
SELECT subscriber, seq FROM event_cursors WHERE seq < @seq ORDER BY seq LIMIT 1;

-- name: OldEnough :one
SELECT (@newest_at::timestamptz < clock_timestamp() - make_interval(secs => @seconds::float8))::boolean;

-- name: StayingEntries :many
-- Selects the entries that must stay when everything up to @target is removed, and this batch now: those of open calls,
-- proposals and turns, or with later entries, or with an earlier entry after that place, which was committed late and
-- would become the last one; their programs; erasures, which explain missing names; removals of entries; the names of
-- applications; and of records the first entry of each relation and their deletion, by which ids are known for records.
WITH asked AS (
    SELECT e.id, e.version, e.action, e.object_type, e.object_id, e.subject_type, e.subject_id,
           CASE WHEN e.version = 1 THEN e.record WHEN e.object_type = 'audit.call' THEN e.object_id::bigint END AS record
    FROM ai_audit_entries e WHERE e.id = ANY (@ids::bigint[])
), busy AS (
    SELECT c.record FROM ai_tool_calls c
    WHERE c.record = ANY (ARRAY(SELECT DISTINCT a.record FROM asked a WHERE a.record IS NOT NULL))
      AND (c.status IN ('running', 'proposed', 'applying')
           OR EXISTS (SELECT FROM ai_proposals p WHERE p.id = c.id)
           OR EXISTS (SELECT FROM ai_turns t WHERE t.id = c.turn_id AND t.status IN ('pending', 'running'))
           OR EXISTS (SELECT FROM ai_audit_entries l LEFT JOIN ai_audit_links k ON k.entry_id = l.id
                      WHERE l.record = c.record AND (k.seq IS NULL OR k.seq > sqlc.arg('target')::bigint
                            OR k.seq > sqlc.arg('upto')::bigint AND EXISTS (
                                SELECT FROM ai_audit_entries m JOIN ai_audit_links n ON n.entry_id = m.id
                                WHERE m.record = l.record AND m.id > l.id AND n.seq <= sqlc.arg('upto')::bigint)))
           OR sqlc.arg('whole')::boolean
               AND EXISTS (SELECT FROM ai_audit_entries l JOIN ai_audit_kept k ON k.entry_id = l.id WHERE l.record = c.record))
)
SELECT a.id FROM asked a
WHERE a.record IN (SELECT b.record FROM busy b)
   OR a.version = 2 AND (
        a.object_type = 'audit.log'
        OR a.object_type = 'auth.user' AND a.action = 'erased'
        OR a.object_type = 'auth.application' AND a.action IN ('created', 'changed', 'deleted')
        OR a.object_type = ANY (@remembered::text[]) AND (a.action = 'deleted' OR CASE WHEN a.subject_id IS NULL
            -- A record may be related to thousands, and each of these to a thousand others: only both ids lead to the
            -- first entry directly.
            THEN NOT EXISTS (
                SELECT FROM ai_audit_entries f
                WHERE f.version = 2 AND f.object_type = a.object_type AND f.object_id = a.object_id
                  AND f.subject_type IS NULL AND f.subject_id IS NULL AND f.id < a.id)
            ELSE NOT EXISTS (
                SELECT FROM ai_audit_entries f
                WHERE f.version = 2 AND f.object_type = a.object_type AND f.object_id = a.object_id
                  AND f.subject_type = a.subject_type AND f.subject_id = a.subject_id AND f.id < a.id)
            END))
ORDER BY a.id;

-- name: EntriesAmong :many
SELECT e.id FROM ai_audit_entries e WHERE e.id = ANY (@ids::bigint[]);

-- name: Keep :exec
INSERT INTO ai_audit_kept (seq, entry_id, before) SELECT unnest(@seqs::bigint[]), unnest(@entry_ids::bigint[]), unnest(@befores::bytea[]);

-- name: KeptAfter :many
SELECT k.seq, k.entry_id, k.before, coalesce(l.entry_id, 0)::bigint AS linked_id, coalesce(l.key_id, 0)::integer AS key_id,
       coalesce(l.hash, '')::bytea AS hash
FROM ai_audit_kept k LEFT JOIN ai_audit_links l ON l.seq = k.seq WHERE k.seq > @after ORDER BY k.seq LIMIT @max_rows;

-- name: KeptOfRecords :many
-- Kept entries of calls, after a place.
SELECT k.seq, k.entry_id, k.before, coalesce(l.entry_id, 0)::bigint AS linked_id, coalesce(l.key_id, 0)::integer AS key_id,
       coalesce(l.hash, '')::bytea AS hash
FROM ai_audit_entries e JOIN ai_audit_kept k ON k.entry_id = e.id LEFT JOIN ai_audit_links l ON l.seq = k.seq
WHERE e.record = ANY (@records::bigint[]) AND k.seq > @after ORDER BY k.seq;

-- name: FirstStrayLink :one
-- The first link before the begin of the chain that is not a kept one.
SELECT l.seq, l.entry_id FROM ai_audit_links l
WHERE l.seq < @before AND NOT EXISTS (SELECT FROM ai_audit_kept k WHERE k.seq = l.seq) ORDER BY l.seq LIMIT 1;

-- name: EntryLeft :one
-- Whether the entry of a removed place still exists.
SELECT EXISTS (SELECT FROM ai_audit_links l JOIN ai_audit_entries e ON e.id = l.entry_id
               WHERE l.seq = @seq AND NOT EXISTS (SELECT FROM ai_audit_kept k WHERE k.seq = l.seq))::boolean;

-- name: RemovePersonal :execrows
DELETE FROM ai_audit_personal WHERE entry_id = ANY (@entry_ids::bigint[]);

-- name: RemoveEntries :execrows
DELETE FROM ai_audit_entries WHERE id = ANY (@entry_ids::bigint[]);

-- name: RemoveCalls :execrows
-- Calls without entries.
DELETE FROM ai_tool_calls c
WHERE c.record = ANY (@records::bigint[]) AND NOT EXISTS (SELECT FROM ai_audit_entries e WHERE e.record = c.record);

-- name: RemoveLinks :exec
-- Keeps the link at the begin of the chain, where verification starts.
DELETE FROM ai_audit_links l
WHERE l.seq >= sqlc.arg('from')::bigint AND l.seq < sqlc.arg('to')::bigint AND NOT EXISTS (SELECT FROM ai_audit_kept k WHERE k.seq = l.seq);

-- name: Release :exec
DELETE FROM ai_audit_kept WHERE entry_id = ANY (@entry_ids::bigint[]);

-- name: RemoveLinksOf :exec
DELETE FROM ai_audit_links WHERE entry_id = ANY (@entry_ids::bigint[]) AND seq < @before;
