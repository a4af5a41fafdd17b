package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/problem"
	"countersign/internal/text/search"
)

// Upgrade converts the configs of a configuration to their current versions. Version 0 means current. The error lists
// the problems.
func (r *Registry) Upgrade(c Configuration) (Configuration, error) {
	upgraded, issues := r.upgrade(c)
	if len(issues) > 0 {
		return c, problem.InvalidInput("The configuration cannot be brought to the version of now: "+describe(issues), issues...)
	}
	return upgraded, nil
}

// upgrade also returns issues for unknown strategies and collectors.
func (r *Registry) upgrade(c Configuration) (Configuration, []problem.Issue) {
	s := r.byID[c.Strategy]
	if s == nil {
		ids := make([]string, len(r.strategies))
		for i := range r.strategies {
			ids[i] = r.strategies[i].ID
		}
		return c, []problem.Issue{{Path: "strategyId", Message: unknown("strategy", c.Strategy, ids)}}
	}
	var issues []problem.Issue
	var message string
	if c.Config, message = s.upgrade(c.Version, c.Config); message != "" {
		issues = append(issues, problem.Issue{Path: "configVersion", Message: message})
	}
	c.Version = s.Version()
	c.Collectors = slices.Clone(c.Collectors)
	for i := range c.Collectors {
		entry := &c.Collectors[i]
		k := s.Collector(entry.CollectorID)
		if k == nil {
			ids := make([]string, len(s.Collectors))
			for j := range s.Collectors {
				ids[j] = s.Collectors[j].ID
			}
			message = unknown("collector of "+s.ID, entry.CollectorID, ids)
			if owner := r.ownerOf(entry.CollectorID); owner != "" {
				message = "is a collector of " + owner + ". Those of " + s.ID + " are " + strings.Join(ids, ", ")
			}
			issues = append(issues, problem.Issue{Path: fmt.Sprintf("collectors[%d].collectorId", i), Message: message})
			continue
		}
		if entry.Config, message = k.upgrade(entry.Version, entry.Config); message != "" {
			issues = append(issues, problem.Issue{Path: fmt.Sprintf("collectors[%d].configVersion", i), Message: message})
		}
		entry.Version = k.Version()
	}
	return c, issues
}

func (k Kind) upgrade(version int, config json.RawMessage) (json.RawMessage, string) {
	switch {
	case version == 0 || version == k.Version():
		return config, ""
	case version < 0 || version > k.Version():
		return config, fmt.Sprintf("is %d, but %s is known up to version %d", version, k.ID, k.Version())
	}
	for v := version; v < k.Version(); v++ {
		next, err := k.Upgrades[v-1](config)
		if err != nil {
			return config, fmt.Sprintf("cannot be brought from %d to %d: %s", v, v+1, err)
		}
		config = next
	}
	return config, ""
}

// ownerOf returns the strategy of a collector, "" without one.
func (r *Registry) ownerOf(collector string) string {
	for i := range r.strategies {
		if r.strategies[i].Collector(collector) != nil {
			return r.strategies[i].ID
		}
	}
	return ""
}

func unknown(what, name string, known []string) string {
	if name == "" {
		return "is required. There are " + strings.Join(known, ", ")
	}
	return "is no " + what + "." + search.Hint(name, known) + " There are " + strings.Join(known, ", ")
}

func describe(issues []problem.Issue) string {
	texts := make([]string, len(issues))
	for i, issue := range issues {
		texts[i] = strings.TrimSpace(issue.Path + " " + issue.Message)
	}
	return strings.Join(texts, "; ") + "."
}
