-- name: AddNotification :one
INSERT INTO notifications (id, about_kind, about_id, topic, edge, phase, is_urgent, systems, bundle)
VALUES (@id, @about_kind, @about_id, @topic, @edge, @phase, @is_urgent, @systems::uuid[], @bundle)
ON CONFLICT (about_kind, about_id, topic, edge) DO NOTHING
RETURNING id;

-- name: NotificationOf :one
SELECT id FROM notifications WHERE about_kind = @about_kind AND about_id = @about_id AND topic = @topic AND edge = @edge;

-- name: AddAccountChannels :exec
-- Everybody can be reached by the e-mail address of their account.
INSERT INTO notify_channels (id, owner_kind, owner_id, kind, is_account, name, lane, target)
SELECT gen_random_uuid(), 'person', u.id, 'email', true, 'Account e-mail', 'mail', 'account'
FROM users u
WHERE u.id = ANY (@people::uuid[])
  AND NOT EXISTS (SELECT FROM notify_channels c WHERE c.owner_id = u.id AND c.is_account)
ON CONFLICT (owner_id) WHERE is_account DO NOTHING;

-- name: MembersOf :many
SELECT m.user_id FROM team_members m WHERE m.team_id = ANY (@teams::uuid[]);

-- name: PersonalChannels :many
-- The channels by which people want to know of a topic, and when: by their rules for it, else by their general rules, else by
-- all channels at once. A disabled account gets nothing.
SELECT c.id, c.kind, c.lane, c.owner_id, coalesce(r.after_seconds, 0)::integer AS after_seconds
FROM users u
JOIN notify_channels c ON c.owner_kind = 'person' AND c.owner_id = u.id AND c.is_enabled
LEFT JOIN notify_people p ON p.user_id = u.id
CROSS JOIN LATERAL (
    SELECT CASE
        WHEN EXISTS (SELECT FROM notify_rules x WHERE x.user_id = u.id AND x.topic = @topic::text) THEN @topic::text
        WHEN EXISTS (SELECT FROM notify_rules x WHERE x.user_id = u.id AND x.topic = '') THEN ''
    END AS topic
) chosen
LEFT JOIN notify_rules r ON r.user_id = u.id AND r.topic = chosen.topic AND r.channel_id = c.id
WHERE u.id = ANY (@people::uuid[]) AND NOT u.disabled
  AND NOT @topic::text = ANY (coalesce(p.off, '{}'))
  AND (chosen.topic IS NULL OR r.channel_id IS NOT NULL)
ORDER BY c.id;

-- name: SharedChannels :many
SELECT c.id, c.kind, c.lane, c.owner_id FROM notify_channels c
WHERE c.owner_kind = @owner_kind::text AND c.owner_id = ANY (@owners::uuid[]) AND c.is_enabled
ORDER BY c.id;

-- name: ToldChannels :many
-- The channels to which a problem was delivered, or is being delivered, since the last recovery that was not taken
-- back.
SELECT DISTINCT ON (d.channel_id) d.channel_id AS id, d.channel_kind AS kind, d.lane, d.person_id
FROM notifications n
JOIN notify_deliveries d ON d.notification_id = n.id
WHERE n.about_kind = @about_kind AND n.about_id = @about_id AND n.phase = 'problem'
  AND (d.state IN ('sent', 'unknown') OR d.state = 'waiting' AND (d.begun_at IS NOT NULL OR d.is_uncertain))
  AND n.created_at > coalesce((
      SELECT max(l.created_at) FROM notifications l
      WHERE l.about_kind = @about_kind AND l.about_id = @about_id AND l.phase = 'recovery' AND l.id <> @recovery
        AND EXISTS (SELECT FROM notify_deliveries x WHERE x.notification_id = l.id AND x.state <> 'stopped')
  ), '-infinity')
ORDER BY d.channel_id;

-- name: AddDeliveries :many
INSERT INTO notify_deliveries (id, notification_id, channel_id, channel_kind, person_id, lane, next_at)
SELECT gen_random_uuid(), @notification_id, w.channel_id, w.kind, nullif(w.person_id, '00000000-0000-0000-0000-000000000000'), w.lane,
       clock_timestamp() + make_interval(secs => w.after_seconds + @delay_seconds::float8)
FROM (SELECT unnest(@channels::uuid[]) AS channel_id, unnest(@kinds::text[]) AS kind, unnest(@people::uuid[]) AS person_id,
             unnest(@lanes::text[]) AS lane, unnest(@after::integer[]) AS after_seconds) w
ON CONFLICT (notification_id, channel_id) DO NOTHING
RETURNING id, channel_id, channel_kind, person_id, next_at;

-- name: StopDeliveries :many
-- Ends what waits. A message that is being sent may arrive: its outcome is recorded, and no further attempt is made.
UPDATE notify_deliveries d SET
    state = CASE
        WHEN d.begun_at IS NOT NULL THEN d.state
        WHEN d.is_uncertain THEN 'unknown'
        WHEN d.held_by IN ('mute', 'quiet') THEN 'suppressed'
        ELSE 'stopped'
    END,
    reason = CASE WHEN d.begun_at IS NOT NULL OR d.is_uncertain OR d.held_by IN ('mute', 'quiet') THEN d.reason ELSE @reason::text END,
    stopped = @reason::text,
    ended_at = CASE WHEN d.begun_at IS NULL THEN clock_timestamp() END
FROM notifications n
WHERE n.id = d.notification_id AND d.state = 'waiting'
  AND n.about_kind = @about_kind AND n.about_id = @about_id AND n.phase = ANY (@phases::text[])
  AND (sqlc.narg('person_id')::uuid IS NULL OR d.person_id = sqlc.narg('person_id')::uuid)
  AND (@topic::text = '' OR n.topic = @topic::text)
  AND (NOT @ahead::boolean OR d.claim = 0 AND d.next_at > clock_timestamp())
RETURNING d.id;

-- name: Recheck :execrows
-- What a mute of one of these systems holds is looked at now.
UPDATE notify_deliveries d SET next_at = clock_timestamp()
FROM notifications n
WHERE n.id = d.notification_id AND d.state = 'waiting' AND d.held_by = 'mute' AND d.begun_at IS NULL
  AND n.systems && @systems::uuid[];

-- name: Wake :exec
SELECT pg_notify(@channel::text, '');

-- name: History :many
-- The notices about a record, newest first, with how their deliveries have ended; of a person those that went to them. With
-- edges, the problems of a topic with these edges; without, all notices but the problems of the topic.
SELECT n.id, n.topic, n.edge, n.phase, n.created_at,
       count(d.id)::bigint AS deliveries,
       count(d.id) FILTER (WHERE d.state = 'waiting')::bigint AS waiting,
       count(d.id) FILTER (WHERE d.state = 'sent')::bigint AS sent,
       count(d.id) FILTER (WHERE d.state = 'unknown')::bigint AS unknown,
       count(d.id) FILTER (WHERE d.state = 'failed')::bigint AS failed
FROM notifications n
LEFT JOIN notify_deliveries d ON d.notification_id = n.id
    AND (sqlc.narg('person_id')::uuid IS NULL OR d.person_id = sqlc.narg('person_id')::uuid)
WHERE n.about_kind = @about_kind AND n.about_id = @about_id
  AND (n.created_at, n.id) < (@before_at::timestamptz, @before_id::uuid)
  AND (n.topic = @topic::text AND n.phase = 'problem') = (cardinality(@edges::text[]) > 0)
  AND (cardinality(@edges::text[]) = 0 OR n.edge = ANY (@edges::text[]))
GROUP BY n.id
HAVING count(d.id) > 0
ORDER BY n.created_at DESC, n.id DESC
LIMIT @max_rows::integer;

-- name: Receivers :many
-- The first deliveries of notices, those that failed before the others.
SELECT d.notification_id, d.channel_kind, d.person_id, d.state
FROM unnest(@notifications::uuid[]) AS n (id)
CROSS JOIN LATERAL (
    SELECT x.* FROM notify_deliveries x
    WHERE x.notification_id = n.id AND (sqlc.narg('person_id')::uuid IS NULL OR x.person_id = sqlc.narg('person_id')::uuid)
    ORDER BY x.state = 'failed' DESC, x.state = 'unknown' DESC, x.created_at, x.id
    LIMIT @most::integer
) d
ORDER BY d.notification_id, d.state = 'failed' DESC, d.state = 'unknown' DESC, d.created_at, d.id;
