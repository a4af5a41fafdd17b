package intake

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intakedb"
)

// key is a secret of a source, and until when it counts; nil for the newest.
type key struct {
	Secret string     `json:"secret"`
	Until  *time.Time `json:"until,omitempty"`
}

const (
	// secretPrefix begins a secret as in Standard Webhooks, whose libraries take it as it is.
	secretPrefix = "whsec_"
	secretBytes  = 32
	// keyOverlap is how long a replaced secret still counts.
	keyOverlap = 24 * time.Hour
)

func newKey() key {
	bytes := make([]byte, secretBytes)
	_, _ = rand.Read(bytes)
	return key{Secret: secretPrefix + base64.StdEncoding.EncodeToString(bytes)}
}

// hashOf is the stored form of a token of 130 random bits.
func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// associated binds sealed secrets to their row.
func associated(id uuid.UUID) []byte { return []byte("intake_sources/" + id.String()) }

func (s *service) seal(id uuid.UUID, keys []key) ([]byte, error) {
	plain, err := json.Marshal(keys) //nolint:gosec // it is sealed at once
	if err != nil {
		return nil, fmt.Errorf("write the secrets of a source: %w", err)
	}
	return s.sealer.Seal(plain, associated(id))
}

// keysOf are the secrets of a source that count at a moment.
func (s *service) keysOf(row intakedb.IntakeSource, now time.Time) ([]key, error) {
	plain, err := s.sealer.Open(row.KeysSealed, associated(row.ID))
	if err != nil {
		return nil, fmt.Errorf("open the secrets of source %s: %w", row.ID, err)
	}
	var keys []key
	if json.Unmarshal(plain, &keys) != nil {
		return nil, fmt.Errorf("the secrets of source %s cannot be read", row.ID)
	}
	return slices.DeleteFunc(keys, func(k key) bool { return k.Until != nil && !k.Until.After(now) }), nil
}

func (s *service) address(token string) string { return s.url + alertsPath + "/" + token }

// Create creates a source. Its answer alone has the address and the secret.
func (s *service) Create(ctx context.Context, n NewSource) (CreatedSource, error) {
	if n.Severities == nil && (n.Kind.Groups() || n.Kind == alert.Webhook) {
		n.Severities = usualSeverities()
	}
	var v validation
	n = v.source(n)
	if err := v.Err(); err != nil {
		return CreatedSource{}, err
	}
	if err := creatable(ctx, n.TeamID); err != nil {
		return CreatedSource{}, err
	}
	id, token, secret := store.NewID(), rand.Text(), newKey()
	sealed, err := s.seal(id, []key{secret})
	if err != nil {
		return CreatedSource{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (CreatedSource, error) {
		if err := s.checkTeam(ctx, &v, n.TeamID); err != nil {
			return CreatedSource{}, err
		}
		if err := s.checkSystems(ctx, &v, n, nil); err != nil {
			return CreatedSource{}, err
		}
		q := s.queries(ctx)
		count, err := q.CountSources(ctx)
		if err != nil {
			return CreatedSource{}, fmt.Errorf("count sources: %w", err)
		}
		if count >= MaxSources {
			return CreatedSource{}, problem.Errorf(problem.Conflict, "There are %d sources of alerts, which is the most. Delete one first.", count)
		}
		row, err := q.CreateSource(ctx, intakedb.CreateSourceParams{
			ID: id, Kind: string(n.Kind), Name: n.Name, NameKey: text.Key(n.Name), TeamID: n.TeamID, IsEnabled: !n.Disabled,
			TokenHash: hashOf(token), KeysSealed: sealed, Rules: stored(n),
		})
		if err != nil {
			return CreatedSource{}, taken(fmt.Errorf("create source: %w", err), n.Name)
		}
		if err := q.AddActivity(ctx, id); err != nil {
			return CreatedSource{}, fmt.Errorf("create source: %w", err)
		}
		if err := s.record(ctx, audit.Created, row, "Source of alerts created", nil); err != nil {
			return CreatedSource{}, err
		}
		return s.created(ctx, row, token, secret)
	})
}

// created is a source with what is shown once.
func (s *service) created(ctx context.Context, row intakedb.IntakeSource, token string, secret key) (CreatedSource, error) {
	shown, err := s.presentOne(ctx, row)
	made := CreatedSource{Source: shown}
	if token != "" {
		made.URL = s.address(token)
	}
	if alert.Kind(row.Kind) != alert.CloudWatch {
		made.Secret = secret.Secret
	}
	return made, err
}

func taken(err error, name string) error {
	if store.Violates(err, "intake_sources_name") {
		return problem.Errorf(problem.Conflict, "Another source of alerts is called %s. Choose another name.", name)
	}
	return err
}

// see returns a source that the caller may see.
func see(ctx context.Context, id uuid.UUID, row intakedb.IntakeSource, err error) (intakedb.IntakeSource, error) {
	if err := readable(ctx); err != nil {
		return row, err
	}
	if store.NoRows(err) {
		return row, sourceKind.Missing(id)
	}
	return row, store.Wrap("load source", err)
}

// hold locks a source for a change by the caller, and checks its revision.
func (s *service) hold(ctx context.Context, id uuid.UUID, based *int64) (intakedb.IntakeSource, error) {
	row, err := s.queries(ctx).LockSource(ctx, id)
	if row, err = see(ctx, id, row, err); err != nil {
		return row, err
	}
	if have := levelOf(ctx, row.TeamID); have != access.Own {
		if err := creatable(ctx, row.TeamID); err != nil {
			return row, err
		}
	}
	return row, problem.CheckRevision("source of alerts "+row.Name, row.Revision, based)
}

// Source returns one source.
func (s *service) Source(ctx context.Context, id uuid.UUID) (Source, error) {
	row, err := s.queries(ctx).Source(ctx, id)
	if row, err = see(ctx, id, row, err); err != nil {
		return Source{}, err
	}
	return s.presentOne(ctx, row)
}

// Sources returns a page of sources by name.
func (s *service) Sources(ctx context.Context, team *uuid.UUID, page rest.Page) ([]Source, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).Sources(ctx, intakedb.SourcesParams{After: after, TeamID: team, MaxRows: page.Rows()})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list sources: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r intakedb.IntakeSource) string { return r.NameKey })
	list, err := s.present(ctx, rows...)
	return list, next, err
}

func (s *service) presentOne(ctx context.Context, row intakedb.IntakeSource) (Source, error) {
	list, err := s.present(ctx, row)
	if err != nil {
		return Source{}, err
	}
	return list[0], nil
}

// present returns sources as the caller sees them.
func (s *service) present(ctx context.Context, rows ...intakedb.IntakeSource) ([]Source, error) {
	ids, teams, systems := make([]uuid.UUID, len(rows)), []uuid.UUID{}, []uuid.UUID{}
	for i, r := range rows {
		ids[i] = r.ID
		if r.TeamID != nil {
			teams = append(teams, *r.TeamID)
		}
		systems = append(systems, systemsOf(inputOf(r))...)
	}
	names, err := s.teams.TeamNames(ctx, teams)
	if err != nil {
		return nil, fmt.Errorf("look teams up: %w", err)
	}
	store.SortIDs(systems)
	found, err := s.systems.Lookup(ctx, slices.Compact(systems))
	if err != nil {
		return nil, fmt.Errorf("look up systems: %w", err)
	}
	activities, err := s.queries(ctx).ActivityOf(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("load what sources have sent: %w", err)
	}
	active := map[uuid.UUID]intakedb.IntakeActivity{}
	for _, a := range activities {
		active[a.SourceID] = a
	}
	firing, err := s.queries(ctx).FiringOf(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("count firing alerts: %w", err)
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Source, len(rows))
	for i, r := range rows {
		a := active[r.ID]
		list[i] = Source{
			ID: r.ID, Name: r.Name, Kind: alert.Kind(r.Kind), Enabled: r.IsEnabled, TeamID: r.TeamID, Fields: fieldsOf(r.Rules),
			Named: []System{}, Received: a.Received, ReceivedAt: a.ReceivedAt, RefusedAt: a.RefusedAt, RefusedWhy: a.RefusedReason,
			ConfirmedAt: a.ConfirmedAt, Access: levelOf(ctx, r.TeamID), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}
		list[i].Revision = r.Revision
		if r.TeamID != nil {
			list[i].TeamName = names[*r.TeamID]
		}
		if r.FormerUntil != nil && r.FormerUntil.After(now) {
			list[i].FormerUntil = r.FormerUntil
		}
		for _, id := range systemsOf(inputOf(r)) {
			list[i].Named = append(list[i].Named, System{ID: id, Name: found[id].Name})
		}
		for _, f := range firing {
			if f.SourceID == r.ID {
				list[i].Firing = f.Firing
			}
		}
	}
	return list, nil
}

// Update changes a source. A change without effect keeps the revision.
func (s *service) Update(ctx context.Context, id uuid.UUID, c SourceChange, based *int64) (Source, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Source, error) {
		row, err := s.hold(ctx, id, based)
		if err != nil {
			return Source{}, err
		}
		was := inputOf(row)
		var v validation
		now := v.source(c.over(was))
		if err := v.Err(); err != nil {
			return Source{}, err
		}
		changes := changesOf(was, now)
		if len(changes) == 0 {
			return s.presentOne(ctx, row)
		}
		if store.Value(was.TeamID) != store.Value(now.TeamID) {
			if err := creatable(ctx, now.TeamID); err != nil {
				return Source{}, err
			}
			if err := s.checkTeam(ctx, &v, now.TeamID); err != nil {
				return Source{}, err
			}
		}
		if err := s.checkSystems(ctx, &v, now, systemsOf(was)); err != nil {
			return Source{}, err
		}
		row, err = s.queries(ctx).UpdateSource(ctx, intakedb.UpdateSourceParams{
			ID: id, Name: now.Name, NameKey: text.Key(now.Name), TeamID: now.TeamID, IsEnabled: !now.Disabled, Rules: stored(now),
		})
		if err != nil {
			return Source{}, taken(fmt.Errorf("change source: %w", err), now.Name)
		}
		if err := s.record(ctx, audit.Changed, row, "Source of alerts changed", changes); err != nil {
			return Source{}, err
		}
		return s.presentOne(ctx, row)
	})
}

// changesOf are the changed fields for the audit log.
func changesOf(was, now NewSource) audit.Fields {
	var changes audit.Fields
	changes.Compare("name", was.Name, now.Name)
	changes.Compare("enabled", !was.Disabled, !now.Disabled)
	changes.Mention("teamId", store.Value(was.TeamID) != store.Value(now.TeamID))
	changes.Mention("systemIds", !slices.Equal(was.SystemIDs, now.SystemIDs))
	changes.Mention("systems", !same(was.Systems, now.Systems))
	changes.Compare("severity", was.Severity, now.Severity)
	changes.Mention("severities", !same(was.Severities, now.Severities))
	changes.Compare("groupBy", was.GroupBy, now.GroupBy)
	changes.Compare("reopenWithinMinutes", *was.ReopenWithin, *now.ReopenWithin)
	changes.Mention("topicArn", was.TopicARN != now.TopicARN)
	return changes
}

func same(a, b any) bool {
	one, _ := json.Marshal(a)
	other, _ := json.Marshal(b)
	return string(one) == string(other)
}

// Rotate gives a source another secret, and another address if asked for.
func (s *service) Rotate(ctx context.Context, id uuid.UUID, in Rotation, based *int64) (CreatedSource, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (CreatedSource, error) {
		row, err := s.hold(ctx, id, based)
		if err != nil {
			return CreatedSource{}, err
		}
		now, err := s.db.Now(ctx)
		if err != nil {
			return CreatedSource{}, err
		}
		if alert.Kind(row.Kind) == alert.CloudWatch && !in.Address {
			return CreatedSource{}, problem.Errorf(problem.Conflict, "CloudWatch has no secret: AWS signs. Replace the address in its place.")
		}
		secret := newKey()
		keys := []key{secret}
		var until *time.Time
		if !in.AtOnce {
			before, err := s.keysOf(row, now)
			if err != nil {
				return CreatedSource{}, err
			}
			until = new(now.Add(keyOverlap))
			keys = append(keys, key{Secret: before[0].Secret, Until: until})
		}
		sealed, err := s.seal(id, keys)
		if err != nil {
			return CreatedSource{}, err
		}
		token, hash := "", row.TokenHash
		if in.Address {
			token = rand.Text()
			hash = hashOf(token)
		}
		if row, err = s.queries(ctx).SetKeys(ctx, intakedb.SetKeysParams{
			ID: id, KeysSealed: sealed, TokenHash: hash, FormerUntil: until,
		}); err != nil {
			return CreatedSource{}, fmt.Errorf("replace the secret of a source: %w", err)
		}
		if err := s.record(ctx, audit.Changed, row, "Secret of a source of alerts replaced", nil); err != nil {
			return CreatedSource{}, err
		}
		return s.created(ctx, row, token, secret)
	})
}

// Delete deletes a source with what it has sent. Its incidents stay.
func (s *service) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		// Payloads lock the activity before the source.
		if _, err := s.queries(ctx).LockActivity(ctx, id); err != nil && !store.NoRows(err) {
			return fmt.Errorf("lock source: %w", err)
		}
		row, err := s.hold(ctx, id, based)
		if err != nil {
			return err
		}
		if err := s.queries(ctx).DeleteSource(ctx, id); err != nil {
			return fmt.Errorf("delete source: %w", err)
		}
		if err := s.removed.Notify(ctx, sourceType, id); err != nil {
			return err
		}
		return s.record(ctx, audit.Deleted, row, "Source of alerts deleted, with what it has sent", nil)
	})
}
