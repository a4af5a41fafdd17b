package plans

import (
	"strconv"
	"strings"
)

// short are abbreviations in statements. Ids of rows follow from their numbers: n is that of a call, t that of a turn.
var short = strings.NewReplacer(
	"{call id}", "('00000000-0000-4000-8300-' || lpad(n::text, 12, '0'))::uuid",
	"{turn id}", "('00000000-0000-4000-8400-' || lpad(t::text, 12, '0'))::uuid",
	"{conversation id}", "('00000000-0000-4000-8500-' || lpad((t % {conversations})::text, 12, '0'))::uuid",
	// The first three turns belong to a user who has not come back.
	"{person}", "(CASE WHEN t < 3 THEN '"+Quiet+"' ELSE '00000000-0000-4000-8000-' || lpad((t % 1000)::text, 12, '0') END)::uuid",
	"{system id}", "('00000000-0000-4000-8001-' || lpad(i::text, 12, '0'))::uuid",
	"{system key}", "'system ' || lpad(i::text, 6, '0')",
	"{time of call}", "now() - ({calls} - n) * (interval '90 days' / {calls})",
	"{time of turn}", "now() - ({turns} - t) * (interval '90 days' / {turns})",
)

// spelledOut expands a statement for a number of calls.
func spelledOut(sql string, calls int) string {
	conversations := max(workers, calls/40/workers*workers)
	numbers := strings.NewReplacer(
		"{calls}",
		strconv.Itoa(calls),
		"{turns}",
		strconv.Itoa(calls/4),
		"{conversations}",
		strconv.Itoa(conversations),
		"{systems}",
		strconv.Itoa(min(calls, 100_000)),
	)
	return numbers.Replace(short.Replace(sql))
}

// contents are the statements that fill a database, in the order of their dependencies.
func contents() []string {
	return []string{
		`INSERT INTO ai_conversations (id, owner_id, title, created_at, updated_at)
		 SELECT {conversation id}, {person}, 'Conversation ' || t, {time of turn}, {time of turn} FROM generate_series(3, {conversations} + 2) t`,
		`INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, status, principal_kind, principal_id, session_id,
		                       connection_id, model, permission_mode, claim, input_tokens, output_tokens, created_at, finished_at)
		 SELECT {turn id}, {conversation id}, 'message', 'm' || t, 'msg_' || {turn id}, 'done', 'user', {person}, {person},
		        '` + Connection + `', 'model', 'approve', 1, 2000, 200, {time of turn}, {time of turn} + interval '9 seconds'
		 FROM generate_series(0, {turns} - 1) t`,
		// All messages have words that begin alike, and every seventh of a person the same one. It takes the words of each only once.
		`WITH said AS MATERIALIZED (
		     SELECT person, word, ai_words(person, 'Of the word' || word) AS words
		     FROM (SELECT DISTINCT {person} AS person FROM generate_series(0, 1002) t) p, generate_series(0, 6) word
		 )
		 INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata, created_at, words)
		 SELECT {conversation id}, CASE role WHEN 'user' THEN 'm' || t ELSE 'msg_' || {turn id} END, {turn id}, role, 'Of the word' || word, '[]', '{}',
		        {time of turn}, words
		 FROM generate_series(0, {turns} - 1) t JOIN said ON person = {person} AND word = t / 1000 % 7, (VALUES ('user'), ('assistant')) r(role)
		 ORDER BY t`,
		// A program of each person has sent all of them, of which every seventh was the same question.
		`INSERT INTO ai_client_messages (conversation_id, message_id, owner_id, client_id, question_hash, answer_hash, at)
		 SELECT {conversation id}, 'm' || t, {person}, {person},
		        sha256(('question ' || t % 7)::bytea), sha256(('answer ' || t)::bytea), {time of turn}
		 FROM generate_series(0, {turns} - 1) t`,
		// Each tenth is a write, and the last two hundred of these wait for a decision. The calls of each twentieth turn are outside of
		// turns instead.
		`INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, error_code, number,
		                            turn_id, step, call, applied_by_kind, applied_by_id, created_at, finished_at)
		 SELECT {call id}, 'user', {person}, CASE t % 20 WHEN 0 THEN 'mcp' ELSE 'chat' END, 'catalog.tool' || n % 60,
		        CASE n % 10 WHEN 0 THEN 'mutate' ELSE 'read' END, md5(n::text),
		        CASE WHEN n % 10 = 0 AND n > {calls} - 2000 THEN 'proposed' WHEN n % 10 = 0 THEN 'applied'
		             WHEN n % 80 = 3 AND n > {calls} - 400 THEN 'running' WHEN n % 50 = 1 THEN 'refused' ELSE 'executed' END,
		        CASE WHEN n % 50 = 1 THEN 'forbidden' END, CASE WHEN t < 3 THEN n + 1 ELSE t / 1000 * 4 + n % 4 + 1 END,
		        CASE WHEN t % 20 > 0 THEN {turn id} END, CASE WHEN t % 20 > 0 THEN 1 END, CASE WHEN t % 20 > 0 THEN n % 4 + 1 END,
		        CASE WHEN n % 10 = 0 AND n <= {calls} - 2000 THEN 'user' END,
		        CASE WHEN n % 10 = 0 AND n <= {calls} - 2000 THEN CASE WHEN n % ({calls} / 20) = 0 THEN '` + Decider + `' ELSE {person} END END,
		        {time of call}, {time of call} + interval '1 second'
		 FROM (SELECT n, n / 4 AS t FROM generate_series(0, {calls} - 1) n) c`,
		`INSERT INTO ai_proposals (id, conversation_id, turn_id, tool_call_ref, principal_kind, principal_id, principal_name, tool_name, effect,
		                           summary, payload, nonce_salt, status, expires_at, decided_by_kind, decided_by_id, decided_by_name,
		                           decided_at, created_at, finished_at, two_person, call_order)
		 SELECT {call id}, CASE WHEN t % 20 > 0 THEN {conversation id} END, CASE WHEN t % 20 > 0 THEN {turn id} END, 'ref', 'user', {person}, 'Somebody',
		        c.tool_name, 'mutate', 'Changes something', '{"name":"something"}', '', c.status,
		        c.created_at + CASE c.status WHEN 'proposed' THEN interval '1 year' ELSE interval '10 minutes' END,
		        c.applied_by_kind, c.applied_by_id, CASE WHEN c.applied_by_id IS NOT NULL THEN 'Somebody' END,
		        CASE WHEN c.applied_by_id IS NOT NULL THEN c.created_at END, c.created_at, CASE c.status WHEN 'applied' THEN c.created_at END,
		        coalesce(c.applied_by_id = '` + Decider + `', false) OR c.status = 'proposed' AND n % 100 = 0, 1
		 FROM (SELECT n, n / 4 AS t FROM generate_series(0, {calls} - 1, 10) n) m JOIN ai_tool_calls c ON c.id = {call id}`,
		// Each decision of the last day in a chat has a turn that follows it.
		`INSERT INTO ai_turns (id, conversation_id, kind, proposal_id, decision, assistant_message_id, status, principal_kind, principal_id, session_id,
		                       connection_id, model, permission_mode, claim, created_at, finished_at)
		 SELECT gen_random_uuid(), conversation_id, 'decision', id, 'apply', 'msg_' || id, 'done', principal_kind, principal_id, id,
		        '` + Connection + `', 'model', 'approve', 1, finished_at, finished_at + interval '9 seconds'
		 FROM ai_proposals WHERE status = 'applied' AND turn_id IS NOT NULL AND finished_at > now() - interval '1 day'`,
		`INSERT INTO ai_audit_entries (record, call_id, at, status, principal_kind, principal_id, transport, tool_name, effect, args_hash,
		                               error_code, applied_by_kind, applied_by_id, turn_id, step, call)
		 SELECT record, id, created_at, status, principal_kind, principal_id, transport, tool_name, effect, args_hash, error_code,
		        applied_by_kind, applied_by_id, turn_id, step, call FROM ai_tool_calls`,
		// One group into which all systems were put, and one team that all of them were given to, each twice.
		`INSERT INTO ai_audit_entries (version, at, principal_kind, principal_id, transport, action, object_type, object_id, object_name, subject_type, subject_id,
		                               subject_name, summary, fields, operation, person_id, personal_hash)
		 SELECT 2, now() - interval '1 minute', 'user', '` + Busy + `', 'api', 'changed', CASE k WHEN 1 THEN 'catalog.group' ELSE 'catalog.system' END,
		        CASE k WHEN 1 THEN '` + group + `' ELSE ({system id})::text END, '', CASE k WHEN 1 THEN 'catalog.system' ELSE 'auth.team' END,
		        CASE k WHEN 1 THEN ({system id})::text ELSE '` + All + `' END, '', 'Changed', '[]', '', '` + Busy + `', sha256('')
		 FROM generate_series(1, 2) again, generate_series(1, 2) k, generate_series(1, {systems} / 5) i`,
		`INSERT INTO ai_audit_personal (entry_id, person_id, salt, data) SELECT id, person_id, '', '{}' FROM ai_audit_entries WHERE version = 2`,
		`INSERT INTO ai_audit_links (seq, entry_id, key_id, hash) SELECT e.id AS seq, e.id, 1, sha256(int8send(e.id)) FROM ai_audit_entries e`,
		// A fifth of the calls was archived and removed, of which each twentieth stayed, and there is a checkpoint for each thousand.
		`INSERT INTO ai_audit_checkpoints (number, seq, hash, newest_at, at, key_id, seal)
		 SELECT row_number() OVER (ORDER BY l.seq), l.seq, l.hash, now() - interval '1 hour', now(), 1, l.hash FROM ai_audit_links l WHERE l.seq % 1000 = 0`,
		`INSERT INTO ai_audit_kept (seq, entry_id, before) SELECT l.seq, l.entry_id, l.hash FROM ai_audit_links l WHERE l.seq <= {calls} / 5 AND l.seq % 20 = 0`,
		`DELETE FROM ai_audit_links l WHERE l.seq < {calls} / 5 AND l.seq % 20 > 0`,
		`DELETE FROM ai_audit_entries e WHERE e.id <= {calls} / 5 AND e.id % 20 > 0`,
		`DELETE FROM ai_tool_calls c WHERE c.record <= {calls} / 5 AND c.record % 20 > 0 AND c.record > 40`,
		`INSERT INTO ai_audit_begin (seq, hash, target_seq, target_hash, checkpoint, archive, kept, at, key_id, seal)
		 SELECT l.seq, l.hash, l.seq, l.hash, l.seq / 1000, '', l.seq / 20, now(), 1, l.hash FROM ai_audit_links l WHERE l.seq = {calls} / 5`,
		`INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, turn_id, step, attempt, purpose, reserved, input_tokens,
		                       output_tokens, status, created_at, settled_at)
		 SELECT {turn id}, '` + Connection + `', 'user', {person}, {turn id}, 1, 1, 'answer', 3000, 2000, 200, 'settled', {time of turn}, {time of turn}
		 FROM generate_series(0, {turns} - 1) t`,
		`INSERT INTO ai_spend_buckets (bucket, connection_id, model, principal_kind, principal_id, caller, calls, priced, tokens, input_tokens, output_tokens,
		                               cached_tokens, cost_micros)
		 SELECT date_bin('30 minutes', created_at, 'epoch'), connection_id, '', 'user', principal_id, 'chat', count(*), 0, sum(tokens), 0, 0, 0, 0
		 FROM ai_spend GROUP BY 1, 2, 5`,
		// Chunks of an hour of turns, which are pruned then. With so few rows a sequential scan looks cheap.
		`INSERT INTO turn_events (turn_id, seq, step, chunk)
		 SELECT {turn id}, n, 1, '{"type":"text-delta","id":"1","delta":"some words"}' FROM generate_series(0, 299) t, generate_series(1, 30) n`,
		// The sweeps have come this far.
		`UPDATE sweeps SET through = now() - interval '1 minute'`,
	}
}
