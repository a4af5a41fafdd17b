package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const testsPath = "/api/healthcheck/script-tests"

// testAnswer is what the benchmark looks at in the test of a script.
type testAnswer struct {
	TimedOut     bool     `json:"timedOut"`
	TypesChecked bool     `json:"typesChecked"`
	LimitsHit    []string `json:"limitsHit"`
	ExitCode     *int     `json:"exitCode"`
	Error        *struct{ Name, Message string }
}

// wholeCalls measures script tests through the REST API, as authors or the assistant call it.
func wholeCalls(ctx context.Context, o options, b *box, g *goals) error {
	if os.Getenv("COUNTERSIGN_TEST_DATABASE_URL") == "" {
		fmt.Println("\nThe REST call and the chats are left out: there is no test stack. Run it with bin/devstack exec.")
		return nil
	}
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.authors(ctx, max(hostileAuthors, scriptWorkers[2]), "healthcheck.healthcheck.manage"); err != nil {
		return err
	}
	if err := s.calls(ctx, o, b, g); err != nil {
		return fmt.Errorf("the whole call: %w", err)
	}
	if err := starvation(ctx, s, o, g); err != nil {
		return fmt.Errorf("starvation: %w", err)
	}
	return nil
}

// authors creates users with a rule, such as that for script tests.
func (s *stack) authors(ctx context.Context, count int, rule string) error {
	var made struct {
		Role struct{ ID string } `json:"role"`
		ID   string              `json:"id"`
	}
	if err := s.post(
		ctx,
		s.people[0],
		"/api/roles",
		map[string]any{"name": "Authors of scripts", "rules": []string{rule}},
		&made,
	); err != nil {
		return err
	}
	role := made.ID + made.Role.ID
	for i := range count {
		email, password := fmt.Sprintf("author%d@example.org", i), uuid.NewString()
		if err := s.post(
			ctx,
			s.people[0],
			"/api/users",
			map[string]any{"email": email, "name": email, "password": password, "roleIds": []string{role}},
			nil,
		); err != nil {
			return err
		}
		person, err := s.login(ctx, email, password)
		if err != nil {
			return err
		}
		s.writers = append(s.writers, person)
	}
	return nil
}

// test answers what posts a script and looks at the answer.
func (s *stack) test(source func() string, contextName string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		var answer testAnswer
		if err := s.post(ctx, s.writer(), testsPath, map[string]any{"context": contextName, "source": source()}, &answer); err != nil {
			return err
		}
		if answer.Error != nil || answer.TypesChecked != (contextName == "healthcheck-script") {
			return fmt.Errorf("unexpected answer: %+v %+v", answer, answer.Error)
		}
		return nil
	}
}

// writer is each author in turn.
func (s *stack) writer() *http.Client { return s.writers[int(s.turns.Add(1))%len(s.writers)] }

// call is something that is measured as a whole.
type call struct {
	name string
	one  func(ctx context.Context) error
	by   [3]runs
}

func (c *call) measure(ctx context.Context, budget time.Duration) error {
	for range 10 {
		if err := c.one(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for k, clients := range scriptWorkers {
		r, err := repeat(ctx, clients, budget, c.one)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		c.by[k].add(r)
	}
	return nil
}

// calls compares the REST call with its steps in this process.
func (s *stack) calls(ctx context.Context, o options, b *box, g *goals) error {
	var sources atomic.Int64
	fresh := func() string { return checked(int(sources.Add(1))) }
	known := fresh()
	newSource := s.test(fresh, "healthcheck-script")
	lines := []*call{
		{name: "floor: compile, check types and run in this process", one: func(ctx context.Context) error { return b.whole(ctx, fresh()) }},
		{name: "the same, compiled before", one: func(ctx context.Context) error { return b.whole(ctx, known) }},
		{name: "a REST call that does nothing: get the script context", one: func(ctx context.Context) error {
			return s.get(ctx, s.writer(), "/api/healthcheck/script-contexts/healthcheck-script")
		}},
		{name: "**POST script-tests**, a new source", one: newSource},
		{name: "**POST script-tests**, compiled before", one: s.test(func() string { return known }, "healthcheck-script")},
		{name: "**POST script-tests**, shell", one: s.test(func() string { return "echo hello" }, "healthcheck-shell")},
	}
	for range 3 {
		for _, line := range lines {
			if err := line.measure(ctx, o.budget/4); err != nil {
				return err
			}
		}
	}
	fmt.Print("\n## The whole test of a trivial script\n\n")
	fmt.Println("| what | min / p50 / p95 ms | p50 over floor | calls/s with 1 / 2 / 4 clients |")
	fmt.Println("|---|--:|--:|--:|")
	floor := lines[0].by[0].quantile(.5)
	for _, line := range lines {
		one := &line.by[0]
		fmt.Printf(
			"| %s | %s / %s / %s | %s | %s / %s / %s |\n",
			line.name,
			number(one.quantile(0)),
			number(one.quantile(.5)),
			number(one.quantile(.95)),
			ratio(one.quantile(.5), floor),
			number(one.rate),
			number(line.by[1].rate),
			number(line.by[2].rate),
		)
	}
	p50 := lines[3].by[0].quantile(.5)
	g.add("testScript, a new source with its check of types, p50", p50, "ms", p50 <= 20, "at most 20 ms")
	return s.steps(ctx, newSource)
}

func (s *stack) get(ctx context.Context, client *http.Client, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New("GET " + path + ": " + response.Status)
	}
	return nil
}

const (
	hostileScripts = 200
	// hostileAuthors are authors of hostile scripts: an author may have at most eight open tests.
	hostileAuthors = 25
	chatClients    = 16
)

// hostile are scripts that try to monopolise the machine, with their contexts.
func hostile() [][2]string {
	const check = `import { defineHealthCheck } from "@countersign/sdk/healthcheck"; export default defineHealthCheck(async () => { %s return { success: true }; });`
	return [][2]string{
		{"healthcheck-script", fmt.Sprintf(check, `let n = 0; while (n >= 0) { n = (n + 1) % 1000; }`)},
		{
			"healthcheck-script",
			fmt.Sprintf(
				check,
				`const all: Uint8Array[] = []; for (;;) { all.push(new Uint8Array(1 << 20).fill(7)); if (all.length > 30) all.length = 0; }`,
			),
		},
		{
			"healthcheck-script",
			fmt.Sprintf(check, `let text = "x"; const all: string[] = []; for (;;) { text += text + "y"; all.push(text.slice(1)); }`),
		},
		{"healthcheck-shell", `while :; do :; done`},
	}
}

// starvation compares the latency of chat turns with and without hostile scripts.
func starvation(ctx context.Context, s *stack, o options, g *goals) error {
	if _, err := measure(ctx, s, s.turn, 0, chatClients, time.Second); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	quiet, err := measure(ctx, s, s.turn, 0, chatClients, 2*o.budget)
	if err != nil {
		return err
	}
	ended := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	begun := time.Now()
	for i := range hostileScripts {
		all.Go(func() {
			how := s.attack(ctx, i)
			mu.Lock()
			defer mu.Unlock()
			ended[how]++
		})
	}
	under, err := whileRunning(ctx, s, &all)
	took := time.Since(begun)
	if err != nil {
		return err
	}
	fmt.Printf("\n## %d chat clients while %d hostile scripts with 1 s each are posted at once\n\n", chatClients, hostileScripts)
	fmt.Println("| | turns | turns/s | total p50 / p95 / p99 ms |\n|---|--:|--:|--:|")
	for _, line := range []struct {
		name string
		cell cell
	}{{"quiet", quiet}, {"with hostile scripts", under}} {
		t := line.cell.totals()
		fmt.Printf(
			"| %s | %d | %.1f | %.0f / %.0f / %.0f |\n",
			line.name,
			len(t),
			line.cell.rate,
			quantile(t, .5),
			quantile(t, .95),
			quantile(t, .99),
		)
	}
	p99 := quantile(under.totals(), .99) / quantile(quiet.totals(), .99)
	g.add("p99 of chat turns with hostile scripts", p99, "times that of a quiet time", p99 < 2 && !math.IsNaN(p99), "less than twice")
	var counts []string
	for _, how := range slices.Sorted(maps.Keys(ended)) {
		counts = append(counts, fmt.Sprintf("%s %d", how, ended[how]))
	}
	fmt.Printf("\nThe scripts were done after %.1f s: %s.\n", took.Seconds(), strings.Join(counts, ", "))
	return nil
}

// whileRunning has chat clients send turns while other work runs.
func whileRunning(ctx context.Context, s *stack, other *sync.WaitGroup) (cell, error) {
	var c cell
	var mu sync.Mutex
	var over atomic.Bool
	var failed atomic.Pointer[error]
	go func() {
		other.Wait()
		over.Store(true)
	}()
	begun := time.Now()
	var all sync.WaitGroup
	for person := range chatClients {
		all.Go(func() {
			for !over.Load() && failed.Load() == nil {
				one, err := s.turn(ctx, person, script(0), false)
				if err != nil {
					failed.CompareAndSwap(nil, &err)
					return
				}
				mu.Lock()
				c.samples = append(c.samples, one)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	other.Wait()
	c.rate = float64(len(c.samples)) / time.Since(begun).Seconds()
	if err := failed.Load(); err != nil {
		return c, *err
	}
	return c, nil
}

// attack posts one hostile script and answers how it ended.
func (s *stack) attack(ctx context.Context, i int) string {
	kinds := hostile()
	kind := kinds[i%len(kinds)]
	var answer testAnswer
	err := s.post(
		ctx,
		s.writers[i%hostileAuthors],
		testsPath,
		map[string]any{"context": kind[0], "source": kind[1], "timeoutMs": 1000},
		&answer,
	)
	switch {
	case err != nil:
		_, status, _ := strings.Cut(err.Error(), ": ")
		status, _, _ = strings.Cut(status, ":")
		return "refused with " + status
	case len(answer.LimitsHit) > 0:
		return "limit " + answer.LimitsHit[0]
	case answer.Error != nil:
		return "failed with " + answer.Error.Name
	}
	return "ended by itself"
}
