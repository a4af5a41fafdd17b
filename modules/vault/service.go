package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/vault/vaultdb"
)

// Options configure a Module.
type Options struct {
	DB     *store.DB
	Sealer secret.Sealer
	// Names supplies the names of recorded principals; nil omits them.
	Names Names
	// Referrers report the records that refer to a secret; nil reports none.
	Referrers Referrers
	// Removed is called for deleted secrets.
	Removed access.OnRemoved
}

// Module manages the secrets: their operations and access rules. The caller has checked the access rule of an
// operation, except for Resolve, which checks it.
type Module struct {
	db        *store.DB
	sealer    secret.Sealer
	names     Names
	referrers Referrers
	removed   access.OnRemoved
}

// New returns the module.
func New(o Options) (*Module, error) {
	if o.DB == nil || o.Sealer == nil {
		return nil, errors.New("vault: DB and Sealer are required")
	}
	return &Module{db: o.DB, sealer: o.Sealer, names: o.Names, referrers: o.Referrers, removed: o.Removed}, nil
}

// List returns secrets by name.
func (m *Module) List(ctx context.Context, page rest.Page) ([]Secret, rest.Next, error) {
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := m.queries(ctx).Secrets(ctx, vaultdb.SecretsParams{After: after, MaxRows: page.Rows()})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list secrets: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row vaultdb.SecretsRow) string { return row.Name })
	secrets := make([]Secret, len(rows))
	for i, row := range rows {
		secrets[i] = shownSecret(vaultdb.SecretRow(row))
	}
	return secrets, next, nil
}

// Get returns one secret.
func (m *Module) Get(ctx context.Context, name string) (Secret, error) {
	row, err := m.queries(ctx).Secret(ctx, name)
	if store.NoRows(err) {
		return Secret{}, missing()
	}
	if err != nil {
		return Secret{}, fmt.Errorf("find secret: %w", err)
	}
	return shownSecret(row), nil
}

// NewSecret is a secret to create.
type NewSecret struct {
	Name        string `json:"name" doc:"Begins with a capital letter; capital letters, digits and underscores, at most 64"`
	Description string `json:"description,omitempty" doc:"At most 500 characters"`
	Value       string `json:"value" writeOnly:"true" doc:"4 characters to 16 KiB of text. It is never shown again."`
}

// Create stores a new secret.
func (m *Module) Create(ctx context.Context, n NewSecret) (Secret, error) {
	var v validation
	v.name(n.Name)
	n.Description = v.description(n.Description)
	v.value(n.Value)
	if err := v.Err(); err != nil {
		return Secret{}, err
	}
	id := store.NewID()
	sealed, err := m.seal(id, n.Value)
	if err != nil {
		return Secret{}, err
	}
	return store.InTx(ctx, m.db, func(ctx context.Context) (Secret, error) {
		q, who := m.queries(ctx), principal.FromContext(ctx)
		count, err := q.CountSecrets(ctx)
		if err != nil {
			return Secret{}, fmt.Errorf("count secrets: %w", err)
		}
		if count >= MaxSecrets {
			return Secret{}, problem.Errorf(problem.Conflict, "There can be at most %d secrets. Delete one that is not used any more.", MaxSecrets)
		}
		err = q.InsertSecret(ctx, vaultdb.InsertSecretParams{
			ID: id, Name: n.Name, Description: n.Description, ValueSealed: sealed, UpdatedByKind: string(who.Kind), UpdatedByID: who.ID,
		})
		if store.Violates(err, "vault_secrets_name") {
			return Secret{}, problem.Errorf(
				problem.Conflict,
				"There is a secret named %s already. Replace its value, or choose another name.",
				n.Name,
			)
		}
		if err != nil {
			return Secret{}, fmt.Errorf("insert secret: %w", err)
		}
		if err := m.record(ctx, who, vaultdb.LockSecretRow{ID: id, Name: n.Name, Revision: 1}, Created, ""); err != nil {
			return Secret{}, err
		}
		return m.Get(ctx, n.Name)
	})
}

// SecretChange changes the fields that are not nil. A secret keeps its name, since references would break silently.
type SecretChange struct {
	Description *string `json:"description,omitempty" nullable:"true" doc:"At most 500 characters"`
	Value       *string `json:"value,omitempty" writeOnly:"true" doc:"Replaces the value; runs that start from now on use it"`
}

// Update changes a secret if it still has the revision that this is based on; nil is any.
func (m *Module) Update(ctx context.Context, name string, c SecretChange, based *int64) (Secret, error) {
	var v validation
	if c.Description != nil {
		*c.Description = v.description(*c.Description)
	}
	if c.Value != nil {
		v.value(*c.Value)
	}
	if c.Description == nil && c.Value == nil {
		v.Report("", "needs a description or a value to change")
	}
	if err := v.Err(); err != nil {
		return Secret{}, err
	}
	return store.InTx(ctx, m.db, func(ctx context.Context) (Secret, error) {
		row, err := m.lock(ctx, name, based)
		if err != nil {
			return Secret{}, err
		}
		rest.Replace(&row.Description, c.Description)
		if err := m.change(ctx, row, c.Value); err != nil {
			return Secret{}, err
		}
		return m.Get(ctx, name)
	})
}

func (m *Module) change(ctx context.Context, row vaultdb.LockSecretRow, value *string) error {
	q, who := m.queries(ctx), principal.FromContext(ctx)
	if value == nil {
		err := q.DescribeSecret(
			ctx,
			vaultdb.DescribeSecretParams{ID: row.ID, Description: row.Description, UpdatedByKind: string(who.Kind), UpdatedByID: who.ID},
		)
		if err != nil {
			return fmt.Errorf("describe secret: %w", err)
		}
		row.Revision++
		return m.record(ctx, who, row, Described, "")
	}
	sealed, err := m.seal(row.ID, *value)
	if err != nil {
		return err
	}
	if err := q.ReplaceSecret(ctx, vaultdb.ReplaceSecretParams{
		ID: row.ID, Description: row.Description, ValueSealed: sealed, UpdatedByKind: string(who.Kind), UpdatedByID: who.ID,
	}); err != nil {
		return fmt.Errorf("replace secret: %w", err)
	}
	row.Revision++
	return m.record(ctx, who, row, Replaced, "")
}

// Delete removes a secret if it still has the revision that this is based on; nil is any. Its record stays.
func (m *Module) Delete(ctx context.Context, name string, based *int64) error {
	return m.db.InTx(ctx, func(ctx context.Context) error {
		row, err := m.lock(ctx, name, based)
		if err != nil {
			return err
		}
		if err := m.queries(ctx).DeleteSecret(ctx, row.ID); err != nil {
			return fmt.Errorf("delete secret: %w", err)
		}
		if err := m.removed.Notify(ctx, secretType, row.ID); err != nil {
			return err
		}
		return m.record(ctx, principal.FromContext(ctx), row, Deleted, "")
	})
}

// SecretHistory is the record of a secret, and its referrers.
type SecretHistory struct {
	// Uses are the last ones, the newest first.
	Uses   []SecretUse   `json:"uses" nullable:"false" doc:"The last 100 entries, the newest first"`
	Places []SecretPlace `json:"places" nullable:"false" doc:"What refers to the secret and stops working without it"`
}

// History shows who used and changed a secret, and what refers to it.
func (m *Module) History(ctx context.Context, name string) (SecretHistory, error) {
	found, err := m.Get(ctx, name)
	if err != nil {
		return SecretHistory{}, err
	}
	rows, err := m.queries(ctx).Uses(ctx, vaultdb.UsesParams{SecretID: found.ID, Max: maxUses})
	if err != nil {
		return SecretHistory{}, fmt.Errorf("list uses of secret: %w", err)
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ActorID
	}
	called := map[uuid.UUID]string{}
	if m.names != nil && len(ids) > 0 {
		if called, err = m.names.Names(ctx, ids); err != nil {
			return SecretHistory{}, err
		}
	}
	history := SecretHistory{Uses: make([]SecretUse, len(rows)), Places: []SecretPlace{}}
	for i, row := range rows {
		history.Uses[i] = SecretUse{
			At: row.At, Action: row.Action, Revision: row.Revision, ActorKind: row.ActorKind, ActorID: row.ActorID,
			ActorName: called[row.ActorID], Purpose: row.Purpose,
		}
	}
	if m.referrers == nil {
		return history, nil
	}
	users, err := m.referrers.SecretUsers(ctx, name)
	for _, user := range users {
		history.Places = append(history.Places, SecretPlace(user))
	}
	return history, err
}

func (m *Module) lock(ctx context.Context, name string, based *int64) (vaultdb.LockSecretRow, error) {
	row, err := m.queries(ctx).LockSecret(ctx, name)
	if store.NoRows(err) {
		return row, missing()
	}
	if err != nil {
		return row, fmt.Errorf("lock secret: %w", err)
	}
	return row, problem.CheckRevision("secret", row.Revision, based)
}

func (m *Module) seal(id uuid.UUID, value string) ([]byte, error) {
	sealed, err := m.sealer.Seal([]byte(value), associated(id))
	if err != nil {
		return nil, fmt.Errorf("seal secret: %w", err)
	}
	return sealed, nil
}

// record adds an entry to the record of a secret, in the transaction of the recorded action.
func (m *Module) record(ctx context.Context, who principal.Principal, row vaultdb.LockSecretRow, action, purpose string) error {
	err := m.queries(ctx).RecordUse(ctx, vaultdb.RecordUseParams{
		SecretID:   row.ID,
		SecretName: row.Name,
		Revision:   row.Revision,
		Action:     action,
		ActorKind:  string(who.Kind),
		ActorID:    who.ID,
		Purpose:    purpose,
	})
	if err != nil {
		return fmt.Errorf("record use of secret: %w", err)
	}
	return m.audit(ctx, row, action)
}

func (m *Module) queries(ctx context.Context) *vaultdb.Queries { return vaultdb.New(m.db.Conn(ctx)) }

func missing() error {
	return problem.Errorf(problem.NotFound, "There is no secret of this name. List the secrets to see all names.")
}

// distinct returns the sorted, distinct names.
func distinct(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
