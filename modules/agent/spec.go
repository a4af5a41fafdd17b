package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/secret/reference"
	"countersign/script"
	"countersign/script/typescript"
)

// IdentityCountersign is the only identity that a tool can require: the requesting person.
const IdentityCountersign = "countersign"

const (
	maxSecrets = 32
	maxHosts   = 16
)

// Spec declares secrets, hosts and limits of a bundle's tools. It has no other members.
type Spec struct {
	Secrets []SpecSecret        `json:"secrets,omitempty" maxItems:"32" nullable:"false" doc:"Secrets of the vault that its tools may refer to."`
	Tools   map[string]ToolSpec `json:"tools,omitempty" doc:"By the id of a tool."`
	Limits  *SpecLimits         `json:"limits,omitempty"`
}

// SpecSecret is a secret and the hosts that it may be sent to.
type SpecSecret struct {
	Name         string   `json:"name" maxLength:"64" doc:"A secret of the vault."`
	AllowedHosts []string `json:"allowed_hosts" minItems:"1" maxItems:"16" nullable:"false" doc:"api.example.com or *.example.com for all names below it, each with an optional port: https and port 443 without one. http:// before it allows plain http, on port 80 or the one that is named."`
}

// ToolSpec holds the settings of one tool's calls.
type ToolSpec struct {
	RequiresIdentity string `json:"requires_identity,omitempty" enum:"countersign" doc:"Only people may call it, not applications."`
	RequiresApproval bool   `json:"requires_approval,omitempty" doc:"Each call needs a decision, whatever its effect."`
	ReadWithSecrets  bool   `json:"read_with_secrets,omitempty" doc:"It may have the effect read although it can reach secrets."`
	AllowDynamicRefs bool   `json:"allow_dynamic_secret_refs,omitempty" doc:"It may refer to secrets in ways that cannot be listed; it then gets all secrets of the spec."`
}

// SpecLimits bound each call of a tool.
type SpecLimits struct {
	TimeoutMs int `json:"timeout_ms,omitempty" minimum:"100" maximum:"30000" doc:"The longest that a call may take."`
}

// checked validates a spec and returns its stored form: sorted names, sorted lower-case hosts, no empty entries.
func (s Spec) checked(v *problem.Issues, path string) Spec {
	out := Spec{}
	if len(s.Secrets) > maxSecrets {
		v.Report(path+".secrets", "has %d secrets, at most %d are allowed", len(s.Secrets), maxSecrets)
		return out
	}
	seen := map[string]bool{}
	for i, secret := range s.Secrets {
		at := fmt.Sprintf("%s.secrets[%d]", path, i)
		switch {
		case !reference.ValidName(secret.Name):
			v.Report(at+".name", "must begin with a capital letter and have only capital letters, digits and underscores, at most 64")
			continue
		case seen[secret.Name]:
			v.Report(at+".name", "stands twice")
			continue
		}
		seen[secret.Name] = true
		out.Secrets = append(out.Secrets, SpecSecret{Name: secret.Name, AllowedHosts: hosts(v, at+".allowed_hosts", secret.AllowedHosts)})
	}
	slices.SortFunc(out.Secrets, func(a, b SpecSecret) int { return strings.Compare(a.Name, b.Name) })
	if len(s.Tools) > MaxTools {
		v.Report(path+".tools", "has %d tools, at most %d are allowed", len(s.Tools), MaxTools)
		return out
	}
	for _, id := range slices.Sorted(maps.Keys(s.Tools)) {
		rule := s.Tools[id]
		if !validID(id) {
			v.Report(path+".tools", "has a member that is no id of a tool")
			continue
		}
		if rule.RequiresIdentity != "" && rule.RequiresIdentity != IdentityCountersign {
			v.Report(path+".tools."+id+".requires_identity", "must be %s", IdentityCountersign)
		}
		if rule == (ToolSpec{}) {
			continue
		}
		if out.Tools == nil {
			out.Tools = map[string]ToolSpec{}
		}
		out.Tools[id] = rule
	}
	if s.Limits != nil && s.Limits.TimeoutMs != 0 {
		if ms := s.Limits.TimeoutMs; ms < int(script.MinTimeout.Milliseconds()) || ms > int(script.MaxTimeout.Milliseconds()) {
			v.Report(path+".limits.timeout_ms", "must be from %d to %d", script.MinTimeout.Milliseconds(), script.MaxTimeout.Milliseconds())
		}
		out.Limits = &SpecLimits{TimeoutMs: s.Limits.TimeoutMs}
	}
	return out
}

// hosts validates host patterns and returns them sorted without duplicates.
func hosts(v *problem.Issues, path string, patterns []string) []string {
	list := []string{}
	if len(patterns) == 0 || len(patterns) > maxHosts {
		v.Report(path, "must name 1 to %d hosts", maxHosts)
		return list
	}
	for i, pattern := range patterns {
		if strings.HasPrefix(pattern, "https://") {
			v.Report(fmt.Sprintf("%s[%d]", path, i), "must be a host without https://, which is meant without a scheme")
			continue
		}
		host, err := ParseHost(pattern)
		if err != nil {
			v.Report(fmt.Sprintf("%s[%d]", path, i), "%s", err)
			continue
		}
		list = append(list, strings.TrimPrefix(host.String(), "https://"))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ParseHost parses a pattern of allowed_hosts: a host name, *. before one for all names below it, or a public
// address, each with an optional port. It means https unless http:// precedes it. The error says what the pattern
// must be.
func ParseHost(pattern string) (egress.Pin, error) {
	entry, err := egress.ParseEntry(strings.TrimPrefix(strings.TrimPrefix(pattern, "https://"), "http://"))
	if err != nil {
		return egress.Pin{}, err
	}
	if entry.Prefix.IsValid() {
		addr := entry.Prefix.Addr()
		if !entry.Prefix.IsSingleIP() || addr.IsLoopback() || addr.IsUnspecified() || addr.IsPrivate() {
			return egress.Pin{}, errHost
		}
	}
	pin, err := egress.ParsePin(pattern)
	if err != nil {
		return pin, errHost
	}
	return pin, nil
}

var errHost = errors.New("must be a host name such as api.example.com or *.example.com, or a public address")

// needsDecision reports whether each call of a tool with this effect needs a decision.
func (r ToolSpec) needsDecision(declared Effect) bool {
	return declared != ReadEffect || r.RequiresApproval
}

// secretsFor returns the secrets that a call receives: those of the spec that the tool refers to, or all of the spec if
// its references are dynamic. others are the references that the spec does not name.
func (s Spec) secretsFor(c typescript.Capabilities) (names, others []string) {
	if c.DynamicSecretRefs {
		return s.secrets(), nil
	}
	for _, name := range c.SecretRefs {
		if _, declared := s.Secret(name); declared {
			names = append(names, name)
		} else {
			others = append(others, name)
		}
	}
	return names, others
}

// secrets returns the sorted names of the secrets.
func (s Spec) secrets() []string {
	names := make([]string, len(s.Secrets))
	for i, secret := range s.Secrets {
		names[i] = secret.Name
	}
	return names
}

// Secret returns the settings of a secret.
func (s Spec) Secret(name string) (SpecSecret, bool) {
	i := slices.IndexFunc(s.Secrets, func(secret SpecSecret) bool { return secret.Name == name })
	if i < 0 {
		return SpecSecret{}, false
	}
	return s.Secrets[i], true
}

// json is the stored and hashed form of the spec.
func (s Spec) json() (json.RawMessage, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write a spec: %w", err)
	}
	return data, nil
}

func specOf(data json.RawMessage) (Spec, error) {
	var s Spec
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read a spec: %w", err)
	}
	return s, nil
}
