package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/script/sdk"
	"countersign/script/typescript"
)

// toolSize is how large the measured tool is, in bytes.
const toolSize = 5_000

// toolSource is a tool of toolSize bytes that differs by n, of functions and types as people write them.
func toolSource(n int) string {
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"import type { CustomTool } from \"@countersign/sdk/tool\";\n\n// Tool %d of the bench.\ninterface Args { n: "+
			"number; names?: string[] }\n",
		n,
	)
	for i := 0; ; i++ {
		part := fmt.Sprintf(`
interface Part%[1]d { id: string; weight: number; tags: readonly string[]; next?: Part%[1]d }
/** Weighs a part and what comes behind it. */
const weigh%[1]d = (part: Part%[1]d | undefined, depth = 0): number => {
  if (part === undefined || depth > 10) return 0;
  const { weight, tags, next } = part;
  return weight * (tags.includes("heavy") ? %[2]d : 1) + weigh%[1]d(next, depth + 1);
};
`, i, n%97+i)
		const end = `
export default {
  actions: {
    default: async (args: Args, ctx) => {
      ctx.log("info", "called", { n: args.n });
      const names = (args.names ?? []).map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
      return { n: args.n + 1, names, weight: weigh0({ id: "a", weight: args.n, tags: ["heavy"] }) };
    },
  },
} satisfies CustomTool;
`
		if b.Len()+len(part)+len(end) > toolSize {
			b.WriteString(end)
			return b.String() + strings.Repeat("/", 2) + strings.Repeat(" ", max(0, toolSize-b.Len()-3)) + "\n"
		}
		b.WriteString(part)
	}
}

func toolBody(source string) map[string]any {
	return map[string]any{
		"description": "Counts.",
		"source":      source,
		"args_schema": map[string]any{
			"type": "object",
			"properties": map[string]any{
				"n":     map[string]any{"type": "number"},
				"names": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			},
			"required": []string{"n"},
		},
	}
}

// customTools measures the latency for authors of custom tools, beside esbuild and the TypeScript compiler in Node, and
// the effect of hostile sources on other authors.
func customTools(ctx context.Context, o options) error {
	fmt.Printf(
		"# Custom tools, %s\n\nLoad at the start: %s. Rerun: `make peers` once, then `bin/devstack exec -- go run ./test/bench -only tools`.\n",
		time.Now().Format(time.DateOnly),
		load(),
	)
	var g goals
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.authors(ctx, hostileAuthors, "agent.agent.manage"); err != nil {
		return err
	}
	drafts, err := s.drafts(ctx)
	if err != nil {
		return err
	}
	if err := authoring(ctx, s, drafts, o, &g); err != nil {
		return err
	}
	if err := inNodeCompilers(ctx); err != nil {
		return err
	}
	if err := hostilePuts(ctx, s, drafts, o, &g); err != nil {
		return err
	}
	fmt.Printf("\nLoad at the end: %s.\n", load())
	g.print()
	return nil
}

// drafts are the paths of one draft for each author.
func (s *stack) drafts(ctx context.Context) ([]string, error) {
	paths := make([]string, len(s.writers))
	for i, author := range s.writers {
		path := fmt.Sprintf("/api/agents/bench-%d/revisions", i)
		if err := s.post(
			ctx,
			author,
			"/api/agents",
			map[string]any{"slug": fmt.Sprintf("bench-%d", i), "name": fmt.Sprintf("Bench %d", i)},
			nil,
		); err != nil {
			return nil, err
		}
		if err := s.post(ctx, author, path, map[string]any{}, nil); err != nil {
			return nil, err
		}
		paths[i] = path + "/1"
	}
	return paths, nil
}

// put sends a PUT and answers its status.
func (s *stack) put(ctx context.Context, client *http.Client, path string, in any) (int, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func (s *stack) mustPut(ctx context.Context, client *http.Client, path string, in any) error {
	status, err := s.put(ctx, client, path, in)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("PUT %s: %d", path, status)
	}
	return err
}

// authoring compares PUT, check and dry run with the compiler alone.
func authoring(ctx context.Context, s *stack, drafts []string, o options, g *goals) error {
	compiler := typescript.New(typescript.Options{Processes: 2})
	defer compiler.Close()
	var turn, sources atomic.Int64
	next := func() (author *http.Client, tool string) {
		i := int(turn.Add(1)) % len(drafts)
		return s.writers[i], drafts[i] + "/tools/bench"
	}
	fresh := func() string { return toolSource(int(sources.Add(1))) }
	known := fresh()
	for i, author := range s.writers {
		if err := s.mustPut(ctx, author, drafts[i]+"/tools/bench", toolBody(known)); err != nil {
			return err
		}
	}
	try := func(ctx context.Context, body map[string]any) error {
		author, tool := next()
		var answer struct {
			OK    bool
			Error *struct{ Code, Message string }
		}
		if err := s.post(ctx, author, tool+"/dry_run", body, &answer); err != nil {
			return err
		}
		if !answer.OK {
			return fmt.Errorf("a dry run failed: %+v", answer.Error)
		}
		return nil
	}
	args := map[string]any{"n": 1, "names": []string{" A ", "b"}}
	lines := []*call{
		{name: "floor: compile and check types in this process", one: func(ctx context.Context) error {
			made, err := compiler.CompileTool(ctx, typescript.ToolSource{ID: "bench", Source: fresh(), ArgsSchema: json.RawMessage(`{}`)})
			if err == nil && (made.JS == "" || !made.Checked) {
				err = fmt.Errorf("not compiled: %+v", made.Diagnostics)
			}
			return err
		}},
		{name: "a REST call that does little: read the examples", one: func(ctx context.Context) error {
			author, tool := next()
			return s.get(ctx, author, tool+"/examples")
		}},
		{name: "**PUT a tool of 5 kB**, a new source", one: func(ctx context.Context) error {
			author, tool := next()
			return s.mustPut(ctx, author, tool, toolBody(fresh()))
		}},
		{name: "**dry run** of a saved tool", one: func(ctx context.Context) error { return try(ctx, map[string]any{"args": args}) }},
		{
			name: "**dry run** of a new source",
			one:  func(ctx context.Context) error { return try(ctx, map[string]any{"args": args, "source": fresh()}) },
		},
	}
	for range 3 {
		for _, line := range lines {
			if err := line.measure(ctx, o.budget/4); err != nil {
				return err
			}
		}
	}
	fmt.Print("\n## What an author waits for\n\n| what | min / p50 / p95 ms | calls/s with 1 / 2 / 4 clients |\n|---|--:|--:|\n")
	for _, line := range lines {
		one := &line.by[0]
		fmt.Printf(
			"| %s | %s / %s / %s | %s / %s / %s |\n",
			line.name,
			number(one.quantile(0)),
			number(one.quantile(.5)),
			number(one.quantile(.95)),
			number(one.rate),
			number(line.by[1].rate),
			number(line.by[2].rate),
		)
	}
	put, dry := lines[2].by[0].quantile(.5), lines[3].by[0].quantile(.5)
	g.add("PUT of a 5 kB tool, p50", put, "ms", put <= 10, "at most 10 ms")
	g.add("dry run, p50 end to end", dry, "ms", dry <= 20, "at most 20 ms")
	return nil
}

// inNodeCompilers measures esbuild and the TypeScript compiler in a Node process that is kept warm.
func inNodeCompilers(ctx context.Context) error {
	fmt.Print("\n## The same source in Node\n\n")
	sources := make([]string, 200)
	for i := range sources {
		sources[i] = toolSource(1_000_000 + i)
	}
	declarations := map[string]string{}
	for _, f := range sdk.CustomTool.Files() {
		declarations[f.Name] = f.Text
	}
	task, err := json.Marshal(map[string]any{"sources": sources, "declarations": declarations})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join("test", "bench", "compilers", "run.mjs"))
	cmd.Stdin = bytes.NewReader(append(task, '\n'))
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Println("Node is not installed.")
		return nil
	}
	var answer struct {
		Missing  bool
		Found    int
		Measured struct{ Transform, Parse, Check []float64 }
	}
	if err != nil || json.Unmarshal(out, &answer) != nil {
		return fmt.Errorf("node: %w: %s", err, complaint.String())
	}
	if answer.Missing {
		fmt.Println("esbuild and typescript are not installed: `make peers`.")
		return nil
	}
	fmt.Printf("%d diagnostics in %d sources.\n\n| what | min / p50 / p95 ms |\n|---|--:|\n", answer.Found, len(sources))
	for _, row := range []struct {
		name string
		ms   []float64
	}{
		{"esbuild transform", answer.Measured.Transform},
		{"esbuild, and a parse by TypeScript 5.9", answer.Measured.Parse},
		{"esbuild, and a check of types by TypeScript 5.9, warm", answer.Measured.Check},
	} {
		r := runs{ms: row.ms}
		fmt.Printf("| %s | %s / %s / %s |\n", row.name, number(r.quantile(0)), number(r.quantile(.5)), number(r.quantile(.95)))
	}
	return nil
}

// hostileSources keep a compiler busy until it gives up.
func hostileSources(n int) []string {
	const tail = "\nexport default { actions: { default: () => 1 } };\n"
	bomb := fmt.Sprintf(
		"type A%[1]d<T extends 0[] = []> = T[\"length\"] extends 900 ? T : A%[1]d<[...T, 0]>;\ntype B = [A%[1]d, "+
			"A%[1]d<[0]>, A%[1]d<[0, 0]>];\nconst b: B[0][\"length\"] = 900;",
		n,
	)
	union := fmt.Sprintf(
		"// %d\ntype D = \"0\" | \"1\" | \"2\" | \"3\" | \"4\" | \"5\" | \"6\" | \"7\" | \"8\" | \"9\";\ntype E = "+
			"`${D}${D}${D}${D}`;\ntype F = { [K in E]: K };\nconst f = {} as F; const g: F = { ...f };",
		n,
	)
	var declarations strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&declarations, "const d%d_%d = (x: number) => x + %d;\n", n, i, i)
	}
	return []string{
		// The first typeBombCount are type bombs.
		bomb + tail, union + tail,
		fmt.Sprintf("// %d\nconst a = ", n) + strings.Repeat("(x: any) => ", 5_000) + "1;" + tail,
		declarations.String() + tail,
		fmt.Sprintf("// %d\nconst s = \"", n) + strings.Repeat("a", 480_000) + "\";" + tail,
	}
}

// hostilePuts compares the latency of an author's PUT with and without another author's hostile sources.
func hostilePuts(ctx context.Context, s *stack, drafts []string, o options, g *goals) error {
	const others, impatient = 4, 6
	var sources atomic.Int64
	sources.Store(2_000_000)
	measureOthers := func(ctx context.Context) (runs, error) {
		var turn atomic.Int64
		return repeat(ctx, others, 2*o.budget, func(ctx context.Context) error {
			i := 1 + int(turn.Add(1))%(len(drafts)-1)
			return s.mustPut(ctx, s.writers[i], drafts[i]+"/tools/bench", toolBody(toolSource(int(sources.Add(1)))))
		})
	}
	quiet, err := measureOthers(ctx)
	if err != nil {
		return err
	}
	var ended sync.Map
	var sent, worst atomic.Int64
	hostileCtx, stop := context.WithCancel(ctx)
	var hostile sync.WaitGroup
	// One connection: sources of one author are compiled one after the other, so a second one would only wait.
	hostile.Go(func() {
		for n := 0; hostileCtx.Err() == nil; n++ {
			for _, source := range hostileSources(n) {
				begun := time.Now()
				status, err := s.put(hostileCtx, s.writers[0], drafts[0]+"/tools/hostile", toolBody(source))
				if err != nil {
					return
				}
				sent.Add(1)
				worst.Store(max(worst.Load(), time.Since(begun).Milliseconds()))
				count, _ := ended.LoadOrStore(status, new(atomic.Int64))
				count.(*atomic.Int64).Add(1)
			}
		}
	})
	// The author cancels further requests, but the compiler continues.
	var givenUp atomic.Int64
	for n := range impatient {
		hostile.Go(func() {
			for ; hostileCtx.Err() == nil; n += impatient {
				for _, source := range hostileSources(3_000_000 + n) {
					short, cancel := context.WithTimeout(hostileCtx, 200*time.Millisecond)
					if _, err := s.put(short, s.writers[0], drafts[0]+"/tools/given-up", toolBody(source)); err != nil {
						givenUp.Add(1)
					}
					cancel()
				}
			}
		})
	}
	meanwhile, err := measureOthers(ctx)
	stop()
	hostile.Wait()
	if err != nil {
		return err
	}
	fmt.Printf("\n## PUTs of others beside hostile ones\n\n%d clients put tools of 5 kB while one author sends %d "+
		"hostile sources (type bombs, nested arrows, 480 kB, 10,000 declarations), one after the other, and gives "+
		"up %d more.\n\n", others, sent.Load(), givenUp.Load())
	fmt.Println("| | p50 / p95 / p99 ms | calls/s |\n|---|--:|--:|")
	for _, row := range []struct {
		name string
		r    *runs
	}{{"in quiet", &quiet}, {"meanwhile", &meanwhile}} {
		fmt.Printf(
			"| %s | %s / %s / %s | %s |\n",
			row.name,
			number(row.r.quantile(.5)),
			number(row.r.quantile(.95)),
			number(row.r.quantile(.99)),
			number(row.r.rate),
		)
	}
	fmt.Printf("\nThe slowest hostile PUT was answered after %d ms. Statuses:", worst.Load())
	ended.Range(func(status, count any) bool {
		fmt.Printf(" %v: %d", status, count.(*atomic.Int64).Load())
		return true
	})
	fmt.Println()
	times := meanwhile.quantile(.95) / quiet.quantile(.95)
	g.add("others' PUT p95 beside hostile ones", times, "times that in quiet", times < 2, "less than 2 times")
	g.add("slowest hostile PUT", float64(worst.Load()), "ms", worst.Load() <= 5_000, "at most 5,000 ms")
	return nil
}
