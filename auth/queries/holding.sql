-- name: Holding :many
-- The next people after one, in the order of ids, of whom a role or a grant opens an object, with whether they are holders: they can act
-- now, and their roles hold all rules. Each source is read from its index as far as a page needs it; a private object is closed to
-- roles, unless nobody is granted it: then it is open to administrators. Without an object, the rules themselves open.
WITH object AS MATERIALIZED (
    SELECT coalesce(bool_or(g.relation = 'private'), false) AS private, coalesce(bool_or(g.relation <> 'private'), false) AS granted
    FROM relation_tuples g WHERE g.object_type = @object_type AND g.object_id = @object_id
), opening AS MATERIALIZED (
    SELECT r.id FROM roles r CROSS JOIN object o
    WHERE NOT o.private AND ('*' = ANY (r.rules) OR r.rules && @opening::text[]) OR NOT o.granted AND '*' = ANY (r.rules)
), page AS (
    SELECT c.id::uuid AS id FROM (
        SELECT g.subject_id AS id FROM relation_tuples g
        WHERE g.object_type = @object_type AND g.object_id = @object_id AND g.relation = ANY (@relations::text[])
          AND g.subject_type = 'user' AND g.subject_id > @after
        UNION
        SELECT m.user_id FROM relation_tuples g CROSS JOIN LATERAL (
            SELECT t.user_id FROM team_members t WHERE t.team_id = g.subject_id AND t.user_id > @after ORDER BY t.user_id LIMIT @max_rows) m
        WHERE g.object_type = @object_type AND g.object_id = @object_id AND g.relation = ANY (@relations::text[])
          AND g.subject_type = 'team'
        UNION
        SELECT m.user_id FROM opening o CROSS JOIN LATERAL (
            SELECT h.user_id FROM user_roles h WHERE h.role_id = o.id AND h.user_id > @after ORDER BY h.user_id LIMIT @max_rows) m
        UNION
        SELECT m.id FROM opening o CROSS JOIN LATERAL (SELECT u.id FROM users u WHERE u.id > @after ORDER BY u.id LIMIT @max_rows) m
        WHERE o.id = @default_role
    ) c ORDER BY c.id LIMIT @max_rows
)
SELECT p.id, coalesce(NOT u.disabled AND NOT u.must_change_password
        AND (u.password_hash <> '' OR EXISTS (SELECT FROM auth_identities i WHERE i.user_id = u.id))
        AND NOT EXISTS (
            SELECT FROM unnest(@rules::text[]) AS wanted
            WHERE NOT EXISTS (
                SELECT FROM roles r
                WHERE (r.id = @default_role OR r.id IN (SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = u.id))
                  AND (wanted = ANY (r.rules) OR '*' = ANY (r.rules)))), false)::boolean AS holds
FROM page p LEFT JOIN users u ON u.id = p.id
ORDER BY p.id;
