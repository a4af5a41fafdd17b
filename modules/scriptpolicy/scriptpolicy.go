package scriptpolicy

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/scriptpolicy/scriptpolicydb"
)

const (
	// keep is the lifetime of the cached policy of a process.
	keep = time.Second
	// readTimeout bounds a read: a script waits for it, and a database outage must not block it.
	readTimeout = 2 * time.Second
	maxChanges  = 100
)

// Names returns the names of principals; deleted ones are missing.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Options configure a Module.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Names supplies the names of principals who changed the policy; nil omits them.
	Names Names
}

// Module is the script policy: its operations and access rules. It is safe for concurrent use.
type Module struct {
	db    *store.DB
	log   *slog.Logger
	names Names

	reads singleflight.Group
	mu    sync.Mutex
	held  Policy
	until time.Time
	// changes counts the changes by this process, so that a read that began before a change is not cached after it.
	changes int
}

// New returns the module.
func New(o Options) *Module {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Module{db: o.DB, log: o.Log, names: o.Names}
}

// Effective returns the current policy, at most a second old. Without a usable policy it is Tightest, and downgraded is
// set.
func (m *Module) Effective(ctx context.Context) (policy Policy, downgraded bool) {
	m.mu.Lock()
	policy, fresh := m.held, time.Now().Before(m.until)
	m.mu.Unlock()
	if fresh {
		return policy, false
	}
	// All waiting callers share one read, which must not depend on the context of any of them.
	read := m.reads.DoChan("policy", func() (any, error) { return m.read() })
	select {
	case <-ctx.Done():
		return Tightest(), true
	case result := <-read:
		if result.Err != nil {
			m.log.Warn("Scripts run with the tightest limits and no network", "because", result.Err)
			return Tightest(), true
		}
		if policy, ok := result.Val.(Policy); ok {
			return policy, false
		}
		return Tightest(), true
	}
}

// read detaches from the context of its callers: from its end, and from a transaction in it.
func (m *Module) read() (Policy, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	m.mu.Lock()
	before := m.changes
	m.mu.Unlock()
	started := time.Now()
	row, err := scriptpolicydb.New(m.db.Conn(ctx)).Policy(ctx)
	if err != nil {
		return Policy{}, fmt.Errorf("read script policy: %w", err)
	}
	policy, err := parse(row.Document)
	if err != nil {
		return Policy{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changes == before {
		m.held, m.until = policy, started.Add(keep)
	}
	return policy, nil
}

// Forget makes the next Effective read the policy again.
func (m *Module) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes++
	m.until = time.Time{}
	m.reads.Forget("policy")
}

// Stored is the policy as administrators see it.
type Stored struct {
	Policy
	// Downgraded says that the stored policy is unusable, so that scripts run with the one shown here.
	Downgraded bool `json:"downgraded" doc:"What is stored is missing or not valid: scripts have no network and the tightest limits until a policy is saved"`
	rest.Revised
	UpdatedAt *time.Time `json:"updatedAt,omitempty"`
	UpdatedBy string     `json:"updatedBy,omitempty" doc:"Name of who changed it last"`
}

// Get returns the policy. It fails only when the database cannot be read.
func (m *Module) Get(ctx context.Context) (Stored, error) {
	row, err := scriptpolicydb.New(m.db.Conn(ctx)).Policy(ctx)
	if store.NoRows(err) {
		return Stored{Policy: Tightest(), Downgraded: true}, nil
	}
	if err != nil {
		return Stored{}, fmt.Errorf("read script policy: %w", err)
	}
	return m.shown(ctx, row)
}

func (m *Module) shown(ctx context.Context, row scriptpolicydb.ScriptPolicy) (Stored, error) {
	policy, err := parse(row.Document)
	shown := Stored{Policy: policy, Revised: rest.Revised{Revision: row.Revision}, UpdatedAt: &row.UpdatedAt}
	if err != nil {
		shown.Policy, shown.Downgraded = Tightest(), true
	}
	if row.UpdatedByID == nil {
		return shown, nil
	}
	names, err := m.called(ctx, []uuid.UUID{*row.UpdatedByID})
	shown.UpdatedBy = names[*row.UpdatedByID]
	return shown, err
}

// Set replaces the policy if it still has the revision that this is based on; nil is any.
func (m *Module) Set(ctx context.Context, p Policy, based *int64) (Stored, error) {
	p, err := p.checked()
	if err != nil {
		return Stored{}, err
	}
	document, err := json.Marshal(p)
	if err != nil {
		return Stored{}, fmt.Errorf("encode script policy: %w", err)
	}
	var saved scriptpolicydb.ScriptPolicy
	err = m.db.InTx(ctx, func(ctx context.Context) error {
		q, who := scriptpolicydb.New(m.db.Conn(ctx)), principal.FromContext(ctx)
		if err := q.LockPolicies(ctx); err != nil {
			return fmt.Errorf("lock script policy: %w", err)
		}
		row, err := q.LockPolicy(ctx)
		if err != nil && !store.NoRows(err) {
			return fmt.Errorf("lock script policy: %w", err)
		}
		if err := problem.CheckRevision("script policy", row.Revision, based); err != nil {
			return err
		}
		last, err := q.LastRevision(ctx)
		if err != nil {
			return fmt.Errorf("find last revision: %w", err)
		}
		kind, revision := string(who.Kind), max(row.Revision, last)+1
		if saved, err = q.SetPolicy(ctx, scriptpolicydb.SetPolicyParams{
			Document: document, Revision: revision, UpdatedByKind: &kind, UpdatedByID: &who.ID,
		}); err != nil {
			return fmt.Errorf("store script policy: %w", err)
		}
		if err := q.RecordChange(ctx, scriptpolicydb.RecordChangeParams{
			Revision: revision, ActorKind: kind, ActorID: who.ID, Before: row.Document, After: document,
		}); err != nil {
			return fmt.Errorf("record change of script policy: %w", err)
		}
		if err := m.record(ctx, row.Document, p); err != nil {
			return err
		}
		m.db.AfterCommit(ctx, m.Forget)
		return nil
	})
	if err != nil {
		return Stored{}, err
	}
	return m.shown(ctx, saved)
}

// PolicyChange is one change of the policy.
type PolicyChange struct {
	At        time.Time `json:"at"`
	Revision  int64     `json:"revision" doc:"The revision that it made"`
	ActorKind string    `json:"actorKind" enum:"user,application,service"`
	ActorID   uuid.UUID `json:"actorId"`
	ActorName string    `json:"actorName,omitempty" doc:"Absent when the account is gone"`
	// Before is nil when there was no usable policy.
	Before *Policy `json:"before,omitempty" doc:"Absent when there was none that could be used"`
	After  Policy  `json:"after"`
}

// Changes returns the latest changes of the policy, newest first.
func (m *Module) Changes(ctx context.Context) ([]PolicyChange, error) {
	rows, err := scriptpolicydb.New(m.db.Conn(ctx)).Changes(ctx, maxChanges)
	if err != nil {
		return nil, fmt.Errorf("list changes of script policy: %w", err)
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ActorID
	}
	names, err := m.called(ctx, ids)
	if err != nil {
		return nil, err
	}
	changes := make([]PolicyChange, len(rows))
	for i, row := range rows {
		changes[i] = PolicyChange{
			At:        row.At,
			Revision:  row.Revision,
			ActorKind: row.ActorKind,
			ActorID:   row.ActorID,
			ActorName: names[row.ActorID],
		}
		if before, err := parse(row.Before); err == nil {
			changes[i].Before = &before
		}
		if err := json.Unmarshal(row.After, &changes[i].After); err != nil {
			return nil, fmt.Errorf("read change %d of script policy: %w", row.ID, err)
		}
	}
	return changes, nil
}

func (m *Module) called(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if m.names == nil || len(ids) == 0 {
		return map[uuid.UUID]string{}, nil
	}
	return m.names.Names(ctx, ids)
}
