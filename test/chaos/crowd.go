package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// runLimit bounds one scenario of a person. It is generous, as a worker dies every second or two and a turn may be hit
// repeatedly, after which Temporal lengthens the timeout of its task; settle checks the time after the last kill.
const runLimit = 10 * time.Minute

// crowd are the people who use the product while its processes are killed.
type crowd struct {
	seed    uint64
	size    int
	apis    []string
	session *http.Cookie
	http    *http.Client
	ledger  *ledger
	// suggest are the scenarios that are needed most now.
	suggest func() []string
	// serves says whether an API takes requests.
	serves func(api string) bool

	outside *outside
	// limit is how long a person waits for one thing to be done, and away what their answers are counted by that say that something is
	// away; nil where none may be.
	limit time.Duration
	away  *atomic.Int64

	label string
	names atomic.Int64
	mu    sync.Mutex
	busy  map[string]int
}

// newCrowd signs in to the APIs of a fleet; label tells the names that its people choose from those of others.
func newCrowd(ctx context.Context, seed uint64, size int, f *fleet, l *ledger, label string) (*crowd, error) {
	c := &crowd{
		label:   label,
		outside: f.world.outside,
		limit:   runLimit,
		seed:    seed,
		size:    size,
		apis:    f.apis(),
		ledger:  l,
		busy:    map[string]int{},
		suggest: f.schedule.scenarios,
		serves:  f.serves,
		// A person has a browser, which keeps some connections.
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: size, IdleConnTimeout: 10 * time.Second}},
	}
	if f.world.session == nil {
		session, err := signIn(ctx, c.http, c.apis[0], f.world.dir)
		if err != nil {
			return nil, err
		}
		f.world.session, c.session = session, session
		if err := c.callOutside(ctx, c.outside); err != nil {
			return nil, err
		}
	}
	c.session = f.world.session
	return c, c.allowOutside(ctx, c.outside)
}

// name is a name for a system that nobody else uses.
func (c *crowd) name() string { return fmt.Sprintf("%s %d", c.label, c.names.Add(1)) }

// live has everyone run scenarios until stop reports true, and returns when all have ended.
func (c *crowd) live(ctx context.Context, stop func() bool) {
	var people sync.WaitGroup
	for i := range c.size {
		people.Go(func() {
			rng := rand.New(rand.NewPCG(c.seed, uint64(100+i)))
			for ctx.Err() == nil && !stop() {
				s := c.choose(rng)
				c.play(ctx, s, rng)
				c.leave(s)
			}
		})
	}
	people.Wait()
}

// choose prefers the needed scenarios.
func (c *crowd) choose(rng *rand.Rand) scenario {
	needed := c.suggest()
	all := scenarios()
	for {
		s := all[rng.IntN(len(all))]
		if len(needed) > 0 && rng.IntN(5) > 0 {
			s = find(all, needed[rng.IntN(len(needed))])
		}
		if c.enter(s) {
			return s
		}
	}
}

func find(all []scenario, name string) scenario {
	for _, s := range all {
		if s.name == name {
			return s
		}
	}
	panic("no scenario is called " + name)
}

func (c *crowd) enter(s scenario) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.limit > 0 && c.busy[s.name] >= s.limit {
		return false
	}
	c.busy[s.name]++
	return true
}

func (c *crowd) leave(s scenario) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[s.name]--
}

func (c *crowd) play(ctx context.Context, s scenario, rng *rand.Rand) {
	r := c.ledger.begin(s.name)
	defer r.end()
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	err := s.play(limited, c.person(r, rng))
	if err != nil && ctx.Err() == nil {
		c.ledger.complain(violation{"client", r.first(), s.name + ": " + err.Error()})
	}
}

func (c *crowd) person(r *run, rng *rand.Rand) *person {
	return &person{
		http:    c.http,
		apis:    c.apis,
		session: c.session,
		rng:     rng,
		run:     r,
		ledger:  c.ledger,
		serves:  c.serves,
		names:   c.name,
		outside: c.outside,
		away:    c.away,
	}
}
