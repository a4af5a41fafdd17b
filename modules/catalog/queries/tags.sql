-- name: TagsOfSystems :many
-- Tags after @after of visible systems, in order. It goes from tag to tag by the index (loose index scan), over at most
-- @most_tags, and checks at most @depth systems of each, so that the cost does not grow with the catalog.
WITH RECURSIVE walk AS (
    (SELECT t.tag, 1 AS n FROM catalog_system_tags t WHERE t.tag > @after::text ORDER BY t.tag LIMIT 1)
    UNION ALL
    SELECT later.tag, w.n + 1
    FROM walk w CROSS JOIN LATERAL (SELECT t.tag FROM catalog_system_tags t WHERE t.tag > w.tag ORDER BY t.tag LIMIT 1) later
    WHERE w.n < @most_tags::integer
)
SELECT w.tag FROM walk w
WHERE EXISTS (
    SELECT FROM (SELECT t.system_id FROM catalog_system_tags t WHERE t.tag = w.tag ORDER BY t.name_key LIMIT @depth::bigint) s
    WHERE EXISTS (SELECT FROM access_opens('catalog.system', s.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
ORDER BY w.tag
LIMIT @max_rows::integer;

-- name: TagsOfGranted :many
-- The same for a caller without the rule and with few grants.
SELECT DISTINCT t.tag
FROM access_granted('catalog.system', @subject_type, @subject_id, @team_ids::uuid[]) r JOIN catalog_system_tags t ON t.system_id = r
WHERE t.tag > @after::text
ORDER BY t.tag
LIMIT @max_rows::integer;
