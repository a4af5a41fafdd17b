package check

import (
	"net"
	"net/url"
	"strings"
	"time"

	"countersign/internal/secret/mask"
)

// Limits of a run's timeout, the member timeout of the strategy's config, in milliseconds.
const (
	MinTimeout     = 100 * time.Millisecond
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 5 * time.Minute
)

// Deadline is the member timeout of every strategy's config, to embed.
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
	interval time.Duration
	lane     string
	// scope is nil when no kind reads it.
	scope *Scope
	// whole includes ephemeral fields in reports.
	whole bool
}

// Timeout bounds a run.
func (p *Prepared) Timeout() time.Duration { return p.timeout }

// Lane returns the key of the target's host, for limits; the strategy's id without a host.
func (p *Prepared) Lane() string { return p.lane }

// Kept returns the names of the fields of Outcome.Kept.
func (p *Prepared) Kept() []string { return p.compiled.Kept() }

// Draft returns a copy whose reports include ephemeral fields, such as the body of a response, for a test run.
func (p *Prepared) Draft() *Prepared {
	draft := *p
	draft.whole = true
	return &draft
}

// Laned is a config that names its host. For other configs the members host and url do.
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
