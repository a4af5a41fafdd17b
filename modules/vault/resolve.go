package vault

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/reference"
	"countersign/internal/store"
	"countersign/modules/vault/vaultdb"
)

// Resolve gives the values of secrets to a real run of p, by name. Tests get a reference.Placeholder for each instead.
// names are the ones that the run has declared, purpose says what it is, such as "run 0193…". p must hold the rule Read.
//
// Who uses what is on record before a value leaves: in a transaction of its own, so that nothing the caller does later
// takes it back. A name that does not exist, or that cannot be opened, is a problem, and then no value is given.
func (m *Module) Resolve(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error) {
	names = distinct(names)
	purpose = strings.ToValidUTF8(strings.TrimSpace(purpose), "")
	switch {
	case len(names) == 0:
		return map[string]secret.Value{}, nil
	case p.IsZero():
		return nil, problem.Errorf(problem.Unauthorized, "Only signed-in users can use secrets.")
	case !p.Has(Read):
		return nil, problem.MissingRule("use secrets", Read)
	case len(names) > MaxResolved:
		return nil, problem.InvalidInput(fmt.Sprintf("A run can use at most %d secrets.", MaxResolved))
	case purpose == "" || utf8.RuneCountInString(purpose) > MaxPurpose:
		return nil, fmt.Errorf("resolve secrets: the purpose must have 1 to %d characters", MaxPurpose)
	}
	alone, cancel := outsideTransaction(ctx)
	defer cancel()
	values := make(map[string]secret.Value, len(names))
	err := m.db.InTx(alone, func(ctx context.Context) error {
		rows, err := m.queries(ctx).SealedSecrets(ctx, names)
		if err != nil {
			return fmt.Errorf("load secrets: %w", err)
		}
		found := make([]string, len(rows))
		for i, row := range rows {
			found[i] = row.Name
		}
		if err := allFound(names, found); err != nil {
			return err
		}
		for _, row := range rows {
			opened, err := m.sealer.Open(row.ValueSealed, associated(row.ID))
			if err != nil {
				return problem.Errorf(
					problem.Conflict,
					"The value of the secret %s cannot be opened with the keyset of this installation. Replace the value.",
					row.Name,
				).WithCause(
					err,
				)
			}
			values[row.Name] = secret.NewValue(string(opened))
			if err := m.record(ctx, p, vaultdb.LockSecretRow{ID: row.ID, Name: row.Name, Revision: row.Revision}, Used, purpose); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

func allFound(names, found []string) error {
	if len(found) == len(names) {
		return nil
	}
	var absent []string
	for _, name := range names {
		switch {
		case slices.Contains(found, name):
		case reference.ValidName(name):
			absent = append(absent, name)
		default:
			absent = append(absent, "(not a name of a secret)")
		}
	}
	return problem.Errorf(
		problem.Conflict,
		"These secrets do not exist: %s. Create them under Admin, Secrets, or change the declaration.",
		strings.Join(distinct(absent), ", "),
	)
}

// Exist is nil when all these secrets exist; else a problem names the missing ones. It validates authors' input, and
// reveals nothing to callers without the right to see names.
func (m *Module) Exist(ctx context.Context, names []string) error {
	if !principal.FromContext(ctx).Has(Read) {
		return nil
	}
	names = distinct(names)
	known, err := m.queries(ctx).KnownSecrets(ctx, names)
	if err != nil {
		return fmt.Errorf("look secrets up: %w", err)
	}
	return allFound(names, known)
}

// outsideTransaction returns a context that ends with ctx and does not carry its transaction.
func outsideTransaction(ctx context.Context) (context.Context, context.CancelFunc) {
	alone, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, cancel)
	return alone, func() { stop(); cancel() }
}

// Sealed are the values of secrets.
func (m *Module) Sealed() []secret.Sealed {
	return []secret.Sealed{{Values: "secrets", Reseal: m.Reseal}}
}

// Reseal seals every value of an older key with the newest one, and reports how many: see secret.ResealEach.
func (m *Module) Reseal(ctx context.Context) (int, error) {
	return secret.ResealEach(ctx, func(ctx context.Context, after uuid.UUID) ([]uuid.UUID, error) {
		ids, err := m.queries(ctx).SecretsAfter(ctx, vaultdb.SecretsAfterParams{After: after, Max: resealBatch})
		if err != nil {
			return nil, fmt.Errorf("list secrets: %w", err)
		}
		return ids, nil
	}, m.resealOne)
}

func (m *Module) resealOne(ctx context.Context, id uuid.UUID) (changed bool, err error) {
	err = m.db.InTx(ctx, func(ctx context.Context) error {
		q := m.queries(ctx)
		sealed, err := q.LockSealed(ctx, id)
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock secret: %w", err)
		}
		fresh, isNew, err := m.sealer.Reseal(sealed, associated(id))
		if err != nil {
			return fmt.Errorf("secret %s: %w", id, err)
		}
		if !isNew {
			return nil
		}
		changed = true
		if err := q.Reseal(ctx, vaultdb.ResealParams{ID: id, ValueSealed: fresh}); err != nil {
			return fmt.Errorf("reseal secret %s: %w", id, err)
		}
		return nil
	})
	return changed && err == nil, err
}

// Revision changes whenever a secret is created, replaced or deleted, for callers that cache values.
func (m *Module) Revision(ctx context.Context) (string, error) {
	revision, err := m.queries(ctx).Revision(ctx)
	if err != nil {
		return "", fmt.Errorf("read the revision of the secrets: %w", err)
	}
	return revision, nil
}
