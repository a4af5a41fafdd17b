-- name: Claim :many
-- Takes what is due, of each lane as many as it has places (full lanes have none), for a lease. The claim fences: whatever an
-- older one records is refused. A row with begun_at is one whose process ended between an attempt and its record. The
-- lists of ids are arrays, as the plan of a join that was made for a small table reads a large one as a whole.
WITH RECURSIVE lanes AS (
    (SELECT d.lane FROM notify_deliveries d WHERE d.state = 'waiting' ORDER BY d.lane LIMIT 1)
    UNION ALL
    SELECT (SELECT d.lane FROM notify_deliveries d WHERE d.state = 'waiting' AND d.lane > l.lane ORDER BY d.lane LIMIT 1)
    FROM lanes l WHERE l.lane IS NOT NULL
), places AS (
    SELECT unnest(@busy::text[]) AS lane, unnest(@free::integer[]) AS free
), due AS MATERIALIZED (
    SELECT x.id FROM lanes l
    LEFT JOIN places p ON p.lane = l.lane
    CROSS JOIN LATERAL (
        SELECT d.id FROM notify_deliveries d
        WHERE d.state = 'waiting' AND d.lane = l.lane AND d.next_at <= now()
        ORDER BY d.next_at LIMIT coalesce(p.free, @places::integer) FOR UPDATE SKIP LOCKED
    ) x
    WHERE l.lane IS NOT NULL
), claimed AS (
    UPDATE notify_deliveries d SET claim = d.claim + 1, next_at = clock_timestamp() + make_interval(secs => @lease_seconds::float8)
    WHERE d.id = ANY (ARRAY(SELECT due.id FROM due))
    RETURNING d.*
)
SELECT d.id, d.notification_id, d.channel_id, d.person_id, d.lane, d.claim, d.attempts, d.begun_at, d.is_uncertain, d.held_by, d.stopped,
       d.carried_by, n.about_kind, n.about_id, n.topic, n.edge, n.phase, n.is_urgent, n.systems, n.bundle, n.created_at
FROM claimed d CROSS JOIN LATERAL (SELECT * FROM notifications o WHERE o.id = d.notification_id LIMIT 1) n;

-- name: NextDue :one
-- How long until something is due, in seconds; an hour when nothing waits.
WITH RECURSIVE lanes AS (
    (SELECT d.lane FROM notify_deliveries d WHERE d.state = 'waiting' ORDER BY d.lane LIMIT 1)
    UNION ALL
    SELECT (SELECT d.lane FROM notify_deliveries d WHERE d.state = 'waiting' AND d.lane > l.lane ORDER BY d.lane LIMIT 1)
    FROM lanes l WHERE l.lane IS NOT NULL
)
SELECT coalesce(extract(epoch FROM min(x.next_at) - clock_timestamp()), 3600)::float8 AS seconds
FROM lanes l CROSS JOIN LATERAL (
    SELECT d.next_at FROM notify_deliveries d WHERE d.state = 'waiting' AND d.lane = l.lane ORDER BY d.next_at LIMIT 1
) x
WHERE l.lane IS NOT NULL AND l.lane <> ALL (@full_lanes::text[]);

-- name: ChannelsOf :many
SELECT c.*, clock_timestamp()::timestamptz AS now,
       coalesce(u.email, '')::text AS account, coalesce(p.quiet_hours, '')::text AS quiet_hours, coalesce(p.zone, 'UTC')::text AS zone
FROM notify_channels c
LEFT JOIN users u ON c.owner_kind = 'person' AND u.id = c.owner_id AND NOT u.disabled
LEFT JOIN notify_people p ON c.owner_kind = 'person' AND p.user_id = c.owner_id
WHERE c.id = ANY (@ids::uuid[]);

-- name: Knows :one
-- Whether a problem was delivered to a channel between two recoveries, and whether one is being delivered.
SELECT coalesce(bool_or(d.state IN ('sent', 'unknown')), false)::boolean AS knows,
       coalesce(bool_or(d.state = 'waiting' AND (d.begun_at IS NOT NULL OR d.is_uncertain)), false)::boolean AS may
FROM notifications n JOIN notify_deliveries d ON d.notification_id = n.id
WHERE n.about_kind = @about_kind AND n.about_id = @about_id AND n.phase = 'problem' AND d.channel_id = @channel_id
  AND n.created_at < @before::timestamptz
  AND n.created_at > coalesce((
      SELECT max(l.created_at) FROM notifications l
      WHERE l.about_kind = @about_kind AND l.about_id = @about_id AND l.phase = 'recovery' AND l.created_at < @before::timestamptz
        AND EXISTS (SELECT FROM notify_deliveries x WHERE x.notification_id = l.id AND x.state <> 'stopped')
  ), '-infinity');

-- name: BundleSent :one
-- When a message of a bundle was last sent to a channel.
SELECT max(d.ended_at)::timestamptz AS at
FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id
WHERE d.channel_id = @channel_id AND n.bundle = @bundle AND d.state = 'sent' AND d.created_at > now() - interval '1 hour'
HAVING max(d.ended_at) IS NOT NULL;

-- name: ClaimBundle :many
-- Takes the others of a bundle that wait for the same channel: one message tells them all.
UPDATE notify_deliveries d SET claim = d.claim + 1, carried_by = @carrier::uuid,
    next_at = clock_timestamp() + make_interval(secs => @lease_seconds::float8)
FROM notifications n
WHERE n.id = d.notification_id AND d.id IN (
    SELECT x.id FROM notify_deliveries x JOIN notifications o ON o.id = x.notification_id
    WHERE x.channel_id = @channel_id AND o.bundle = @bundle AND x.id <> @carrier::uuid AND x.state = 'waiting'
      AND x.begun_at IS NULL AND x.held_by IN ('', 'bundle') AND o.phase = @phase
      AND (x.next_at <= now() OR x.held_by = 'bundle')
    ORDER BY x.created_at LIMIT @max_rows::integer FOR UPDATE OF x SKIP LOCKED)
RETURNING d.id, d.notification_id, d.channel_id, d.person_id, d.lane, d.claim, d.attempts, d.begun_at, d.is_uncertain, d.held_by, d.stopped,
          d.carried_by, n.about_kind, n.about_id, n.topic, n.edge, n.phase, n.is_urgent, n.systems, n.bundle, n.created_at;

-- name: Begin :execrows
-- Says that an attempt is made from now on: its outcome is unknown until it is recorded.
UPDATE notify_deliveries SET begun_at = clock_timestamp(), attempts = attempts + 1, held_by = ''
WHERE state = 'waiting' AND claim = @claim AND id = @id;

-- name: BeginAll :many
-- Begin for several. It waits for no lock and returns what it has begun: rows that others have locked are left out, so that
-- batches need no order of locks, and a transaction that holds one row holds up no other delivery.
WITH mine AS MATERIALIZED (
    SELECT l.id FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@claims::bigint[]) AS claim) x
    CROSS JOIN LATERAL (
        SELECT d.id FROM notify_deliveries d
        WHERE d.id = x.id AND d.claim = x.claim AND d.ended_at IS NULL FOR UPDATE SKIP LOCKED
    ) l
)
UPDATE notify_deliveries d SET begun_at = clock_timestamp(), attempts = attempts + 1, held_by = ''
WHERE d.id = ANY (ARRAY(SELECT mine.id FROM mine))
RETURNING d.id;

-- name: Hold :execrows
-- Lets a claimed delivery wait, without an attempt.
UPDATE notify_deliveries SET begun_at = NULL, held_by = @held_by, reason = @reason,
    next_at = clock_timestamp() + make_interval(secs => @seconds::float8)
WHERE state = 'waiting' AND claim = @claim AND id = @id;

-- name: Retry :execrows
-- Records a failed attempt that another one follows, unless the delivery was stopped meanwhile.
UPDATE notify_deliveries SET
    begun_at = NULL, reason = @reason, is_uncertain = is_uncertain OR @is_uncertain::boolean,
    state = CASE WHEN stopped = '' THEN state WHEN is_uncertain OR @is_uncertain::boolean THEN 'unknown' ELSE 'stopped' END,
    ended_at = CASE WHEN stopped = '' THEN NULL ELSE clock_timestamp() END,
    tries = tries || jsonb_build_object('at', begun_at, 'result', @result::text, 'reason', @reason::text),
    next_at = clock_timestamp() + make_interval(secs => @seconds::float8)
WHERE state = 'waiting' AND claim = @claim AND id = @id;

-- name: Finish :execrows
-- The last attempt is noted, unless it was given up before one.
UPDATE notify_deliveries SET state = @state, reason = @reason, begun_at = NULL, ended_at = clock_timestamp(),
    tries = CASE WHEN begun_at IS NULL THEN tries
                 ELSE tries || jsonb_build_object('at', begun_at, 'result', @result::text, 'reason', @reason::text) END
WHERE state = 'waiting' AND claim = @claim AND id = @id;

-- name: FinishAll :many
-- Finish for several, with locks as BeginAll takes them.
WITH asked AS MATERIALIZED (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@claims::bigint[]) AS claim, unnest(@states::text[]) AS state,
           unnest(@reasons::text[]) AS reason, unnest(@results::text[]) AS result
), mine AS MATERIALIZED (
    SELECT l.id FROM asked x
    CROSS JOIN LATERAL (
        SELECT d.id FROM notify_deliveries d
        WHERE d.id = x.id AND d.claim = x.claim AND d.ended_at IS NULL FOR UPDATE SKIP LOCKED
    ) l
)
UPDATE notify_deliveries d SET state = asked.state, reason = asked.reason, begun_at = NULL, ended_at = clock_timestamp(),
    tries = CASE WHEN d.begun_at IS NULL THEN d.tries
                 ELSE d.tries || jsonb_build_object('at', d.begun_at, 'result', asked.result, 'reason', asked.reason) END
FROM asked
WHERE d.id = ANY (ARRAY(SELECT mine.id FROM mine)) AND asked.id = d.id
RETURNING d.id;

-- name: LockNotification :exec
SELECT FROM notifications WHERE id = @id FOR NO KEY UPDATE;

-- name: Depth :many
-- What waits, by kind of channel, and for how long the oldest has been due.
SELECT channel_kind, count(*)::bigint AS waiting,
       coalesce(extract(epoch FROM clock_timestamp() - min(next_at) FILTER (WHERE next_at <= clock_timestamp())), 0)::float8 AS lag_seconds
FROM notify_deliveries WHERE state = 'waiting' GROUP BY channel_kind;

-- name: PruneNotifications :execrows
DELETE FROM notifications WHERE id IN (
    SELECT n.id FROM notifications n
    WHERE n.created_at < clock_timestamp() - make_interval(days => @days::integer)
      AND NOT EXISTS (SELECT FROM notify_deliveries d WHERE d.notification_id = n.id AND d.state = 'waiting')
    ORDER BY n.created_at LIMIT @max_rows::integer);

-- name: Settings :one
SELECT * FROM notify_settings;

-- name: LockSettings :one
SELECT * FROM notify_settings FOR UPDATE;

-- name: EnsureSettings :exec
INSERT INTO notify_settings DEFAULT VALUES ON CONFLICT DO NOTHING;

-- name: SetMail :one
UPDATE notify_settings SET mail = @mail, mail_password_sealed = @password, revision = revision + 1, updated_at = clock_timestamp()
RETURNING *;

-- name: SetPushKeys :execrows
UPDATE notify_settings SET push_public = @public, push_private_sealed = @private WHERE push_public = '';

-- name: Channels :many
SELECT * FROM notify_channels WHERE owner_kind = @owner_kind AND owner_id = @owner_id ORDER BY is_account DESC, created_at, id;

-- name: LockOwner :exec
-- Serializes those who add channels to one owner, so that all of them count the others.
SELECT pg_advisory_xact_lock(hashtextextended('notification channels of ' || @owner::text, 0));

-- name: CountChannels :one
SELECT count(*) FROM notify_channels WHERE owner_kind = @owner_kind AND owner_id = @owner_id;

-- name: Channel :one
SELECT * FROM notify_channels WHERE id = @id;

-- name: LockChannel :one
SELECT * FROM notify_channels WHERE id = @id FOR UPDATE;

-- name: CreateChannel :one
INSERT INTO notify_channels (id, owner_kind, owner_id, kind, name, lane, target, config_sealed)
VALUES (@id, @owner_kind, @owner_id, @kind, @name, @lane, @target, @config)
RETURNING *;

-- name: UpdateChannel :one
UPDATE notify_channels SET name = @name, lane = @lane, target = @target, config_sealed = @config, is_enabled = @is_enabled,
    tested_at = CASE WHEN config_sealed IS NOT DISTINCT FROM @config THEN tested_at END,
    revision = revision + 1, updated_at = clock_timestamp()
WHERE id = @id RETURNING *;

-- name: SetTested :exec
-- Keeps how a test ended, unless the channel has another address by now.
UPDATE notify_channels SET tested_at = clock_timestamp(), test_result = @result, test_reason = @reason
WHERE id = @id AND config_sealed IS NOT DISTINCT FROM @config;

-- name: DeleteChannel :execrows
DELETE FROM notify_channels WHERE id = @id;

-- name: DeleteChannelsOf :many
DELETE FROM notify_channels WHERE owner_kind = @owner_kind AND owner_id = @owner_id RETURNING id;

-- name: StopChannel :exec
UPDATE notify_deliveries SET state = CASE WHEN is_uncertain THEN 'unknown' ELSE 'stopped' END, reason = @reason,
    ended_at = clock_timestamp()
WHERE channel_id = ANY (@ids::uuid[]) AND state = 'waiting' AND begun_at IS NULL;

-- name: AddAccountChannel :exec
INSERT INTO notify_channels (id, owner_kind, owner_id, kind, is_account, name, lane, target)
SELECT gen_random_uuid(), 'person', u.id, 'email', true, 'Account e-mail', 'mail', 'account'
FROM users u WHERE u.id = @user_id AND NOT EXISTS (SELECT FROM notify_channels c WHERE c.owner_id = u.id AND c.is_account)
ON CONFLICT (owner_id) WHERE is_account DO NOTHING;

-- name: SealedChannels :many
SELECT id FROM notify_channels WHERE id > @after AND config_sealed IS NOT NULL ORDER BY id LIMIT @max_rows::integer;

-- name: SetSealed :exec
UPDATE notify_channels SET config_sealed = @config WHERE id = @id;

-- name: Preferences :one
SELECT * FROM notify_people WHERE user_id = @user_id;

-- name: LockPreferences :one
INSERT INTO notify_people (user_id) VALUES (@user_id) ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id RETURNING *;

-- name: SetPreferences :one
UPDATE notify_people SET quiet_hours = @quiet_hours, zone = @zone, off = @off::text[], revision = revision + 1 WHERE user_id = @user_id
RETURNING *;

-- name: RulesOf :many
SELECT * FROM notify_rules WHERE user_id = @user_id ORDER BY topic, after_seconds, channel_id;

-- name: DeleteRules :exec
DELETE FROM notify_rules WHERE user_id = @user_id;

-- name: AddRules :exec
INSERT INTO notify_rules (user_id, topic, channel_id, after_seconds)
SELECT @user_id::uuid, unnest(@topics::text[]), unnest(@channels::uuid[]), unnest(@after::integer[]);

-- name: Subscribers :many
-- Who subscribes to one of the systems, or to a group that has it.
SELECT DISTINCT s.user_id FROM notify_subscriptions s
WHERE s.kind = 'system' AND s.ref_id = ANY (@systems::uuid[])
   OR s.kind = 'group' AND s.ref_id = ANY (@groups::uuid[])
ORDER BY s.user_id;

-- name: SubscriptionsOf :many
SELECT kind, ref_id, created_at FROM notify_subscriptions WHERE user_id = @user_id ORDER BY created_at, ref_id;

-- name: CountSubscriptions :one
SELECT count(*) FROM notify_subscriptions WHERE user_id = @user_id;

-- name: Subscribe :execrows
INSERT INTO notify_subscriptions (user_id, kind, ref_id) VALUES (@user_id, @kind, @ref_id) ON CONFLICT DO NOTHING;

-- name: Unsubscribe :execrows
DELETE FROM notify_subscriptions WHERE user_id = @user_id AND kind = @kind AND ref_id = @ref_id;

-- name: DropSubscriptions :execrows
DELETE FROM notify_subscriptions WHERE kind = @kind AND ref_id = @ref_id;

-- name: Deliveries :many
SELECT d.id, d.notification_id, n.about_kind, n.about_id, n.topic, n.edge, n.phase, n.is_urgent, d.channel_id, d.channel_kind, d.person_id,
       coalesce(c.name, '')::text AS channel_name,
       d.state, d.reason, d.attempts, d.tries, d.created_at, d.next_at, d.ended_at, (d.begun_at IS NOT NULL)::boolean AS is_sending
FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id LEFT JOIN notify_channels c ON c.id = d.channel_id
WHERE (sqlc.narg('person_id')::uuid IS NULL OR d.person_id = sqlc.narg('person_id')::uuid)
  AND (@state::text = '' OR d.state = @state::text)
  AND (@about_kind::text = '' OR n.about_kind = @about_kind::text AND n.about_id = @about_id)
  AND (d.created_at, d.id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY d.created_at DESC, d.id DESC
LIMIT @max_rows::integer;

-- name: RecentProblems :one
SELECT count(*) FROM notifications
WHERE about_kind = @about_kind AND about_id = @about_id AND topic = @topic AND phase = 'problem'
  AND created_at > clock_timestamp() - make_interval(secs => @seconds::float8);

-- name: IsKnown :one
-- Whether a channel knows of a problem that has not ended there.
SELECT EXISTS (
    SELECT FROM notifications n JOIN notify_deliveries d ON d.notification_id = n.id
    WHERE n.about_kind = @about_kind AND n.about_id = @about_id AND n.phase = 'problem' AND d.state IN ('sent', 'unknown')
      AND n.created_at > coalesce((
          SELECT max(l.created_at) FROM notifications l
          WHERE l.about_kind = @about_kind AND l.about_id = @about_id AND l.phase = 'recovery'
            AND EXISTS (SELECT FROM notify_deliveries x WHERE x.notification_id = l.id AND x.state <> 'stopped')
      ), '-infinity'))::boolean AS known;

-- name: AddMessage :exec
INSERT INTO notify_messages (id, kind, ref_id, text, sender_name) VALUES (@id, @kind, @ref_id, @text, @sender_name);

-- name: AddUserMessage :execrows
-- A repeat has the id of the first message.
INSERT INTO notify_user_messages (id, user_id, title, body, severity, sender_name)
VALUES (@id, @user_id, @title, @body, @severity, @sender_name) ON CONFLICT (id) DO NOTHING;

-- name: UserMessageByID :one
SELECT * FROM notify_user_messages WHERE id = @id AND user_id = @user_id;

-- name: PruneUserMessages :execrows
DELETE FROM notify_user_messages WHERE id IN (
    SELECT m.id FROM notify_user_messages m
    WHERE m.created_at < clock_timestamp() - make_interval(days => @days::integer)
      AND NOT EXISTS (SELECT FROM notifications n WHERE n.about_kind = 'user_message' AND n.about_id = m.id)
    ORDER BY m.created_at LIMIT @max_rows::integer);

-- name: MessageByID :one
SELECT * FROM notify_messages WHERE id = @id;

-- name: PruneMessages :execrows
DELETE FROM notify_messages WHERE id IN (
    SELECT m.id FROM notify_messages m
    WHERE m.created_at < clock_timestamp() - make_interval(days => @days::integer)
      AND NOT EXISTS (SELECT FROM notifications n WHERE n.about_kind = 'message' AND n.about_id = m.id)
    ORDER BY m.created_at LIMIT @max_rows::integer);

-- name: CountOfPerson :one
SELECT ((SELECT count(*) FROM notify_channels c WHERE c.owner_kind = 'person' AND c.owner_id = @person_id::uuid)
      + (SELECT count(*) FROM notify_deliveries d WHERE d.person_id = @person_id::uuid)
      + (SELECT count(*) FROM notify_subscriptions s WHERE s.user_id = @person_id::uuid)
      + (SELECT count(*) FROM notify_user_messages m WHERE m.user_id = @person_id::uuid)
      + (SELECT count(*) FROM notify_people p WHERE p.user_id = @person_id::uuid))::bigint AS n;

-- name: EraseOfPerson :one
WITH deliveries AS (DELETE FROM notify_deliveries d WHERE d.person_id = @person_id::uuid RETURNING 1),
     subscriptions AS (DELETE FROM notify_subscriptions s WHERE s.user_id = @person_id::uuid RETURNING 1),
     messages AS (DELETE FROM notify_user_messages m WHERE m.user_id = @person_id::uuid RETURNING 1),
     preferences AS (DELETE FROM notify_people p WHERE p.user_id = @person_id::uuid RETURNING 1)
SELECT ((SELECT count(*) FROM deliveries) + (SELECT count(*) FROM subscriptions) + (SELECT count(*) FROM messages)
      + (SELECT count(*) FROM preferences))::bigint AS n;

-- name: SetSettingsSealed :exec
UPDATE notify_settings SET mail_password_sealed = @mail, push_private_sealed = @push;
