package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"countersign/app/config"
	"countersign/audit"
	"countersign/internal/store"
)

const auditHelp = `the commands are:
  countersign audit verify [--whole | --since seq:hash | --expect-head seq:hash]
  countersign audit remove --before DATE`

// auditCommand is countersign audit, for operators with a shell, the keyset and the database.
func auditCommand(ctx context.Context, p Process) error {
	if len(p.Args) < 2 {
		return errors.New(auditHelp)
	}
	switch p.Args[1] {
	case "verify":
		return auditVerifyCommand(ctx, p)
	case "remove":
		return auditRemoveCommand(ctx, p)
	}
	return errors.New(auditHelp)
}

// options parses the options of a command without arguments.
func options(p Process, declare func(*flag.FlagSet)) error {
	f := flag.NewFlagSet("audit", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	declare(f)
	if err := f.Parse(p.Args[2:]); err != nil || f.NArg() > 0 {
		return errors.Join(err, errors.New(auditHelp))
	}
	return nil
}

func auditVerifyCommand(ctx context.Context, p Process) error {
	var whole bool
	var since, expect audit.Head
	heads := func(to *audit.Head) func(string) error {
		return func(text string) (err error) {
			*to, err = audit.ParseHead(text)
			return err
		}
	}
	err := options(p, func(f *flag.FlagSet) {
		f.BoolVar(&whole, "whole", false, "")
		f.Func("since", "", heads(&since))
		f.Func("expect-head", "", heads(&expect))
	})
	if err != nil {
		return err
	}
	chosen := 0
	for _, is := range []bool{whole, since.Seq > 0, expect.Seq > 0} {
		if is {
			chosen++
		}
	}
	if chosen > 1 {
		return errors.New(auditHelp)
	}
	chain, done, err := openChain(ctx, p)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case since.Seq > 0:
		report, err := chain.VerifySince(ctx, since)
		return printVerification(p, report, err, since.Seq)
	case whole || expect.Seq > 0:
		report, err := chain.Verify(ctx, expect)
		return printVerification(p, report, err, 0)
	}
	report, err := chain.VerifyRecent(ctx)
	return printVerification(p, report, err, 0)
}

// printVerification prints the result of a verification and its basis.
func printVerification(p Process, report audit.Report, err error, since int64) error {
	if err != nil {
		return err
	}
	if report.Break != nil {
		_, _ = fmt.Fprintf(p.Stdout, "sound entries: %d\n", report.Head.Seq)
		return fmt.Errorf("the audit log is broken %s", report.Break)
	}
	if report.Begin > 0 {
		_, _ = fmt.Fprintf(p.Stdout, "removed: those up to %d\n", report.Begin)
	}
	if report.Head.Seq == 0 {
		_, err = fmt.Fprintln(p.Stdout, "entries: 0")
		return err
	}
	if report.Relied != nil {
		since = report.Relied.Seq
		_, _ = fmt.Fprintf(p.Stdout, "relied on: %s; --whole reads what lies before it too\n", report.Relied)
	}
	if since > 0 {
		_, _ = fmt.Fprintf(p.Stdout, "read: %d, those after %d\n", report.Head.Seq-since, since)
	}
	_, err = fmt.Fprintf(p.Stdout, "entries: %d\nhead: %s\n", report.Head.Seq, report.Head)
	return err
}

// auditRemoveCommand removes old entries up to the last checkpoint before a date.
func auditRemoveCommand(ctx context.Context, p Process) error {
	var before time.Time
	err := options(p, func(f *flag.FlagSet) {
		f.Func("before", "", func(text string) (err error) {
			if before, err = time.Parse(time.DateOnly, text); err != nil {
				before, err = time.Parse(time.RFC3339, text)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if before.IsZero() {
		return errors.New(auditHelp)
	}
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	chain, done, err := openChain(ctx, p)
	if err != nil {
		return err
	}
	defer done()
	to, err := chain.RemovableBefore(ctx, before)
	if err != nil {
		return err
	}
	return removeUpTo(ctx, p, chain, audit.Removal{To: to, MinAge: c.ToolBudgetWindow})
}

func removeUpTo(ctx context.Context, p Process, chain *audit.Chain, r audit.Removal) error {
	r.Waits = func() {
		_, _ = fmt.Fprintln(p.Stderr, "waiting for the verification in the background to end, which takes a minute")
	}
	r.Progress = func(done audit.Progress) {
		_, _ = fmt.Fprintf(p.Stderr, "removed those up to %d of %d\n", done.Begin.Seq, r.To.Seq)
	}
	done, err := chain.Remove(ctx, r)
	if store.PermissionDenied(err) {
		return fmt.Errorf("the login of DATABASE_URL may not remove audit entries; use that of the owner of the tables: %w", err)
	}
	if err != nil {
		return fmt.Errorf("%w (repeat the command to go on)", err)
	}
	_, err = fmt.Fprintf(
		p.Stdout,
		"removed: %d entries, %d calls, %d names and addresses\nstayed: %d entries that are still needed\nbegin: %s\n",
		done.Entries,
		done.Calls,
		done.People,
		done.Kept,
		done.Begin,
	)
	return err
}

// openChain opens the audit log of the installation; the caller closes it.
func openChain(ctx context.Context, p Process) (*audit.Chain, func(), error) {
	c, err := config.Load(p.Environ)
	if err != nil {
		return nil, nil, err
	}
	keys, db, err := openInstallation(ctx, c, 2)
	if err != nil {
		return nil, nil, err
	}
	return audit.NewChain(db, keys.Derive(chainKey)), db.Close, nil
}
