package app

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"countersign/app/config"
	"countersign/audit"
	"countersign/internal/secret"
	"countersign/modules/connection"
	"countersign/modules/modelcheck"
	"countersign/modules/modelcheck/suite"
)

// modelCheckOptions are the options of the command.
type modelCheckOptions struct {
	connection string
	modelcheck.NewCheck
	// minPass is nil without a gate.
	minPass *float64
	json    bool
}

func parseModelCheck(args []string, stderr io.Writer) (modelCheckOptions, error) {
	var o modelCheckOptions
	var kinds string
	var input, output, minPass float64
	flags := flag.NewFlagSet("countersign model-check", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Model, "model", "", "the `model`; the connection's default when left out")
	flags.StringVar(&kinds, "kind", "", "the `kinds` of situations, parted by commas: "+strings.Join(suite.KindNames(), ", "))
	flags.IntVar(&o.Repeats, "runs", 1, "how `often` each situation is played, 1 to 5")
	flags.IntVar(&o.Parallel, "parallel", 0, "how `many` are played side by side, 1 to 16")
	flags.Float64Var(&minPass, "min-pass", 0, "exit with 1 below this `share` of passed situations, 0 to 1, and when too few were judged")
	flags.Float64Var(&input, "input-price", -1, "`price` of a million tokens of input")
	flags.Float64Var(&output, "output-price", -1, "`price` of a million tokens of output")
	flags.BoolVar(&o.json, "json", false, "print the whole report as JSON")
	// The connection may stand before or between the flags.
	for rest := args; len(rest) > 0; {
		if err := flags.Parse(rest); err != nil {
			return o, err
		}
		flags.Visit(func(f *flag.Flag) {
			if f.Name == "min-pass" {
				o.minPass = &minPass
			}
		})
		if rest = flags.Args(); len(rest) > 0 {
			if o.connection != "" {
				return o, fmt.Errorf("%q is one argument too many; the command is: countersign model-check <connection> [flags]", rest[0])
			}
			o.connection, rest = rest[0], rest[1:]
		}
	}
	if kinds != "" {
		o.Kinds = strings.Split(kinds, ",")
	}
	for _, kind := range o.Kinds {
		if !slices.Contains(suite.KindNames(), kind) {
			return o, fmt.Errorf("there are no situations of the kind %q; the kinds are %s", kind, strings.Join(suite.KindNames(), ", "))
		}
	}
	if input >= 0 {
		o.InputPrice = &input
	}
	if output >= 0 {
		o.OutputPrice = &output
	}
	const mostRuns, mostParallel = 5, 16
	switch {
	case o.connection == "":
		return o, errors.New("name the connection: countersign model-check <connection> [flags]")
	case o.Repeats < 1 || o.Repeats > mostRuns, o.Parallel < 0 || o.Parallel > mostParallel, minPass < 0 || minPass > 1:
		return o, errors.New("--runs is 1 to 5, --parallel 1 to 16, --min-pass 0 to 1")
	}
	return o, nil
}

// modelCheckCommand checks a model, with a token in a running product. Without one the check runs in this process, which
// needs the database, the keyset and the provider, but no running product. Its results appear beside the checks of the web
// app either way.
func modelCheckCommand(ctx context.Context, p Process) error {
	o, err := parseModelCheck(p.Args[1:], p.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	product, err := newRemote(p.Environ)
	if err != nil {
		return err
	}
	if product != nil {
		return product.checkModel(ctx, o, p)
	}
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	keys, db, err := openInstallation(ctx, c, 4)
	if err != nil {
		return err
	}
	a := &App{
		config:  c,
		db:      db,
		log:     slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		started: make(chan struct{}),
	}
	a.background, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer a.close()
	return a.checkModel(ctx, keys, o, p)
}

func (a *App) checkModel(ctx context.Context, keys *secret.Keyset, o modelCheckOptions, p Process) error {
	parts := &parts{keys: keys}
	if err := a.wire(ctx, parts); err != nil {
		return err
	}
	connections, err := parts.connections.List(ctx)
	if err != nil {
		return err
	}
	if o.ConnectionID, err = connectionNamed(o.connection, connections); err != nil {
		return err
	}
	// The command has no signed-in user, so its name is the origin in the audit log.
	check, err := parts.checks.Begin(audit.Arriving(ctx, "command-model-check", audit.BySystem), o.NewCheck)
	if err != nil {
		return err
	}
	if err := playAll(ctx, parts.checks, check, p.Stderr); err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return errors.Join(err, parts.checks.Abort(stop, check.ID))
	}
	report, err := parts.checks.Report(ctx, check.ID)
	if err != nil {
		return err
	}
	return o.conclude(p, report)
}

// connectionNamed finds a connection by its id or name.
func connectionNamed(named string, among []connection.Connection) (uuid.UUID, error) {
	i := slices.IndexFunc(among, func(c connection.Connection) bool { return c.ID.String() == named || c.Name == named })
	if i < 0 {
		return uuid.Nil, fmt.Errorf("there is no connection %q", named)
	}
	return among[i].ID, nil
}

// conclude prints a report. The error says why it is no green light: a report that judges nothing never is.
func (o modelCheckOptions) conclude(p Process, r modelcheck.Report) error {
	if err := printReport(p.Stdout, r, o.json); err != nil {
		return err
	}
	if o.minPass != nil {
		if issues := r.Gate(*o.minPass); len(issues) > 0 {
			return errors.New(strings.Join(issues, "\n"))
		}
		return nil
	}
	if why := r.Unplayable(); why != "" {
		return errors.New(why)
	}
	return nil
}

// progress is the line that tells how far a check is.
func progress(w io.Writer, played, total int) {
	_, _ = fmt.Fprintf(w, "\r%d of %d situations", played, total)
}

// playAll runs a check in this process, some situations in parallel.
func playAll(ctx context.Context, checks *modelcheck.Module, check modelcheck.Check, w io.Writer) error {
	numbers := make(chan int)
	var players sync.WaitGroup
	var mu sync.Mutex
	var failed error
	played := 0
	for range min(check.Parallel, check.Total) {
		players.Go(func() {
			for n := range numbers {
				_, err := checks.Play(ctx, check.ID, n, 1)
				mu.Lock()
				failed = errors.Join(failed, err)
				played++
				progress(w, played, check.Total)
				mu.Unlock()
			}
		})
	}
	for n := range check.Total {
		if ctx.Err() != nil {
			break
		}
		numbers <- n
	}
	close(numbers)
	players.Wait()
	_, _ = fmt.Fprintln(w)
	if err := errors.Join(failed, context.Cause(ctx)); err != nil {
		return err
	}
	return checks.Finish(ctx, check.ID)
}

func printReport(w io.Writer, r modelcheck.Report, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(table, "%s, %s\n\nkind\tpassed\tfailed\terrors\tof\ttokens\tseconds\n", r.ConnectionName, r.Model)
	for _, k := range r.Kinds {
		_, _ = fmt.Fprintf(
			table,
			"%s\t%d\t%d\t%d\t%d\t%d\t%.1f\n",
			k.Kind,
			k.Passed,
			k.Failed,
			k.Errors,
			k.Played,
			k.InputTokens+k.OutputTokens,
			float64(k.TookMs)/1000,
		)
	}
	seconds := 0.0
	if r.EndedAt != nil {
		seconds = r.EndedAt.Sub(r.CreatedAt).Seconds()
	}
	_, _ = fmt.Fprintf(
		table,
		"all\t%d\t%d\t%d\t%d\t%d\t%.1f\n\n",
		r.Passed,
		r.Failed,
		r.Errors,
		r.Played,
		r.InputTokens+r.OutputTokens,
		seconds,
	)
	if err := table.Flush(); err != nil {
		return err
	}
	for _, o := range r.Outcomes {
		if o.Verdict == suite.Failed || o.Verdict == suite.Failing {
			_, _ = fmt.Fprintf(w, "%s: %s / %s: %s\n", o.Verdict, o.Kind, o.Situation, o.About)
			for _, reason := range o.Reasons {
				_, _ = fmt.Fprintf(w, "  %s\n", reason)
			}
		}
	}
	if n := r.CallsInText(); n > 0 {
		_, _ = fmt.Fprintf(w, "Tool calls came as text in %d situations. %s\n", n, suite.CallsInText)
	}
	if r.Cost != nil {
		_, _ = fmt.Fprintf(w, "Cost by the given prices: %.4f\n", *r.Cost)
	}
	_, err := fmt.Fprintf(w, "Passed: %.0f %% of %d judged situations.\n", 100*r.Rate(), r.Passed+r.Failed)
	return err
}
