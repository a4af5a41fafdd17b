package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Kind is the common part of strategies and collectors: their description in catalogs, forms and prompts.
type Kind struct {
	// ID is stable, such as healthcheck-http.request.
	ID string
	// Name and Description are for people and models; a description is one or two sentences.
	Name, Description string
	// Category groups kinds in a picker.
	Category string
	// Defaults are the assertions of a new collector for which none are given. A result that must not pass unasserted has some, or is
	// Unjudged.
	Defaults []Assertion
	// Unjudged is set when no defaults make sense; nil for a collector that decides itself whether its result is good.
	Unjudged *Unjudged
	// Scoped reports that the kind reads Run.Scope besides templates. Otherwise runs have an empty scope, and targets
	// share the prepared run.
	Scoped bool
	// Upgrades convert older versions of the config: the first from version 1 to 2, and so on. A kind without any has
	// version 1.
	Upgrades []func(config json.RawMessage) (json.RawMessage, error)
}

// Version is the current version of the config.
func (k Kind) Version() int { return len(k.Upgrades) + 1 }

// Strategy opens a session with the target. A run opens one session, which its collectors share.
type Strategy struct {
	Kind
	Config     *Schema
	Collectors []Collector
	open       func(ctx context.Context, run Run, config any) (any, error)
	close      func(session any)
}

// Collector reads a result from a session, for assertions.
type Collector struct {
	Kind
	Config *Schema
	// Result describes the result; assertions are about its members.
	Result  *Schema
	collect func(ctx context.Context, run Run, session, config any) (any, error)
}

// CollectorOf is a collector for sessions of type S.
type CollectorOf[S any] struct{ Collector }

// NewCollector makes a collector. A failure of the target is a Failure; any other error means that the run could not be made. A
// result is an immutable struct.
func NewCollector[S, C, R any](k Kind, collect func(ctx context.Context, run Run, session S, config *C) (*R, error)) CollectorOf[S] {
	return CollectorOf[S]{Collector{
		Kind: k, Config: ConfigSchema[C](), Result: ResultSchema[R](),
		collect: func(ctx context.Context, run Run, session, config any) (any, error) {
			r, err := collect(ctx, run, as[S](session), as[*C](config))
			if r == nil {
				return nil, err
			}
			return r, err
		},
	}}
}

// as converts v to its known type; it also accepts a nil session of an interface type.
func as[T any](v any) T {
	t, _ := v.(T)
	return t
}

// NewStrategy makes a strategy. ends closes a session of opens; it may be nil.
func NewStrategy[S, C any](
	k Kind,
	opens func(ctx context.Context, run Run, config *C) (S, error),
	ends func(S),
	collectors ...CollectorOf[S],
) Strategy {
	s := Strategy{
		Kind: k, Config: ConfigSchema[C](), close: func(any) {},
		open: func(ctx context.Context, run Run, config any) (any, error) { return opens(ctx, run, as[*C](config)) },
	}
	if ends != nil {
		s.close = func(session any) { ends(as[S](session)) }
	}
	for _, c := range collectors {
		s.Collectors = append(s.Collectors, c.Collector)
	}
	return s
}

// Registry is the list of all strategies.
type Registry struct {
	strategies []Strategy
	byID       map[string]*Strategy
	collectors map[string]*Collector
	running    atomic.Int64
	crew       *workerPool
	// loggedFaults is the time of a kind's last fault in the log (log rate limit).
	loggedFaults sync.Map
}

// Running returns the number of open runs, including abandoned ones that ignore the end of their context.
func (r *Registry) Running() int64 { return r.running.Load() }

// NewRegistry makes the list, in display order.
func NewRegistry(strategies ...Strategy) (*Registry, error) {
	r := &Registry{strategies: strategies, crew: newWorkerPool(), byID: map[string]*Strategy{}, collectors: map[string]*Collector{}}
	var failed []error
	for i := range strategies {
		s := &strategies[i]
		if r.byID[s.ID] != nil || s.ID == "" || s.Name == "" || s.Description == "" {
			failed = append(failed, fmt.Errorf("strategy %q is there twice, or lacks a name or a description", s.ID))
		}
		if len(s.Collectors) == 0 {
			failed = append(failed, fmt.Errorf("strategy %q has no collector", s.ID))
		}
		r.byID[s.ID] = s
		for j := range s.Collectors {
			c := &s.Collectors[j]
			if c.ID == "" || c.Name == "" || c.Description == "" {
				failed = append(failed, fmt.Errorf("collector %q of %q lacks a name or a description", c.ID, s.ID))
			}
			if other := r.collectors[c.ID]; other != nil && (other.Config.of != c.Config.of || other.Result.of != c.Result.of) {
				failed = append(failed, fmt.Errorf("collector %q is there twice", c.ID))
			}
			r.collectors[c.ID] = c
		}
	}
	return r, errors.Join(failed...)
}

// Strategies returns all strategies in display order.
func (r *Registry) Strategies() []Strategy { return r.strategies }

// Strategy returns the strategy with this id, nil without one.
func (r *Registry) Strategy(id string) *Strategy { return r.byID[id] }

// Collector returns the collector with this id, nil without one.
func (r *Registry) Collector(id string) *Collector { return r.collectors[id] }

// Collector returns the strategy's collector with this id, nil without one.
func (s *Strategy) Collector(id string) *Collector {
	i := slices.IndexFunc(s.Collectors, func(c Collector) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Collectors[i]
}
