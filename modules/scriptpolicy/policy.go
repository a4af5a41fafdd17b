// Package scriptpolicy stores the script policy: network access, the reachable targets, and the limits of tests and of
// real runs. It is global: no script has a policy of its own.
//
// Everything fails closed. When the policy is missing, unreadable or invalid, scripts have no network and the tightest
// limits, and their output reports the downgrade. Fetcher makes the network requests that a policy allows, through
// package egress (the SSRF guard).
package scriptpolicy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/sandbox"
)

// Network is the network access of scripts.
type Network string

// The networks of a policy.
const (
	// Off: scripts have no network.
	Off Network = "off"
	// Allowlist: scripts reach the listed targets only.
	Allowlist Network = "allowlist"
	// Public: scripts reach every public internet address, and no private one.
	Public Network = "public"
)

const (
	maxEntries = 200
	minTimeout = 100 * time.Millisecond
	// Engines need this much to start.
	minMemory   = 16 << 20
	minOutput   = 1 << 10
	maxDocument = 256 << 10
)

// Policy is the script policy.
type Policy struct {
	Network Network      `json:"network" enum:"off,allowlist,public" doc:"off: none; allowlist: the entries of allow and nothing else; public: every public internet address"`
	Allow   []string     `json:"allow" nullable:"false" maxItems:"200" doc:"Host names, *.names, addresses and prefixes, each also with :port. Private addresses are reached only where an address or a prefix names them."`
	Test    ScriptLimits `json:"test" doc:"The most that a test of a script gets"`
	Run     ScriptLimits `json:"run" doc:"The most that a real run gets"`
}

// ScriptLimits are those of package sandbox: milliseconds, bytes and counts.
type ScriptLimits struct {
	TimeoutMs   int `json:"timeoutMs" minimum:"100" maximum:"300000"`
	MemoryBytes int `json:"memoryBytes" minimum:"16777216" maximum:"134217728"`
	OutputBytes int `json:"outputBytes" minimum:"1024" maximum:"5242880"`
	ResultBytes int `json:"resultBytes" minimum:"1024" maximum:"5242880"`
	HostCalls   int `json:"hostCalls" minimum:"1" maximum:"1000"`
	HostBytes   int `json:"hostBytes" minimum:"1024" maximum:"67108864"`
}

// Sandbox converts the limits for a job: sandbox.Limits.Within bounds a script's requested limits by them.
func (l ScriptLimits) Sandbox() sandbox.Limits {
	return sandbox.Limits{
		Timeout: time.Duration(l.TimeoutMs) * time.Millisecond, Memory: l.MemoryBytes, Output: l.OutputBytes,
		Result: l.ResultBytes, HostCalls: l.HostCalls, HostBytes: l.HostBytes,
	}
}

// Tightest is the policy in place of a missing or unusable one.
func Tightest() Policy {
	limits := ScriptLimits{
		TimeoutMs:   2_000,
		MemoryBytes: 48 << 20,
		OutputBytes: 64 << 10,
		ResultBytes: 64 << 10,
		HostCalls:   10,
		HostBytes:   64 << 10,
	}
	return Policy{Network: Off, Allow: []string{}, Test: limits, Run: limits}
}

// parse decodes a stored policy. It refuses unknown members, which could be restrictions.
func parse(document []byte) (Policy, error) {
	var p Policy
	decoder := json.NewDecoder(io.LimitReader(bytes.NewReader(document), maxDocument))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return Policy{}, fmt.Errorf("read script policy: %w", err)
	}
	return p.checked()
}

// checked returns the policy with canonical, distinct entries, or a problem with all faults.
func (p Policy) checked() (Policy, error) {
	var issues problem.Issues
	if p.Network != Off && p.Network != Allowlist && p.Network != Public {
		issues.Report("network", "must be off, allowlist or public")
	}
	if len(p.Allow) > maxEntries {
		issues.Report("allow", "must have at most 200 entries")
		p.Allow = nil
	}
	known, entries := map[string]bool{}, make([]string, 0, len(p.Allow))
	for i, text := range p.Allow {
		entry, err := egress.ParseEntry(text)
		if err != nil {
			issues.Report("allow["+strconv.Itoa(i)+"]", "%v", err)
			continue
		}
		if canonical := entry.String(); !known[canonical] {
			known[canonical] = true
			entries = append(entries, canonical)
		}
	}
	p.Allow = entries
	if p.Network == Allowlist && len(entries) == 0 && issues.Count() == 0 {
		issues.Report("allow", "must name a target; to reach none, switch the network off")
	}
	p.Test.check("test", &issues)
	p.Run.check("run", &issues)
	if err := issues.Err(); err != nil {
		return Policy{}, err
	}
	return p, nil
}

func (l ScriptLimits) check(path string, issues *problem.Issues) {
	most := sandbox.MaxLimits()
	for _, limit := range []struct {
		name               string
		value, least, most int
	}{
		{"timeoutMs", l.TimeoutMs, int(minTimeout.Milliseconds()), int(most.Timeout.Milliseconds())},
		{"memoryBytes", l.MemoryBytes, minMemory, most.Memory},
		{"outputBytes", l.OutputBytes, minOutput, most.Output},
		{"resultBytes", l.ResultBytes, minOutput, most.Result},
		{"hostCalls", l.HostCalls, 1, most.HostCalls},
		{"hostBytes", l.HostBytes, minOutput, most.HostBytes},
	} {
		if limit.value < limit.least || limit.value > limit.most {
			issues.Report(path+"."+limit.name, "must be from %d to %d", limit.least, limit.most)
		}
	}
}

// allowlist returns the entries of a checked policy. An unreadable one is left out, which denies it.
func (p Policy) allowlist() *egress.Allowlist {
	list := egress.Allowlist{}
	for _, text := range p.Allow {
		if entry, err := egress.ParseEntry(text); err == nil {
			list = append(list, entry)
		}
	}
	return &list
}
