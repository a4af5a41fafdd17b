package check

import (
	"net"
	"net/url"
	"strings"
	"time"

	"countersign/secret/mask"
)

// The hard timeout of a run is the member timeout of the strategy's config, in milliseconds.
const (
	MinTimeout     = 100 * time.Millisecond
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 5 * time.Minute
)

// Deadline is the member timeout that the config of every strategy has: embed it.
type Deadline struct {
	Timeout int `json:"timeout,omitempty" jsonschema:"default=30000,minimum=100,maximum=300000,description=After how many milliseconds a run is given up." check:"unit=ms,label=Timeout"`
}

// Prepared is a configuration that is ready to run for a target. It is safe for concurrent use.
type Prepared struct {
	compiled *Compiled
	config   any
	configs  []any
	masker   *mask.Masker
	timeout  time.Duration
	lane     string
	// scope is nil when no kind reads it.
	scope *Scope
	// whole reports have ephemeral fields too.
	whole bool
}

// Timeout bounds a run.
func (p *Prepared) Timeout() time.Duration { return p.timeout }

// Lane is a key of the host that it talks to, for limits: of a strategy that talks to none, its id.
func (p *Prepared) Lane() string { return p.lane }

// Kept are the names of the fields of Outcome.Kept.
func (p *Prepared) Kept() []string { return p.compiled.Kept() }

// Draft is the same with reports that include ephemeral fields, such as the body of a response, for a test run.
func (p *Prepared) Draft() *Prepared {
	draft := *p
	draft.whole = true
	return &draft
}

// Laned is a config that says which host it talks to. Without it that is found in the members host and url.
type Laned interface{ Lane() string }

func laneOf(config any, configs []any, otherwise string) string {
	for _, c := range append([]any{config}, configs...) {
		if l, ok := c.(Laned); ok && l.Lane() != "" {
			return l.Lane()
		}
		if lane := textMember(c, "host"); lane != "" {
			return strings.ToLower(lane)
		}
		if u, err := url.Parse(textMember(c, "url")); err == nil && u.Hostname() != "" {
			return strings.ToLower(u.Hostname())
		}
		if host, _, err := net.SplitHostPort(textMember(c, "nameserver")); err == nil {
			return strings.ToLower(host)
		}
	}
	return otherwise
}

func textMember(config any, name string) string {
	if v := member(config, name); v.IsValid() && v.Kind().String() == "string" {
		return v.String()
	}
	return ""
}
