package tool

import (
	"slices"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Grant stands in for an access rule of a tool: a caller that holds Level on any record of Kind, itself or by a team,
// may use the tool without the rule that opens every such record. The REST API checks the record of each call.
type Grant struct {
	Kind  access.Kind
	Level access.Level
}

// rule returns the access rule that the grant replaces.
func (g Grant) rule() string {
	if g.Level == access.View {
		return g.Kind.Read
	}
	return g.Kind.Manage
}

// OrGrant lets a grant stand in for one of the tool's rules.
func (d Definition) OrGrant(kind access.Kind, level access.Level) Definition {
	d.Access.Grants = append(slices.Clip(d.Access.Grants), Grant{kind, level})
	return d
}

// AsPersonal declares that the tool writes only the caller's own data.
func (d Definition) AsPersonal() Definition {
	d.Access.Personal = true
	return d
}

// RoleRules are the rules of the tool for which no grant stands in.
func (t Tool) RoleRules() []string {
	return slices.DeleteFunc(slices.Clone(t.Rules), func(rule string) bool {
		return slices.ContainsFunc(t.Access.Grants, func(g Grant) bool { return g.rule() == rule })
	})
}

// Authorize returns nil for a principal that may use the tool for everything it does. Else the error names the missing
// rules for which no grant stands in.
func (t Tool) Authorize(p principal.Principal) error {
	switch {
	case t.opens(p):
		return nil
	case !acts(p):
		return problem.Errorf(problem.Forbidden, "Only people and applications can use tools.")
	case t.Effect != Read && p.ReadOnly():
		return ReadOnly(t.Name)
	}
	return problem.MissingRule(t.Name, slices.DeleteFunc(p.Missing(t.Rules...), func(rule string) bool { return t.granted(p, rule) })...)
}

// called returns the tool for callers that check each input before the call: a read-only program may then make the
// calls of an EffectByInput tool that only read.
func (t Tool) called() Tool {
	if t.Impact.EffectByInput {
		t.Effect = Read
	}
	return t
}

// opens reports whether p may use the tool, without the cost of an error message per tool.
func (t Tool) opens(p principal.Principal) bool {
	if !acts(p) || t.Effect != Read && p.ReadOnly() {
		return false
	}
	return !slices.ContainsFunc(t.Rules, func(rule string) bool { return !p.Has(rule) && !t.granted(p, rule) })
}

// acts reports whether the kind of a principal uses tools.
func acts(p principal.Principal) bool {
	return p.Kind == principal.User || p.Kind == principal.Application
}

// granted reports whether a grant of p replaces a rule.
func (t Tool) granted(p principal.Principal, rule string) bool {
	return slices.ContainsFunc(t.Access.Grants, func(g Grant) bool { return g.rule() == rule && g.Kind.Held(p).Includes(g.Level) })
}

// ReadOnly is the refusal of a change by a read-only program.
func ReadOnly(action string) error {
	return problem.Errorf(
		problem.Forbidden,
		"Forbidden: %s (this program was let read alone). Connect it again and allow it to ask for changes.",
		action,
	).
		With(
			"missingScope",
			principal.ScopeWrite,
		)
}
