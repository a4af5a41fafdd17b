// Package app wires the product and runs it. It is the only package that knows all parts: it connects modules to the
// interfaces that others declare, and selects what runs in a process: the API, the workers, or both.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"countersign/app/config"
	"countersign/docsindex"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/script/typescript"
)

// Version of the product; set when it is built.
var Version = "dev"

// Process is the operating system environment of a command. Tests create their own.
type Process struct {
	Args    []string
	Environ []string
	Stdout  io.Writer
	Stderr  io.Writer
	// More are modules beyond the product's own, for commands that ask modules.
	More []any
}

const usage = `Usage: countersign <command>

  all         serve the API and the web app, and run the workers, in one process
  api         serve the API and the web app
  worker      run the workers
  probe       run health checks from the location that COUNTERSIGN_PROBE_LOCATION names, and nothing else
  migrate     bring the database to the schema of this version
  audit       check the audit log: countersign audit verify [--whole | --since seq:hash | --expect-head seq:hash]; remove old
              entries: countersign audit remove --before DATE
  policies    list the tools that ask for a second person: countersign policies list; where nobody is left who could take
              that back: countersign policies release <tool>
  events      list consumers of events and their dead letters: countersign events list; hand one to its consumer once more, or drop
              it: countersign events retry <consumer> <id>, countersign events drop <consumer> <id>
  model-check check a model before you trust it: countersign model-check <connection> [--model M] [--kind K] [--runs N]
              [--parallel N] [--min-pass 0.9] [--input-price P] [--output-price P] [--json]; with COUNTERSIGN_TOKEN in the
              running product at COUNTERSIGN_URL, without it by the database
  secrets     rotate the key that seals secrets: countersign secrets add-key, then rotate
  demo-model  serve the demo model by itself, for tests and load: countersign demo-model [address]
  docs-index  write the documentation index; with --check, report whether it is up to date
  version     print the version

Configuration is read from environment variables: see docs/operations/configuration.md.
`

// Main runs a command and returns the exit status of the process.
func Main(ctx context.Context, p Process) int {
	err := run(ctx, p)
	if err != nil && ctx.Err() == nil {
		_, _ = fmt.Fprintln(p.Stderr, "countersign:", scrub.Text(err.Error()))
		return 1
	}
	return 0
}

func run(ctx context.Context, p Process) error {
	if len(p.Args) == 0 {
		_, _ = io.WriteString(p.Stderr, usage)
		return errors.New("a command is missing")
	}
	if !slices.Contains([]string{"all", "api", "worker", "probe"}, p.Args[0]) {
		// Only the operator at the terminal waits for a command.
		ctx = store.WithStatementTimeout(ctx, 0)
	}
	switch command := p.Args[0]; command {
	case "all":
		return serve(ctx, p, Roles{API: true, Worker: true})
	case "api":
		return serve(ctx, p, Roles{API: true})
	case "worker":
		return serve(ctx, p, Roles{Worker: true})
	case "probe":
		return serve(ctx, p, Roles{Probe: true})
	case "migrate":
		return migrate(ctx, p)
	case "audit":
		return auditCommand(ctx, p)
	case "policies":
		return policiesCommand(ctx, p)
	case "events":
		return eventsCommand(ctx, p)
	case "model-check":
		return modelCheckCommand(ctx, p)
	case "secrets":
		return secretsCommand(ctx, p)
	case "demo-model":
		return serveDemoModel(ctx, p)
	case "docs-index":
		return docsIndex(p)
	case "openapi":
		// For `make generate`. A running server has it at GET /api/openapi.json.
		return openAPI(p)
	case typescript.Command:
		// For package typescript, which starts the binary again.
		return typescript.Serve(os.Stdin, p.Stdout)
	case "version":
		_, err := fmt.Fprintln(p.Stdout, Version)
		return err
	case "help", "-h", "--help":
		_, err := io.WriteString(p.Stdout, usage)
		return err
	default:
		return fmt.Errorf("unknown command %q; `countersign help` lists the commands", command)
	}
}

func serve(ctx context.Context, p Process, roles Roles) error {
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	a, err := New(ctx, c, roles, logger(c, p.Stderr))
	if err != nil {
		return err
	}
	a.Warm()
	return a.Run(ctx)
}

func migrate(ctx context.Context, p Process) error {
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, c.DatabaseURL, store.Options{MaxConns: 4})
	if err != nil {
		return err
	}
	defer db.Close()
	n, err := db.Migrate(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stderr, "applied %d migrations\n", n)
	return err
}

// docsIndex reads docs/ in the source tree and writes the index that the next build embeds.
func docsIndex(p Process) error {
	docs := os.DirFS("docs")
	path := filepath.Join("docsindex", "index.json")
	if len(p.Args) > 1 && p.Args[1] == "--check" {
		committed, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return docsindex.Check(docs, committed)
	}
	data, err := docsindex.Generate(docs)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644) //nolint:gosec // a file of the source tree
}

func logger(c config.Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
