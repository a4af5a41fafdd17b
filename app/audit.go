package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"countersign/app/config"
	"countersign/secret"
	"countersign/store"
	"countersign/tool/audit"
)

// chainKey names the key of the audit chain. Another name would be another key.
const chainKey = "audit chain"

// assumeRole gives up the rights that only migrations need.
func (a *App) assumeRole(ctx context.Context) error {
	if a.config.DatabaseRole == "" {
		return nil
	}
	refusal, err := a.db.AssumeRole(ctx, a.config.DatabaseRole)
	if err != nil {
		return err
	}
	if refusal != "" {
		a.log.Warn("The database role is not used; this process could change the audit log", "role", a.config.DatabaseRole, "because", refusal)
	}
	return nil
}

// newToolCalls is the counter of tool calls.
func newToolCalls() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "countersign", Name: "tool_calls_total",
		Help: "Tool calls that have ended, and decisions about proposed ones. Each is counted by one worker of the installation.",
	}, []string{"transport", "effect", "status"})
}

// callCounter counts tool calls for /metrics.
type callCounter struct{ calls *prometheus.CounterVec }

// Name implements audit.Subscriber.
func (callCounter) Name() string { return "metrics" }

// Handle implements audit.Subscriber.
func (c callCounter) Handle(_ context.Context, events []audit.ToolCalled) error {
	for _, e := range events {
		c.calls.WithLabelValues(e.Transport, e.Effect, e.Status).Add(float64(e.Count))
	}
	return nil
}

// auditCommand is countersign audit verify [--since seq:hash | --expect-head seq:hash].
func auditCommand(ctx context.Context, p Process) error {
	const help = "the command is: countersign audit verify [--since seq:hash | --expect-head seq:hash]"
	var since, expect audit.Head
	switch args := p.Args[1:]; {
	case len(args) == 1 && args[0] == "verify":
	case len(args) == 3 && args[0] == "verify" && (args[1] == "--expect-head" || args[1] == "--since"):
		head, err := audit.ParseHead(args[2])
		if err != nil {
			return fmt.Errorf("%s: %w", args[1], err)
		}
		if args[1] == "--since" {
			since = head
		} else {
			expect = head
		}
	default:
		return errors.New(help)
	}
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	keys, db, err := openInstallation(ctx, c, 2)
	if err != nil {
		return err
	}
	defer db.Close()
	return verifyAudit(ctx, p, audit.NewChain(db, keys.Derive(chainKey)), since, expect)
}

func verifyAudit(ctx context.Context, p Process, chain *audit.Chain, since, expect audit.Head) error {
	var report audit.Report
	var err error
	if since.Seq > 0 {
		report, err = chain.VerifySince(ctx, since)
	} else {
		report, err = chain.Verify(ctx, expect)
	}
	if err != nil {
		return err
	}
	if report.Break != nil {
		_, _ = fmt.Fprintf(p.Stdout, "sound entries: %d\n", report.Head.Seq)
		return fmt.Errorf("the audit log is broken %s", report.Break)
	}
	if report.Head.Seq == 0 {
		_, err = fmt.Fprintln(p.Stdout, "entries: 0")
		return err
	}
	if since.Seq > 0 {
		_, _ = fmt.Fprintf(p.Stdout, "read: %d, those after %d\n", report.Head.Seq-since.Seq, since.Seq)
	}
	_, err = fmt.Fprintf(p.Stdout, "entries: %d\nhead: %s\n", report.Head.Seq, report.Head)
	return err
}

// openInstallation gives a command the keys and the database of the installation; the caller closes the database.
func openInstallation(ctx context.Context, c config.Config, conns int32) (*secret.Keyset, *store.DB, error) {
	keys, err := existingKeyset(c)
	if err != nil {
		return nil, nil, err
	}
	db, err := store.Open(ctx, c.DatabaseURL, store.Options{MaxConns: conns})
	return keys, db, err
}

// existingKeyset reads the keyset and never makes one: a fresh one would find everything broken.
func existingKeyset(c config.Config) (*secret.Keyset, error) {
	if c.Keyset != "" {
		return secret.Parse([]byte(c.Keyset))
	}
	return secret.Load(keysetFile(c))
}
