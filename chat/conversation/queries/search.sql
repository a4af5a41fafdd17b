-- name: SearchConversations :many
-- The conversations of a person with a title or a message in which each term begins a word, with the latest such
-- message. The terms are in lower case; the query combines them with the owner's mark. The search for very frequent
-- terms ends after a number of messages.
WITH said AS (
    SELECT m.conversation_id, max(m.position) AS position, count(*) AS messages
    FROM (SELECT w.conversation_id, w.position FROM ai_messages w WHERE w.words @@ (@query::text)::tsquery LIMIT @most_messages) m
    GROUP BY m.conversation_id
), named AS (
    SELECT o.id FROM (
        SELECT a.id, ai_spaced(a.title) AS title FROM ai_conversations a
        WHERE a.owner_id = @owner_id AND a.archived_at IS NULL AND a.title IS NOT NULL
        UNION ALL
        SELECT z.id, ai_spaced(z.title) FROM ai_conversations z
        WHERE z.owner_id = @owner_id AND z.archived_at IS NOT NULL AND z.title IS NOT NULL
    ) o
    WHERE NOT EXISTS (SELECT FROM unnest(@terms::text[]) t WHERE position(' ' || t IN o.title) = 0)
), found AS (
    SELECT conversation_id AS id FROM said UNION SELECT id FROM named
)
SELECT sqlc.embed(c), coalesce(s.messages, 0)::bigint AS messages, coalesce(m.id, '')::text AS message_id,
       coalesce(m.role, '')::text AS role,
       coalesce(m.created_at, c.created_at)::timestamptz AS said_at, coalesce(left(m.content, 100000), '')::text AS content
FROM found f
JOIN ai_conversations c ON c.id = f.id AND c.owner_id = @owner_id
LEFT JOIN said s ON s.conversation_id = c.id
LEFT JOIN ai_messages m ON m.conversation_id = s.conversation_id AND m.position = s.position
WHERE c.updated_at <= @before AND (c.updated_at < @before OR c.id > @after)
ORDER BY c.updated_at DESC, c.id
LIMIT @max;

-- name: RecentWords :many
-- Words of a person's latest messages and titles of about the length of a term without results. Comparing two words is slow,
-- so their number is bounded, whatever the person's chats hold.
WITH latest AS (
    SELECT o.id, o.title FROM ai_conversations o
    WHERE o.owner_id = @owner_id AND o.archived_at IS NULL ORDER BY o.updated_at DESC LIMIT 60
), said AS (
    SELECT substr(u.lexeme, 9) AS word
    FROM latest l
    CROSS JOIN LATERAL (SELECT m.words FROM ai_messages m WHERE m.conversation_id = l.id ORDER BY m.position DESC LIMIT 20) m
    CROSS JOIN LATERAL unnest(m.words) u
    LIMIT @most
), known AS (
    SELECT word FROM said
    UNION ALL
    SELECT w FROM latest l CROSS JOIN LATERAL string_to_table(ai_spaced(l.title), ' ') w
)
SELECT k.word::text AS word, count(*) AS times FROM known k
WHERE length(k.word) BETWEEN length(@term::text) - 2 AND length(@term::text) + 2 AND similarity(k.word, @term::text) > 0.1
GROUP BY k.word
ORDER BY similarity(k.word, @term::text) DESC, times DESC
LIMIT 200;

-- name: Terms :many
-- The search terms of a person in the form of indexed words, and the mark that prefixes these.
SELECT left(w, 40)::text AS term, ai_owner_mark(@owner_id)::text AS mark
FROM string_to_table(ai_spaced(@looked_for::text), ' ') WITH ORDINALITY AS s(w, n) WHERE w <> '' ORDER BY n;
