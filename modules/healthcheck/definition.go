package healthcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/check/assertion"
	"countersign/internal/problem"
	"countersign/internal/secret/reference"
	"countersign/internal/store"
	"countersign/internal/text"
)

// Kinds is the registry of strategies and collectors, with the only validator of configurations. *check.Registry
// implements it.
type Kinds interface {
	Strategies() []check.Strategy
	Strategy(id string) *check.Strategy
	Collector(id string) *check.Collector
	Validate(ctx context.Context, c check.Configuration) []problem.Issue
	// Upgrade converts the configs of a configuration to their current versions.
	Upgrade(c check.Configuration) (check.Configuration, error)
}

// validation collects issues of an input and returns values in their stored form.
type validation struct {
	problem.Issues

	// scripts checks sources; nil accepts all.
	scripts ScriptChecker
	// draft is set for a run whose result is looked at once: it may lack assertions.
	draft bool
	// stored is the definition that is changed. Its timeout may be longer than its interval, from the time when that was allowed,
	// and its scripts stay until they are changed.
	stored *Definition
	failed error
	// unasserted are collectors that need assertions. They are reported beside what else is wrong, and not instead of it.
	unasserted []problem.Issue
}

// check converts a check to its stored form: normalised texts, and an id for each collector.
func (v *validation) check(ctx context.Context, kinds Kinds, n NewCheck) NewCheck {
	n.Name = text.Required(&v.Issues, "name", text.Line(&v.Issues, "name", n.Name, MaxName))
	n.Description = text.Lines(&v.Issues, "description", n.Description, MaxDescription)
	n.Definition = v.definition(ctx, kinds, n.Definition)
	return n
}

// definition validates the executed part; tool, form, REST and import all use it.
func (v *validation) definition(ctx context.Context, kinds Kinds, d Definition) Definition {
	before := v.Count()
	defer func() {
		for _, issue := range v.unasserted {
			v.Report(issue.Path, "%s", issue.Message)
		}
		v.unasserted = nil
	}()
	if d.Interval < check.MinInterval || d.Interval > check.MaxInterval {
		v.Report("intervalSeconds", "must be between %d and %d", check.MinInterval, check.MaxInterval)
	}
	if d.overlong() && (v.stored == nil || v.stored.Interval != d.Interval || v.stored.timeout() != d.timeout()) {
		v.Report("config.timeout", "must be at most the interval, %d ms: a run has to end before the next is due", d.Interval*1000)
	}
	if d.hurried() {
		v.Report(
			"config.retries",
			"and retryDelayMs leave less than 100 ms of the interval to each try; set fewer, a shorter delay or a longer interval",
		)
	}
	if last := d.lastPing(); last > 0 && (v.stored == nil || v.stored.lastPing() == 0) {
		v.Report("config.timeout", "is over before the last ping is sent, after %d ms; set fewer pings, a shorter time between them, "+
			"or a longer timeout and interval", last)
	}
	v.named("strategyId", d.StrategyID, maxID)
	v.settings("config", map[string]any(d.Config), 1)
	d.Collectors = v.collectors(kinds, d.Collectors)
	d = v.locations(d)
	for i, kept := range d.Kept {
		v.named("keptFields["+strconv.Itoa(i)+"]", kept, 2*maxID)
	}
	if v.Count() > before {
		return d
	}
	stored, err := json.Marshal(d.configuration())
	switch {
	case err != nil:
		v.Report("config", "cannot be written as JSON")
	case len(stored) > MaxDefinitionBytes:
		v.Report("config", "has %d bytes with its collectors, at most %d are allowed", len(stored), MaxDefinitionBytes)
	default:
		for _, issue := range kinds.Validate(ctx, d.configuration()) {
			v.Report(text.Shown(issue.Path, maxPath), "%s", text.Shown(issue.Message, 1000))
		}
	}
	if v.Count() == before {
		v.sources(ctx, kinds, d)
	}
	return d
}

// collectors validates collectors, and gives ids and default assertions to those that have none.
func (v *validation) collectors(kinds Kinds, given []Collector) []Collector {
	collectors := append([]Collector{}, given...)
	for i := range collectors {
		c, at := &collectors[i], "collectors["+strconv.Itoa(i)+"]"
		if c.ID == uuid.Nil {
			c.ID = store.NewID()
		}
		v.asserted(at, kinds.Collector(c.CollectorID), c)
		v.named(at+".collectorId", c.CollectorID, maxID)
		v.settings(at+".config", map[string]any(c.Config), 1)
		c.Assertions = slices.Clone(c.Assertions)
		for j := range c.Assertions {
			// Forms and sentences know the ids alone.
			c.Assertions[j].Operator = assertion.Canonical(c.Assertions[j].Operator)
			a := c.Assertions[j]
			at := at + ".assertions[" + strconv.Itoa(j) + "]"
			v.named(at+".field", a.Field, maxID)
			v.named(at+".operator", a.Operator, maxID)
			v.named(at+".jsonPath", a.JSONPath, maxPath)
			var value any
			if len(a.Value) > 0 && json.Unmarshal(a.Value, &value) != nil {
				v.Report(at+".value", "is no JSON value")
			}
			v.settings(at+".value", value, 1)
			if check.Assertion(a).AlwaysHolds() && !v.asserts(c.ID, a) {
				v.Report(at+".value", "is empty, and every text has that: the assertion could not fail; say a text, or leave the assertion out")
			}
		}
	}
	return collectors
}

// asserts reports whether the definition that is changed has an assertion.
func (v *validation) asserts(collector uuid.UUID, a Assertion) bool {
	return v.stored != nil && slices.ContainsFunc(v.stored.Collectors, func(c Collector) bool {
		return c.ID == collector && slices.ContainsFunc(c.Assertions, func(stored Assertion) bool { return reflect.DeepEqual(stored, a) })
	})
}

// asserted gives a collector without assertions those of its kind, and reports one that would pass whatever it finds without anybody
// having chosen that.
func (v *validation) asserted(at string, kind *check.Collector, c *Collector) {
	chosen := c.Assertions != nil
	if !chosen {
		c.Assertions = defaultAssertions(kind)
	}
	if kind == nil || v.draft || len(c.Assertions) > 0 || !kind.Unjudged.Passes(c.Config.raw()) {
		return
	}
	if chosen && c.inherits && v.stored != nil {
		// None were needed for what it asked before.
		i := slices.IndexFunc(v.stored.Collectors, func(stored Collector) bool { return stored.ID == c.ID })
		chosen = i >= 0 && kind.Unjudged.Passes(v.stored.Collectors[i].Config.raw())
	}
	c.inherits = false
	if !chosen {
		v.unasserted = append(v.unasserted, problem.Issue{Path: at + ".assertions", Message: "are missing: " + kind.Unjudged.Needs()})
	}
}

// sources checks the scripts of a definition, except those that the check already had.
func (v *validation) sources(ctx context.Context, kinds Kinds, d Definition) {
	if v.scripts == nil {
		return
	}
	for i, c := range d.Collectors {
		kind := kinds.Collector(c.CollectorID)
		if kind == nil {
			continue
		}
		for member, language := range kind.Config.Editors() {
			source, ok := c.Config[member].(string)
			if !ok || language != "typescript" && language != "shell" || v.had(c.CollectorID, member, source) {
				continue
			}
			wrong, err := v.scripts.CheckSource(ctx, language, source)
			if err != nil {
				v.failed = err
				return
			}
			if wrong != "" {
				v.Report("collectors["+strconv.Itoa(i)+"].config."+member, "%s", text.Shown(wrong, 1000))
			}
		}
	}
}

// had reports whether a stored collector has a source.
func (v *validation) had(kind, member, source string) bool {
	return v.stored != nil &&
		slices.ContainsFunc(v.stored.Collectors, func(c Collector) bool { return c.CollectorID == kind && c.Config[member] == source })
}

// err returns the issues, or why they could not be found.
func (v *validation) err() error {
	if v.failed != nil {
		return v.failed
	}
	return v.Err()
}

// timeout returns the timeout of runs in milliseconds, 0 without one.
func (d Definition) timeout() int64 { return d.number("timeout", 0) }

// lastPing returns when the last ping of a run is sent, in milliseconds, if the run is over by then; otherwise 0.
func (d Definition) lastPing() int64 {
	limit := d.timeout()
	if limit == 0 {
		limit = min(int64(d.Interval)*1000, check.DefaultTimeout.Milliseconds())
	}
	for _, c := range d.Collectors {
		if c.CollectorID != "healthcheck-ping.ping" {
			continue
		}
		last := (c.Config.number("count", defaultPings) - 1) * c.Config.number("intervalMs", defaultBetweenPings)
		if last >= limit {
			return last
		}
	}
	return 0
}

// defaultPings and defaultBetweenPings are those of the ping collector.
const (
	defaultPings        = 3
	defaultBetweenPings = 200
)

// number returns a whole number of the config.
func (d Definition) number(member string, standard int64) int64 {
	return d.Config.number(member, standard)
}

func (s Settings) number(member string, standard int64) int64 {
	raw, ok := s[member].(json.Number)
	if !ok {
		return standard
	}
	n, err := raw.Float64()
	if err != nil || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return int64(n)
}

// hurried reports whether retries leave too little time to each try when runs end with the interval for lack of a timeout. The
// kinds check the time of those with one.
func (d Definition) hurried() bool {
	retries, limit := d.number("retries", 0), min(time.Duration(d.Interval)*time.Second, check.DefaultTimeout)
	if retries <= 0 || retries > 2 || d.timeout() > 0 {
		return false
	}
	delay := time.Duration(d.number("retryDelayMs", defaultRetryDelay)) * time.Millisecond
	return check.TimeOfTry(limit, int(retries), delay) < check.MinTimeout
}

// defaultRetryDelay is that of check.Tries.
const defaultRetryDelay = 500

// overlong reports whether a run can go on when the next one is due.
func (d Definition) overlong() bool { return d.timeout() > int64(d.Interval)*1000 }

// warnings are what is wrong with a stored definition that runs all the same.
func (d Definition) warnings(kinds Kinds) []string {
	var all []string
	if d.overlong() {
		all = append(all, fmt.Sprintf("The timeout of %d ms is longer than the interval of %d s. A run that times out stands for each slot "+
			"that came while it waited. Choose a timeout of at most %d ms.", d.timeout(), d.Interval, d.Interval*1000))
	}
	for _, c := range d.Collectors {
		kind := kinds.Collector(c.CollectorID)
		if kind != nil && len(c.Assertions) == 0 && kind.Unjudged.Passes(c.Config.raw()) {
			all = append(all, kind.Name+" has no assertion: it passes whatever "+kind.Unjudged.Finds+" is.")
		}
	}
	return all
}

// named validates a short name on one line.
func (v *validation) named(path, value string, limit int) {
	if text.Line(&v.Issues, path, value, limit) != value {
		v.Report(path, "has spaces at its ends or characters in a form that is not stored")
	}
}

// settings validates settings whose members depend on their kind.
func (v *validation) settings(path string, value any, depth int) {
	if depth > maxConfigDepth {
		v.Report(path, "is nested more than %d levels deep", maxConfigDepth)
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range sortedKeys(value) {
			if strings.ContainsRune(key, 0) || strings.ContainsFunc(key, text.Disguises) {
				v.Report(path, "has a member whose name has characters that cannot be seen")
				continue
			}
			v.settings(path+"."+text.Shown(key, maxID), value[key], depth+1)
		}
	case []any:
		for i, element := range value {
			v.settings(path+"["+strconv.Itoa(i)+"]", element, depth+1)
		}
	case string:
		text.Lines(&v.Issues, path, value, MaxDefinitionBytes)
	case json.Number:
		_, exponent, found := strings.Cut(strings.ToLower(value.String()), "e")
		if n, err := strconv.Atoi(exponent); found && (err != nil || n > 30 || n < -30) {
			v.Report(path, "is too large or too small a number")
		}
	}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// configuration converts a definition for the check engine.
func (d Definition) configuration() check.Configuration {
	c := check.Configuration{
		Strategy:   d.StrategyID,
		Version:    d.Version,
		Config:     d.Config.raw(),
		Collectors: make([]check.Collected, 0, len(d.Collectors)),
		Kept:       d.Kept,
	}
	for _, collector := range d.Collectors {
		collected := check.Collected{
			ID:          collector.ID,
			CollectorID: collector.CollectorID,
			Version:     collector.Version,
			Config:      collector.Config.raw(),
		}
		for _, a := range collector.Assertions {
			collected.Assertions = append(collected.Assertions, check.Assertion(a))
		}
		c.Collectors = append(c.Collectors, collected)
	}
	return c
}

// raw encodes an object that was decoded from JSON.
func (s Settings) raw() json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// definitionOf converts a configuration of the check engine.
func definitionOf(c check.Configuration, interval int) (Definition, error) {
	d := Definition{
		StrategyID: c.Strategy,
		Version:    c.Version,
		Interval:   interval,
		Collectors: make([]Collector, 0, len(c.Collectors)),
		Kept:       c.Kept,
	}
	if err := d.Config.UnmarshalJSON(c.Config); err != nil {
		return d, fmt.Errorf("read the config of a check: %w", err)
	}
	for _, collected := range c.Collectors {
		collector := Collector{ID: collected.ID, CollectorID: collected.CollectorID, Version: collected.Version, Assertions: []Assertion{}}
		if err := collector.Config.UnmarshalJSON(collected.Config); err != nil {
			return d, fmt.Errorf("read the config of a collector: %w", err)
		}
		for _, a := range collected.Assertions {
			collector.Assertions = append(collector.Assertions, Assertion(a))
		}
		d.Collectors = append(d.Collectors, collector)
	}
	return d, nil
}

// texts calls found with every text in the configs of a definition.
func (d Definition) texts(found func(content string)) {
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, member := range value {
				walk(member)
			}
		case []any:
			for _, element := range value {
				walk(element)
			}
		case string:
			found(value)
		}
	}
	walk(map[string]any(d.Config))
	for _, c := range d.Collectors {
		walk(map[string]any(c.Config))
	}
}

// secrets returns the sorted names of the secrets in a definition. It skips texts that only look like references; the
// validator rejects them.
func (d Definition) secrets() []string {
	names := []string{}
	d.texts(func(text string) {
		if found, err := reference.References(text); err == nil {
			names = append(names, found...)
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}

var template = regexp.MustCompile(`(^|[^$])\{\{`)

// guarded reports whether a definition has secrets together with templates, or with a kind that reads attributes of the
// system, as scripts do: these attributes then decide where the secrets are sent.
func (d Definition) guarded(kinds Kinds) bool {
	told, _ := d.receives(kinds)
	return told && len(d.secrets()) > 0
}

// receives reports whether the check receives data of its system, and of its environment, too.
func (d Definition) receives(kinds Kinds) (system, environment bool) {
	s := kinds.Strategy(d.StrategyID)
	system = s != nil && s.Scoped
	for _, c := range d.Collectors {
		k := kinds.Collector(c.CollectorID)
		system = system || k != nil && k.Scoped
	}
	environment = system
	d.texts(func(text string) {
		found := template.MatchString(text)
		system, environment = system || found, environment || found && strings.Contains(text, "environment")
	})
	return system, environment
}
