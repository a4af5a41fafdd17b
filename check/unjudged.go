package check

import (
	"encoding/json"
	"slices"
	"strings"
)

// Unjudged describes a collector whose results pass whatever they say, such as the value of a metric. A new one needs assertions, or
// the explicit choice of none.
type Unjudged struct {
	// Finds names the result, such as "the value of the query".
	Finds string
	// Example is an assertion that makes sense for many.
	Example Assertion
	// Member is the member of the config whose values Alive only ask whether the target answers, such as query: SELECT 1. Without a
	// member every config is unjudged.
	Member string
	// Alive begins with the default of the member.
	Alive []string
}

// Passes reports whether a result of a collector with this config passes whatever it says.
func (u *Unjudged) Passes(config json.RawMessage) bool {
	if u == nil {
		return false
	}
	if u.Member == "" {
		return true
	}
	var members map[string]any
	if json.Unmarshal(config, &members) != nil {
		return true
	}
	value, _ := members[u.Member].(string)
	value = strings.Join(strings.Fields(strings.TrimRight(value, "; \t\r\n")), " ")
	return value != "" && !slices.ContainsFunc(u.Alive, func(alive string) bool { return strings.EqualFold(alive, value) })
}

// Needs says what a new collector without assertions lacks; "" for nil.
func (u *Unjudged) Needs() string {
	if u == nil {
		return ""
	}
	unless := ""
	if u.Member != "" {
		unless = " with another " + u.Member + " than " + strings.Join(u.Alive, " or ")
	}
	e := u.Example
	return "say what " + u.Finds + " has to be" + unless + ", such as " + strings.TrimSpace(e.Field+" "+e.Operator+" "+string(e.Value)) +
		"; an empty list lets any value pass"
}
