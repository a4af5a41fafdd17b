package check

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"countersign/check/assertion"
	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/mask"
	"countersign/internal/text/search"
)

// Compiled is a configuration that was validated, ready for any target. It is safe for concurrent use.
type Compiled struct {
	registry   *Registry
	strategy   *Strategy
	config     *settings
	collectors []compiledCollector
	kept       []keptField
	secrets    []string
	// shared is the prepared run of all targets, when nothing in it depends on the target.
	shared atomic.Pointer[sharedRun]
}

type compiledCollector struct {
	id         uuid.UUID
	kind       *Collector
	config     *settings
	assertions []*assertion.Compiled
	// bit is the index of its first assertion's bit.
	bit int
}

type keptField struct {
	collector int
	index     []int
	name      string
}

type sharedRun struct {
	prepared *Prepared
	secrets  map[string]secret.Value
}

// Validate lists all errors of a configuration. Prepare accepts a valid configuration if secrets and template values
// exist and are valid.
func (r *Registry) Validate(_ context.Context, c Configuration) []problem.Issue {
	_, issues := r.Compile(c)
	if len(issues) == 0 {
		issues = familyIssues(c)
	}
	return issues
}

// Secrets returns the sorted names of the secrets that a configuration references; none for an invalid one.
func (r *Registry) Secrets(c Configuration) []string {
	compiled, issues := r.Compile(c)
	if len(issues) > 0 {
		return nil
	}
	return compiled.Secrets()
}

// Compile validates a configuration of any version. Paths of issues are those of the configuration, such as
// collectors[0].config.url.
func (r *Registry) Compile(c Configuration) (*Compiled, []problem.Issue) {
	if len(c.Collectors) > MaxCollectors {
		return nil, []problem.Issue{{Path: "collectors", Message: fmt.Sprintf("must be at most %d, not %d", MaxCollectors, len(c.Collectors))}}
	}
	s := r.byID[c.Strategy]
	c, issues := r.upgrade(c)
	if s == nil {
		return nil, issues
	}
	out := &Compiled{registry: r, strategy: s}
	var found []problem.Issue
	out.config, found = s.Config.read(c.Config)
	issues = append(issues, under("config", found)...)
	if len(c.Collectors) == 0 {
		issues = append(issues, problem.Issue{Path: "collectors", Message: "must have at least one, such as " + s.Collectors[0].ID})
	}
	seen := map[uuid.UUID]bool{}
	bits := 0
	for i, entry := range c.Collectors {
		path := fmt.Sprintf("collectors[%d]", i)
		switch {
		case entry.ID == uuid.Nil:
			issues = append(issues, problem.Issue{Path: path + ".id", Message: "is required: any UUID"})
		case seen[entry.ID]:
			issues = append(issues, problem.Issue{Path: path + ".id", Message: "stands there twice"})
		}
		seen[entry.ID] = true
		at := bits
		bits += len(entry.Assertions)
		kind := s.Collector(entry.CollectorID)
		if kind == nil {
			continue
		}
		collector, found := compileCollector(kind, entry)
		collector.bit = at
		issues = append(issues, under(path, found)...)
		out.collectors = append(out.collectors, collector)
	}
	if bits > MaxAssertions {
		issues = append(
			issues,
			problem.Issue{Path: "collectors", Message: fmt.Sprintf("must have at most %d assertions together, not %d", MaxAssertions, bits)},
		)
	}
	if len(issues) == 0 {
		issues = out.keep(c.Kept)
	}
	if len(issues) > 0 {
		return nil, issues
	}
	out.secrets = slices.Clone(out.config.secrets)
	for _, collector := range out.collectors {
		out.secrets = append(out.secrets, collector.config.secrets...)
	}
	slices.Sort(out.secrets)
	out.secrets = slices.Compact(out.secrets)
	return out, nil
}

func compileCollector(kind *Collector, entry Collected) (compiledCollector, []problem.Issue) {
	out := compiledCollector{id: entry.ID, kind: kind}
	config, issues := kind.Config.read(entry.Config)
	issues = under("config", issues)
	out.config = config
	fields := make([]assertion.Field, len(kind.Result.fields))
	for i, f := range kind.Result.fields {
		fields[i] = f.Field
	}
	for j, a := range entry.Assertions {
		if j == MaxAssertions {
			break
		}
		compiled, found := assertion.Compile(a, fields)
		issues = append(issues, under(fmt.Sprintf("assertions[%d]", j), found)...)
		out.assertions = append(out.assertions, compiled)
	}
	return out, issues
}

// keep finds the fields whose values every run stores: the named ones, or the default ones of the kinds.
func (c *Compiled) keep(names []string) []problem.Issue {
	if names == nil {
		for i, collector := range c.collectors {
			for _, f := range collector.kind.Result.fields {
				if f.Keep && f.drawable() && len(c.kept) < MaxKept {
					c.kept = append(c.kept, keptField{i, f.Index, collector.id.String() + "." + f.Name})
				}
			}
		}
		return nil
	}
	if len(names) > MaxKept {
		return []problem.Issue{{Path: "keptFields", Message: fmt.Sprintf("must be at most %d, not %d", MaxKept, len(names))}}
	}
	var issues []problem.Issue
	var all []string
	for i, name := range names {
		kept, possible := c.keptField(name)
		switch {
		case kept == nil:
			issues = append(issues, problem.Issue{
				Path: fmt.Sprintf(
					"keptFields[%d]",
					i,
				),
				Message: "is nothing of a result that can be kept: a number, or true or false." + search.Hint(
					name,
					possible,
				) + " There are " + strings.Join(
					possible,
					", ",
				),
			})
		case slices.Contains(all, name):
			issues = append(issues, problem.Issue{Path: fmt.Sprintf("keptFields[%d]", i), Message: "stands there twice"})
		default:
			c.kept = append(c.kept, *kept)
		}
		all = append(all, name)
	}
	return issues
}

func (c *Compiled) keptField(name string) (*keptField, []string) {
	var possible []string
	for i, collector := range c.collectors {
		for _, f := range collector.kind.Result.fields {
			full := collector.id.String() + "." + f.Name
			if !f.drawable() {
				continue
			}
			if full == name {
				return &keptField{i, f.Index, full}, nil
			}
			possible = append(possible, full)
		}
	}
	return nil, possible
}

// drawable reports whether a field has numbers for charts.
func (f Field) drawable() bool { return f.Type == assertion.Number || f.Type == assertion.Boolean }

// Secrets returns the sorted names of the referenced secrets.
func (c *Compiled) Secrets() []string { return c.secrets }

// Kept returns the fields whose values every run stores, as collectors[].id + "." + field, in the order of
// Outcome.Kept.
func (c *Compiled) Kept() []string {
	names := make([]string, len(c.kept))
	for i, k := range c.kept {
		names[i] = k.name
	}
	return names
}

// OfOneTarget reports whether runs depend on the target, by templates or by a kind that reads its scope.
func (c *Compiled) OfOneTarget() bool {
	return c.scoped() || len(c.config.templates) > 0 ||
		slices.ContainsFunc(c.collectors, func(k compiledCollector) bool { return len(k.config.templates) > 0 })
}

// scoped reports whether a kind reads the scope of a run.
func (c *Compiled) scoped() bool {
	return c.strategy.Scoped || slices.ContainsFunc(c.collectors, func(k compiledCollector) bool { return k.kind.Scoped })
}

// For prepares the configuration for one target. Targets share the result when nothing in it depends on the target. The
// error is a *Failure: SecretMissing, TemplateFailed or NotRunnable.
func (c *Compiled) For(scope Scope, secrets map[string]secret.Value) (*Prepared, error) {
	needed := make(map[string]secret.Value, len(c.secrets))
	for _, name := range c.secrets {
		value, ok := secrets[name]
		if !ok {
			return nil, Fail(SecretMissing, "The secret "+name+" is not there.")
		}
		needed[name] = value
	}
	own := c.OfOneTarget()
	interval := time.Duration(scope.Check.IntervalSeconds) * time.Second
	if s := c.shared.Load(); !own && s != nil && s.prepared.interval == interval && reflect.DeepEqual(s.secrets, needed) {
		return s.prepared, nil
	}
	p := &Prepared{compiled: c, interval: interval, configs: make([]any, len(c.collectors))}
	if c.scoped() {
		p.scope = &scope
	}
	var err error
	if p.masker, err = masker(needed); err != nil {
		return nil, err
	}
	var values map[string]any
	once := func() map[string]any {
		if values == nil {
			values = scope.values()
		}
		return values
	}
	if p.config, err = c.config.fill("config", once, needed); err != nil {
		return nil, err
	}
	for i, collector := range c.collectors {
		if p.configs[i], err = collector.config.fill(fmt.Sprintf("collectors[%d].config", i), once, needed); err != nil {
			return nil, err
		}
	}
	p.timeout = timeoutOf(p.config, interval)
	p.retries, p.delay = triesOf(p.config)
	p.ip = egress.IPVersion(textMember(p.config, "ipVersion"))
	p.lane = laneOf(p.config, p.configs, c.strategy.ID)
	if !own {
		c.shared.Store(&sharedRun{p, needed})
	}
	return p, nil
}

func masker(secrets map[string]secret.Value) (*mask.Masker, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	values := make([]secret.Value, 0, len(secrets))
	for _, v := range secrets {
		values = append(values, v)
	}
	m, err := mask.New(values...)
	if err != nil {
		return nil, Fail(NotRunnable, problem.As(err).Detail)
	}
	return m, nil
}

// Prepare is Compile followed by For.
func (r *Registry) Prepare(c Configuration, scope Scope, secrets map[string]secret.Value) (*Prepared, error) {
	compiled, issues := r.Compile(c)
	if len(issues) > 0 {
		return nil, notRunnable("The configuration is not valid: ", issues)
	}
	return compiled.For(scope, secrets)
}

// timeoutOf returns the member timeout of a config, in milliseconds. By default a run ends before the next one is due.
func timeoutOf(config any, interval time.Duration) time.Duration {
	if v := member(config, "timeout"); v.IsValid() && v.CanInt() && v.Int() > 0 {
		return max(MinTimeout, min(time.Duration(v.Int())*time.Millisecond, MaxTimeout))
	}
	if interval > 0 {
		return min(DefaultTimeout, interval)
	}
	return DefaultTimeout
}

// triesOf returns the members retries and retryDelayMs of a config.
func triesOf(config any) (retries int, delay time.Duration) {
	if v := member(config, "retries"); v.IsValid() && v.CanInt() {
		retries = int(v.Int())
	}
	if v := member(config, "retryDelayMs"); v.IsValid() && v.CanInt() {
		delay = time.Duration(v.Int()) * time.Millisecond
	}
	return retries, delay
}

// member returns a field of a struct by its JSON name.
func member(config any, name string) reflect.Value {
	v := reflect.Indirect(reflect.ValueOf(config))
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if tagged, _, _ := strings.Cut(f.Tag.Get("json"), ","); tagged == name {
			return v.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}
