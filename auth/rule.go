package auth

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"countersign/internal/principal"
)

// Rule is an access rule.
type Rule = principal.Rule

// Access rules of this package.
const (
	RuleUsersManage        = "auth.users.manage"
	RuleRolesManage        = "auth.roles.manage"
	RuleTeamsRead          = "auth.teams.read"
	RuleTeamsManage        = "auth.teams.manage"
	RuleApplicationsManage = "auth.applications.manage"
)

// Rules declares the rules of this package.
func (*Auth) Rules() []Rule {
	return []Rule{
		{ID: RuleUsersManage, Description: "Create, change, disable and delete users"},
		{ID: RuleRolesManage, Description: "Create, change and delete roles"},
		{ID: RuleTeamsRead, Description: "See teams, their members and their grants", Default: true},
		{ID: RuleTeamsManage, Description: "Create, change and delete teams, and grant access to single objects"},
		{ID: RuleApplicationsManage, Description: "Create, change and delete applications and their API tokens"},
	}
}

// Registry holds every access rule of the product.
type Registry struct {
	sorted []Rule
	known  map[string]bool
}

var rulePattern = regexp.MustCompile(`^[a-z]+(\.[a-z_]+(-[a-z_]+)*){1,3}$`)

// NewRegistry collects the rules of the modules; malformed or duplicate ones are an error.
func NewRegistry(modules ...[]Rule) (*Registry, error) {
	r := &Registry{known: map[string]bool{}}
	return r, r.Declare(slices.Concat(modules...)...)
}

// Declare adds rules, during the wiring.
func (r *Registry) Declare(rules ...Rule) error {
	for _, rule := range rules {
		switch {
		case !rulePattern.MatchString(rule.ID):
			return fmt.Errorf("access rule %q: the id must look like module.resource.read", rule.ID)
		case rule.Description == "":
			return fmt.Errorf("access rule %s: the description is empty", rule.ID)
		case r.known[rule.ID]:
			return fmt.Errorf("access rule %s is declared twice", rule.ID)
		}
		r.known[rule.ID] = true
		r.sorted = append(r.sorted, rule)
	}
	slices.SortFunc(r.sorted, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

// All lists the rules by id.
func (r *Registry) All() []Rule { return r.sorted }

// unknown returns the undeclared rules of the list. The rule of administrators is among them: only the built-in role
// has it.
func (r *Registry) unknown(rules []string) []string {
	var unknown []string
	for _, rule := range rules {
		if !r.known[rule] || rule == principal.Admin {
			unknown = append(unknown, rule)
		}
	}
	return unknown
}

func (r *Registry) defaults() map[string]bool {
	defaults := map[string]bool{}
	for _, rule := range r.sorted {
		if rule.Default {
			defaults[rule.ID] = true
		}
	}
	return defaults
}

func (r *Registry) ids() []string {
	ids := make([]string, 0, len(r.sorted))
	for _, rule := range r.sorted {
		ids = append(ids, rule.ID)
	}
	return ids
}
