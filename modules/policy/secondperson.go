package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/policy/policydb"
	"countersign/tool"
)

// checkSecondPerson refuses a second person whom nobody can be: fewer than two people could make such a change, or remove
// the policy, which takes two as well. Clients recognise the issue at "anyway".
func (m *Module) checkSecondPerson(ctx context.Context, t tool.Tool) error {
	for _, one := range []struct {
		rules []string
		what  string
	}{
		{t.RoleRules(), "nobody could apply what another user proposes"},
		{[]string{Manage}, "nobody could take this back, which takes two people as well"},
	} {
		if len(one.rules) == 0 {
			continue
		}
		n, err := m.people.Holders(ctx, one.rules, 2)
		if err != nil {
			return err
		}
		if n < 2 {
			why := fmt.Sprintf("Fewer than two people hold %s, so %s.", strings.Join(one.rules, " and "), one.what)
			refused := problem.Errorf(problem.Conflict, "%s Give it to another user first, or send anyway: true to "+
				"set it all the same.", why)
			refused.Issues = []problem.Issue{{Path: "anyway", Message: why}}
			return refused
		}
	}
	return nil
}

// Deciders returns the rules that both deciding people need, for each policy with a second person.
func (m *Module) Deciders(ctx context.Context) ([][]string, error) {
	rows, err := m.queries(ctx).Policies(ctx)
	if err != nil {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	var needed [][]string
	add := func(rules []string) {
		same := func(other []string) bool { return slices.Equal(other, rules) }
		if len(rules) > 0 && !slices.ContainsFunc(needed, same) {
			needed = append(needed, rules)
		}
	}
	for _, row := range rows {
		if !row.TwoPerson {
			continue
		}
		add([]string{Manage})
		if t, ok := m.tools.Fixed(row.ToolName); ok {
			add(t.RoleRules())
		} else if t, ok, err := m.tools.Lookup(ctx, row.ToolName); err != nil {
			return nil, err
		} else if ok {
			add(t.RoleRules())
		}
	}
	return needed, nil
}

// Release removes the second person from a tool by a command on the server, for an installation without two people.
// It returns the tool's name.
func (m *Module) Release(ctx context.Context, name string) (string, error) {
	// The policy may belong to a custom tool that is not known here.
	t, ok := m.tools.Fixed(name)
	if !ok {
		if _, err := m.queries(ctx).Policy(ctx, name); err != nil {
			return "", problem.Errorf(problem.NotFound, "There is no such tool. List the policies to see all tools.").WithCause(err)
		}
		t.Name = name
	}
	// The command has no signed-in user, so the audit source is its name.
	ctx = audit.Arriving(ctx, "command-policies-release", audit.BySystem)
	err := m.db.InTx(ctx, func(ctx context.Context) error {
		q := m.queries(ctx)
		row, err := q.LockPolicy(ctx, t.Name)
		if err != nil && !store.NoRows(err) {
			return fmt.Errorf("lock policy: %w", err)
		}
		if err != nil || !row.TwoPerson {
			return problem.Errorf(problem.Conflict, "The policy of %s asks for no second person.", t.Name)
		}
		_, err = q.UpdatePolicy(ctx, policydb.UpdatePolicyParams{
			ToolName:      t.Name,
			Enabled:       row.Enabled,
			AlwaysConfirm: row.AlwaysConfirm,
			TwoPerson:     false,
			UpdatedByName: new("a command on the server"),
		})
		if err != nil {
			return fmt.Errorf("update policy: %w", err)
		}
		var fields audit.Fields
		fields.Compare("twoPerson", true, false)
		return audit.Record(ctx, m.db, audit.Event{
			Action:  audit.Changed,
			Object:  audit.Ref{Type: policyType, ID: t.Name, Name: t.Name},
			Summary: "The second person was taken away by a command on the server",
			Fields:  fields,
			Actor:   principal.Principal{Kind: principal.Service},
		})
	})
	return t.Name, err
}
