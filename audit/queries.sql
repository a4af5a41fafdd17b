-- name: TryChainLock :one
-- Advisory lock of the process that extends the chain, until the end of the transaction.
SELECT pg_try_advisory_xact_lock(hashtextextended('countersign.audit.chain', 0));

-- name: LastLink :one
SELECT seq, entry_id, key_id, hash FROM ai_audit_links ORDER BY seq DESC LIMIT 1;

-- name: LinkBySeq :one
SELECT seq, entry_id, key_id, hash FROM ai_audit_links WHERE seq = $1;

-- name: HasNewEntries :one
SELECT (EXISTS (SELECT FROM ai_audit_entries WHERE ai_audit_entries.id > @high)
    OR EXISTS (SELECT FROM ai_audit_entries WHERE ai_audit_entries.id = ANY (@gaps::bigint[])))::boolean;

-- name: NewEntries :many
-- Entries above the highest one seen, and those whose transaction had not committed when a higher one was seen.
SELECT * FROM ai_audit_entries e WHERE e.id > @high OR e.id = ANY (@gaps::bigint[]) ORDER BY e.id LIMIT @max_rows;

-- name: UnlinkedEntries :many
SELECT e.* FROM ai_audit_entries e
WHERE e.id > @after AND NOT EXISTS (SELECT FROM ai_audit_links l WHERE l.entry_id = e.id)
ORDER BY e.id LIMIT @max_rows;

-- name: HighestEntry :one
SELECT coalesce(max(l.entry_id), 0)::bigint FROM ai_audit_links l;

-- name: UnlinkedNumbers :many
-- Numbers without a link: of transactions that are still open, or that were rolled back.
SELECT n::bigint FROM generate_series(@first::bigint, @last::bigint) n
WHERE NOT EXISTS (SELECT FROM ai_audit_links l WHERE l.entry_id = n);

-- name: InsertLinks :exec
INSERT INTO ai_audit_links (seq, entry_id, key_id, hash)
SELECT unnest(@seqs::bigint[]), unnest(@entry_ids::bigint[]), @key_id, unnest(@hashes::bytea[]);

-- name: LinksAfter :many
SELECT seq, entry_id, key_id, hash FROM ai_audit_links WHERE seq > @after ORDER BY seq LIMIT @max_rows;

-- name: EntriesByID :many
SELECT * FROM ai_audit_entries WHERE id = ANY (@ids::bigint[]);

-- name: FirstUnlinked :one
-- An entry in a range of numbers that has waited for its link longer than the chain ever takes.
SELECT e.id, coalesce(e.call_id::text, e.object_type || ' ' || e.object_id, '')::text AS about, e.at FROM ai_audit_entries e
LEFT JOIN ai_audit_links l ON l.entry_id = e.id AND l.entry_id > sqlc.arg('after')::bigint AND l.entry_id <= sqlc.arg('last')::bigint
WHERE l.entry_id IS NULL AND e.id > sqlc.arg('after')::bigint AND e.id <= sqlc.arg('last')::bigint
  AND e.at < clock_timestamp() - make_interval(secs => @older_than_seconds::float8)
ORDER BY e.id LIMIT 1;

-- name: EntryRange :one
SELECT coalesce(min(e.id), 0)::bigint AS first, coalesce(max(e.id), 0)::bigint AS last FROM ai_audit_entries e;

-- name: RecordRange :one
-- Whether there are calls, by an index: a scan from the beginning of the table would read the removed part.
SELECT r.first::bigint AS first, r.last::bigint AS last
FROM (SELECT least((SELECT min(c.record) FROM ai_tool_calls c), (SELECT min(f.record) FROM ai_audit_entries f)) AS first,
             greatest((SELECT max(d.record) FROM ai_tool_calls d), (SELECT max(g.record) FROM ai_audit_entries g)) AS last) r
WHERE r.first IS NOT NULL;

-- name: RecordUpTo :one
-- The newest call with an entry up to a place of the chain, or one not much older: calls that are older have no new
-- entries after it. 0 when there is none.
SELECT coalesce(max(s.record), 0)::bigint AS record
FROM (SELECT e.record FROM ai_audit_entries e
      WHERE e.id <= (SELECT l.entry_id FROM ai_audit_links l WHERE l.seq = @seq) ORDER BY e.id DESC LIMIT 5000) s;

-- name: FirstDifference :one
-- The first call in a range of records that differs from its last entry, or that lacks its row or entry.
SELECT coalesce(c.record, e.record)::bigint AS record, coalesce(c.id, e.call_id)::uuid AS call_id,
       (c.record IS NOT NULL)::boolean AS has_call,
       coalesce(e.id, 0)::bigint AS entry_id, coalesce(c.status, '')::text AS call_status, coalesce(e.status, '')::text AS entry_status
FROM (SELECT * FROM ai_tool_calls t WHERE t.record > sqlc.arg('after')::bigint AND t.record <= sqlc.arg('last')::bigint) c
FULL JOIN (SELECT DISTINCT ON (a.record) a.* FROM ai_audit_entries a
    WHERE a.record > sqlc.arg('after')::bigint AND a.record <= sqlc.arg('last')::bigint
           ORDER BY a.record, a.id DESC) e ON e.record = c.record
WHERE (c.record, c.id, c.status, c.principal_kind, c.principal_id, c.transport, c.tool_name, c.effect, c.args_hash, c.error_code,
       c.applied_by_kind, c.applied_by_id, c.turn_id, c.step, c.call)
      IS DISTINCT FROM
      (e.record, e.call_id, e.status, e.principal_kind, e.principal_id, e.transport, e.tool_name, e.effect, e.args_hash, e.error_code,
       e.applied_by_kind, e.applied_by_id, e.turn_id, e.step, e.call)
ORDER BY 1 LIMIT 1;

-- name: FirstImpossible :one
-- The first entry that cannot follow its predecessor: an ended call cannot continue, and no call starts twice.
SELECT s.id, coalesce(s.status, '')::text AS status, s.previous::text AS previous
FROM (SELECT a.id, a.record, a.status, lag(a.status) OVER (PARTITION BY a.record ORDER BY a.id) AS previous
      FROM ai_audit_entries a WHERE a.record > sqlc.arg('after')::bigint AND a.record <= sqlc.arg('last')::bigint) s
WHERE s.previous IS NOT NULL AND (s.previous NOT IN ('running', 'proposed', 'applying') OR s.status IN ('running', s.previous))
ORDER BY s.id LIMIT 1;

-- name: State :one
SELECT verified_seq, verified_hash, verified_at, whole_at, broken_seq, problem, pass_seq, pass_hash, pass_linked,
       pass_record, pass_left_seq, pass_left_hash,
       checkpoints, recent_at
FROM ai_audit_state;

-- name: SaveState :exec
UPDATE ai_audit_state
SET verified_seq = @verified_seq, verified_hash = @verified_hash, verified_at = clock_timestamp(),
    whole_at = CASE WHEN @whole::boolean THEN clock_timestamp() ELSE whole_at END, broken_seq = @broken_seq, problem = @problem,
    pass_seq = @pass_seq, pass_hash = @pass_hash, pass_linked = @pass_linked, pass_record = @pass_record,
    pass_left_seq = @pass_left_seq, pass_left_hash = @pass_left_hash,
    recent_at = CASE WHEN @recent::boolean THEN clock_timestamp() ELSE recent_at END;

-- name: OldestUnlinked :one
-- Wait of the first entry above the end of the chain, in seconds; 0 when there is none. It reads one row by the index:
-- for min() the planner would estimate a third of the table, and scan it in parallel.
SELECT coalesce(extract(epoch FROM clock_timestamp() - (
    SELECT e.at FROM ai_audit_entries e WHERE e.id > (SELECT coalesce(max(l.entry_id), 0) FROM ai_audit_links l) ORDER BY e.id LIMIT 1
)), 0)::float8;

-- name: Register :exec
-- A new subscriber starts at the current end.
INSERT INTO event_cursors (subscriber, seq) SELECT @subscriber, coalesce(max(l.seq), 0) FROM ai_audit_links l
ON CONFLICT DO NOTHING;

-- name: Advance :exec
-- A cursor never moves back, so a late update has no effect.
UPDATE event_cursors SET seq = @seq WHERE subscriber = @subscriber AND seq < @seq;

-- name: EventsFor :many
SELECT l.seq, e.version, coalesce(e.call_id, '00000000-0000-0000-0000-000000000000')::uuid AS call_id, e.at,
       e.principal_kind, e.principal_id,
       e.transport, coalesce(e.tool_name, '')::text AS tool_name, coalesce(e.effect, '')::text AS effect,
       coalesce(e.status, '')::text AS status,
       coalesce(e.action, '')::text AS action, coalesce(e.object_id, '')::text AS object_id,
       coalesce(e.object_name, '')::text AS object_name,
       coalesce(e.fields, '')::text AS fields
FROM ai_audit_links l JOIN ai_audit_entries e ON e.id = l.entry_id
WHERE l.seq > (SELECT c.seq FROM event_cursors c WHERE c.subscriber = @subscriber) ORDER BY l.seq LIMIT @max_rows;

-- name: Calls :many
-- Newest first, planned for its filter. Requests and decisions of a principal are read separately, each by its index.
SELECT c.id, c.record, c.principal_kind, c.principal_id, c.transport, c.tool_name, c.effect, c.args_hash, c.status, c.error_code,
       c.turn_id, c.step, c.call, c.applied_by_kind, c.applied_by_id, c.created_at, c.finished_at,
       coalesce(u.name, a.name, '')::text AS principal_name, coalesce(du.name, da.name, '')::text AS applied_by_name
FROM ai_tool_calls c
LEFT JOIN users u ON c.principal_kind = 'user' AND u.id = c.principal_id
LEFT JOIN applications a ON c.principal_kind = 'application' AND a.id = c.principal_id
LEFT JOIN users du ON c.applied_by_kind = 'user' AND du.id = c.applied_by_id
LEFT JOIN applications da ON c.applied_by_kind = 'application' AND da.id = c.applied_by_id
WHERE c.created_at >= sqlc.arg('from')::timestamptz AND c.created_at < sqlc.arg('to')::timestamptz
  AND (c.created_at, c.record) < (@before_at::timestamptz, @before_record::bigint)
  AND (sqlc.narg('principal_id')::uuid IS NULL OR c.principal_id = sqlc.narg('principal_id'))
  AND (sqlc.narg('applied_by_id')::uuid IS NULL OR c.applied_by_id = sqlc.narg('applied_by_id'))
  AND (@transport::text = '' OR c.transport = @transport)
  AND (@tool_name::text = '' OR c.tool_name = @tool_name)
  AND (@effect::text = '' OR c.effect = @effect)
  AND (@status::text = '' OR c.status = @status)
  AND (@program::text = '' OR c.principal_kind = 'application' AND c.principal_id::text = @program
       OR c.applied_by_kind = 'application' AND c.applied_by_id::text = @program
       OR c.record IN (SELECT k.object_id::bigint FROM ai_audit_entries k
                       WHERE k.version = 2 AND k.object_type = 'audit.call' AND k.subject_type = 'program' AND k.subject_id = @program))
  AND (@search::text = '' OR strpos(lower(c.tool_name), @search) > 0 OR strpos(coalesce(c.error_code, ''), @search) > 0
       OR strpos(lower(coalesce(u.name, a.name, '')), @search) > 0 OR c.args_hash = @search OR c.id::text = @search
       OR c.turn_id::text = @search)
ORDER BY c.created_at DESC, c.record DESC LIMIT @max_rows;

-- name: CallByID :one
SELECT c.id, c.record, c.principal_kind, c.principal_id, c.transport, c.tool_name, c.effect, c.args_hash, c.status, c.error_code,
       c.turn_id, c.step, c.call, c.applied_by_kind, c.applied_by_id, c.created_at, c.finished_at,
       coalesce(u.name, a.name, '')::text AS principal_name, coalesce(du.name, da.name, '')::text AS applied_by_name,
       t.conversation_id, (v.owner_id IS NOT NULL AND v.owner_id = @reader::uuid)::boolean AS own_conversation,
       (p.id IS NOT NULL)::boolean AS has_proposal
FROM ai_tool_calls c
LEFT JOIN users u ON c.principal_kind = 'user' AND u.id = c.principal_id
LEFT JOIN applications a ON c.principal_kind = 'application' AND a.id = c.principal_id
LEFT JOIN users du ON c.applied_by_kind = 'user' AND du.id = c.applied_by_id
LEFT JOIN applications da ON c.applied_by_kind = 'application' AND da.id = c.applied_by_id
LEFT JOIN ai_turns t ON t.id = c.turn_id
LEFT JOIN ai_conversations v ON v.id = t.conversation_id
LEFT JOIN ai_proposals p ON p.id = c.id
WHERE c.id = @id;

-- name: History :many
SELECT e.id, e.at, coalesce(e.call_id, '00000000-0000-0000-0000-000000000000')::uuid AS call_id, coalesce(e.status, '')::text AS status,
       e.error_code, e.applied_by_kind, e.applied_by_id, l.seq, l.hash
FROM ai_audit_entries e LEFT JOIN ai_audit_links l ON l.entry_id = e.id
WHERE e.record = @record::bigint ORDER BY e.id;

-- name: CountedRefusals :many
-- Counted refusals after a refused call, which have no entry yet.
SELECT r.call_id, r.more, coalesce(r.first_at, r.since)::timestamptz AS first_at, coalesce(r.last_at, r.since)::timestamptz AS last_at,
       (r.tool_name = '')::boolean AS several_tools
FROM ai_audit_refusals r WHERE r.call_id = ANY (@ids::uuid[]) AND r.more > 0;

-- name: FoldedRefusals :many
SELECT e.id, coalesce(e.object_id, '')::text AS call_id, coalesce(e.object_name, '')::text AS tool_name,
       coalesce(e.fields, '[]')::text AS fields
FROM ai_audit_entries e
WHERE e.version = 2 AND e.object_type = 'ai.toolCall' AND e.object_id = ANY (@ids::text[]) AND e.action = 'refused';

-- name: ToolNames :many
SELECT DISTINCT s.tool_name FROM (SELECT c.tool_name FROM ai_tool_calls c ORDER BY c.created_at DESC LIMIT 5000) s ORDER BY 1;

-- name: RecordChange :one
SELECT ai_audit_change(@action::text, @object_type::text, @object_id::text, @object_name::text, sqlc.narg('subject_type')::text,
    sqlc.narg('subject_id')::text, sqlc.narg('subject_name')::text, @summary::text, @fields::text, @operation::text, @principal_kind::text,
    @principal_id::uuid, sqlc.narg('session_id')::uuid, @transport::text, sqlc.narg('applied_by_kind')::text,
    sqlc.narg('applied_by_id')::uuid,
    sqlc.narg('turn_id')::uuid, sqlc.narg('proposal_id')::uuid, sqlc.narg('person_id')::uuid, sqlc.narg('personal')::text)::bigint AS entry;

-- name: NoteProgram :exec
-- Adds to each of these calls the entry of a principal's program: once for each part.
SELECT ai_audit_change(@part::text, 'audit.call', c.record::text, '', 'program', @program_id::text, '', @summary::text,
    '[]', '', @principal_kind::text,
    @principal_id::uuid, @session_id::uuid, @transport::text, NULL, NULL, NULL, NULL, sqlc.narg('person_id')::uuid,
    sqlc.narg('personal')::text)
FROM ai_tool_calls c
WHERE c.id = ANY (@call_ids::uuid[])
  AND NOT EXISTS (SELECT FROM ai_audit_entries k
      WHERE k.version = 2 AND k.object_type = 'audit.call' AND k.object_id = c.record::text AND k.action = @part);

-- name: NoteProgramOfEntry :exec
-- The same for the entry of a change.
SELECT ai_audit_change(@part::text, 'audit.entry', @entry::text, '', 'program', @program_id::text, '', @summary::text,
    '[]', '', @principal_kind::text,
    @principal_id::uuid, @session_id::uuid, @transport::text, NULL, NULL, NULL, NULL, sqlc.narg('person_id')::uuid,
    sqlc.narg('personal')::text);

-- name: ProgramsOfCalls :many
SELECT c.id AS call_id, coalesce(k.action, '')::text AS part, coalesce(k.subject_id, '')::text AS program_id, p.data AS personal
FROM ai_tool_calls c
JOIN ai_audit_entries k ON k.version = 2 AND k.object_type = 'audit.call' AND k.object_id = c.record::text AND k.subject_type = 'program'
LEFT JOIN ai_audit_personal p ON p.entry_id = k.id
WHERE c.id = ANY (@call_ids::uuid[]);

-- name: ProgramsOfEntries :many
SELECT coalesce(k.object_id, '0')::bigint AS entry, coalesce(k.action, '')::text AS part,
       coalesce(k.subject_id, '')::text AS program_id, p.data AS personal
FROM ai_audit_entries k LEFT JOIN ai_audit_personal p ON p.entry_id = k.id
WHERE k.version = 2 AND k.object_type = 'audit.entry' AND k.object_id = ANY (@entries::text[]) AND k.subject_type = 'program';

-- name: ApplicationsAt :many
-- Names of applications at a time, from the entries about them.
SELECT w.id::uuid AS id, w.at::timestamptz AS at, coalesce((
    SELECT e.object_name FROM ai_audit_entries e
    WHERE e.version = 2 AND e.object_type = 'auth.application' AND e.object_id = w.id::text AND e.at <= w.at AND e.object_name <> ''
    ORDER BY e.at DESC, e.id DESC LIMIT 1), '')::text AS name
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@ats::timestamptz[]) AS at) w;

-- name: PersonalOf :many
SELECT entry_id, salt, data FROM ai_audit_personal WHERE entry_id = ANY (@entry_ids::bigint[]);

-- name: ErasedPeople :many
SELECT DISTINCT e.object_id::text AS person_id FROM ai_audit_entries e
WHERE e.version = 2 AND e.action = 'erased' AND e.object_type = 'auth.user';

-- name: CountPersonal :one
SELECT count(*) FROM ai_audit_personal WHERE person_id = @person_id::uuid;

-- name: ErasePersonal :execrows
DELETE FROM ai_audit_personal WHERE person_id = @person_id::uuid;

-- name: Changes :many
-- Newest first, planned for its filter.
SELECT e.id, e.at, coalesce(e.action, '')::text AS action, coalesce(e.object_type, '')::text AS object_type,
       coalesce(e.object_id, '')::text AS object_id,
       coalesce(e.object_name, '')::text AS object_name, e.subject_type, e.subject_id, e.subject_name,
       coalesce(e.summary, '')::text AS summary,
       coalesce(e.fields, '[]')::text AS fields, coalesce(e.operation, '')::text AS operation, e.principal_kind,
       e.principal_id, e.session_id,
       e.transport, e.applied_by_kind, e.applied_by_id, e.turn_id, e.proposal_id, p.data AS personal, l.seq,
       coalesce(u.name, a.name, '')::text AS principal_name, coalesce(du.name, da.name, '')::text AS applied_by_name
FROM ai_audit_entries e
LEFT JOIN ai_audit_personal p ON p.entry_id = e.id
LEFT JOIN ai_audit_links l ON l.entry_id = e.id
LEFT JOIN users u ON e.principal_kind = 'user' AND u.id = e.principal_id
LEFT JOIN applications a ON e.principal_kind = 'application' AND a.id = e.principal_id
LEFT JOIN users du ON e.applied_by_kind = 'user' AND du.id = e.applied_by_id
LEFT JOIN applications da ON e.applied_by_kind = 'application' AND da.id = e.applied_by_id
WHERE e.version = 2 AND e.object_type NOT IN ('audit.call', 'audit.entry')
  AND e.at >= sqlc.arg('from')::timestamptz AND e.at < sqlc.arg('to')::timestamptz
  AND (e.at, e.id) < (@before_at::timestamptz, @before_id::bigint)
  AND (sqlc.narg('object_type')::text IS NULL OR e.object_type = sqlc.narg('object_type') OR e.subject_type = sqlc.narg('object_type'))
  AND (sqlc.narg('object_id')::text IS NULL OR (e.object_type = sqlc.narg('object_type') AND e.object_id = sqlc.narg('object_id'))
       OR (e.subject_type = sqlc.narg('object_type') AND e.subject_id = sqlc.narg('object_id')))
  AND (sqlc.narg('action')::text IS NULL OR e.action = sqlc.narg('action'))
  AND (sqlc.narg('principal_id')::uuid IS NULL OR e.principal_id = sqlc.narg('principal_id') OR e.applied_by_id = sqlc.narg('principal_id'))
  AND (sqlc.narg('proposal_id')::uuid IS NULL OR e.proposal_id = sqlc.narg('proposal_id'))
  AND (sqlc.narg('transport')::text IS NULL OR e.transport = sqlc.narg('transport'))
  AND (sqlc.narg('program')::text IS NULL OR e.principal_kind = 'application' AND e.principal_id::text = sqlc.narg('program')
       OR e.applied_by_kind = 'application' AND e.applied_by_id::text = sqlc.narg('program')
       OR e.id IN (SELECT k.object_id::bigint FROM ai_audit_entries k
                   WHERE k.version = 2 AND k.object_type = 'audit.entry' AND k.subject_type = 'program'
                     AND k.subject_id = sqlc.narg('program'))
       OR e.proposal_id IN (SELECT t.id FROM ai_tool_calls t WHERE t.record IN (
                   SELECT k.object_id::bigint FROM ai_audit_entries k
                   WHERE k.version = 2 AND k.object_type = 'audit.call' AND k.subject_type = 'program'
                     AND k.subject_id = sqlc.narg('program'))))
  AND (@search::text = '' OR strpos(lower(coalesce(e.object_name, '')), @search) > 0
      OR strpos(lower(coalesce(e.subject_name, '')), @search) > 0
       OR strpos(lower(coalesce(e.summary, '')), @search) > 0 OR strpos(lower(coalesce(p.data, '')), @search) > 0
       OR strpos(lower(coalesce(u.name, a.name, '')), @search) > 0 OR e.object_id = @search OR e.subject_id = @search)
ORDER BY e.at DESC, e.id DESC LIMIT @max_rows;

-- name: ChangesAbout :many
-- Changes of some objects, and of what they are a part or member of, newest first. Each object is read by its own indexes until it fills
-- the page. Planned for its filter.
SELECT e.id, e.at, coalesce(e.action, '')::text AS action, coalesce(e.object_type, '')::text AS object_type,
       coalesce(e.object_id, '')::text AS object_id,
       coalesce(e.object_name, '')::text AS object_name, e.subject_type, e.subject_id, e.subject_name,
       coalesce(e.summary, '')::text AS summary,
       coalesce(e.fields, '[]')::text AS fields, coalesce(e.operation, '')::text AS operation, e.principal_kind,
       e.principal_id, e.session_id,
       e.transport, e.applied_by_kind, e.applied_by_id, e.turn_id, e.proposal_id, p.data AS personal, l.seq,
       coalesce(u.name, a.name, '')::text AS principal_name, coalesce(du.name, da.name, '')::text AS applied_by_name
FROM (
    SELECT DISTINCT f.id, f.at
    FROM (SELECT unnest(@object_types::text[]) AS type, unnest(@object_ids::text[]) AS id) w
    CROSS JOIN LATERAL (
        (SELECT o.id, o.at FROM ai_audit_entries o
         WHERE o.version = 2 AND o.object_type = w.type AND o.object_id = w.id AND o.at >= sqlc.arg('from')::timestamptz
           AND o.at < sqlc.arg('to')::timestamptz AND (o.at, o.id) < (@before_at::timestamptz, @before_id::bigint)
           AND coalesce(o.summary, '') <> ALL (@without::text[])
         ORDER BY o.at DESC, o.id DESC LIMIT @max_rows)
        UNION ALL
        (SELECT s.id, s.at FROM ai_audit_entries s
         WHERE s.version = 2 AND s.subject_type = w.type AND s.subject_id = w.id AND s.at >= sqlc.arg('from')::timestamptz
           AND s.at < sqlc.arg('to')::timestamptz AND (s.at, s.id) < (@before_at::timestamptz, @before_id::bigint)
           AND coalesce(s.summary, '') <> ALL (@without::text[])
         ORDER BY s.at DESC, s.id DESC LIMIT @max_rows)
    ) f
    ORDER BY f.at DESC, f.id DESC LIMIT @max_rows
) i
JOIN ai_audit_entries e ON e.id = i.id
LEFT JOIN ai_audit_personal p ON p.entry_id = e.id
LEFT JOIN ai_audit_links l ON l.entry_id = e.id
LEFT JOIN users u ON e.principal_kind = 'user' AND u.id = e.principal_id
LEFT JOIN applications a ON e.principal_kind = 'application' AND a.id = e.principal_id
LEFT JOIN users du ON e.applied_by_kind = 'user' AND du.id = e.applied_by_id
LEFT JOIN applications da ON e.applied_by_kind = 'application' AND da.id = e.applied_by_id
ORDER BY e.at DESC, e.id DESC;

-- name: AddAuthor :exec
INSERT INTO ai_audit_authors AS a (object_id, object_type, part, author_kind, author_id, written_at)
VALUES (@object_id, @object_type, @part, @author_kind, @author_id, now())
ON CONFLICT (object_id, object_type, part, author_id) DO UPDATE SET written_at = greatest(a.written_at, excluded.written_at);

-- name: CopyAuthors :exec
INSERT INTO ai_audit_authors (object_id, object_type, part, author_kind, author_id, written_at)
SELECT @copy::uuid, a.object_type, a.part, a.author_kind, a.author_id, a.written_at
FROM ai_audit_authors a WHERE a.object_id = @source AND a.object_type = @object_type
ON CONFLICT DO NOTHING;

-- name: KeepAuthors :exec
DELETE FROM ai_audit_authors WHERE object_id = @object_id AND object_type = @object_type AND part <> ALL (@parts::text[]);
