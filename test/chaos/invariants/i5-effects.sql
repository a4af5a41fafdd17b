-- I5: a proposal executes at most once, and effect and status agree. Each proposal of a run is about a system of its
-- own, so its effects can be counted: systems with its name, revisions above the first, a system that is gone.
SELECT p.id AS subject, format('the proposal is %s, and there are %s systems with its name', p.status, systems.n) AS what
FROM ai_proposals p
CROSS JOIN LATERAL (SELECT count(*) AS n FROM catalog_systems s WHERE s.name = p.payload ->> 'name') systems
WHERE p.tool_name = 'catalog.createSystem' AND systems.n <> (p.status = 'applied')::int
UNION ALL
SELECT p.id, format('the proposal is %s, and its system has revision %s: %s', p.status, s.revision, s.description)
FROM ai_proposals p
LEFT JOIN catalog_systems s ON s.id = (p.payload ->> 'id')::uuid
WHERE p.tool_name = 'catalog.updateSystem'
  AND (s.revision, s.description) IS DISTINCT FROM
      (1 + (p.status = 'applied')::int, CASE WHEN p.status = 'applied' THEN p.payload ->> 'description' ELSE '' END)
UNION ALL
SELECT p.id, format('the proposal is %s, and its system is %s', p.status, CASE WHEN s.id IS NULL THEN 'gone' ELSE 'there' END)
FROM ai_proposals p
LEFT JOIN catalog_systems s ON s.id = (p.payload ->> 'id')::uuid
WHERE p.tool_name = 'catalog.deleteSystem' AND (s.id IS NULL) <> (p.status = 'applied')
UNION ALL
SELECT p.id, 'the proposal failed: ' || coalesce(p.error ->> 'message', 'without a word')
FROM ai_proposals p
WHERE p.status = 'failed'
UNION ALL
SELECT p.id, 'the proposal is ' || p.status || ', and nobody can decide about it any more'
FROM ai_proposals p
WHERE p.status = 'applying' OR (p.status = 'proposed' AND p.expires_at < now() - interval '60 seconds')
UNION ALL
SELECT p.id, format('%s turns acknowledge the proposal, which is %s', count(t.id), p.status)
FROM ai_proposals p
LEFT JOIN ai_turns t ON t.proposal_id = p.id
GROUP BY p.id
HAVING count(t.id) <> (p.status IN ('applied', 'failed', 'declined') AND p.turn_id IS NOT NULL
                        AND NOT p.automatic AND NOT p.planned AND NOT p.withdrawn)::int
UNION ALL
-- A plan that was decided together is acknowledged once, under the id of its turn.
SELECT plan.turn_id, format('%s turns acknowledge the plan', count(t.id))
FROM (SELECT DISTINCT turn_id FROM ai_proposals WHERE planned) plan
LEFT JOIN ai_turns t ON t.proposal_id = plan.turn_id
GROUP BY plan.turn_id HAVING count(t.id) <> 1
UNION ALL
-- It is carried out in order, and what comes after a failure is not.
SELECT later.id, format('the change is %s although an earlier one of its plan is %s', later.status, earlier.status)
FROM ai_proposals later
JOIN ai_proposals earlier ON earlier.turn_id = later.turn_id AND earlier.planned
    AND (earlier.call_order, earlier.id) < (later.call_order, later.id)
WHERE later.planned AND later.status IN ('applied', 'failed') AND earlier.status <> 'applied'
UNION ALL
SELECT p.id, 'the second person is the proposer, or none'
FROM ai_proposals p
WHERE p.two_person AND p.status IN ('applying', 'applied') AND (p.decided_by_id = p.principal_id OR p.decided_by_kind <> 'user')
