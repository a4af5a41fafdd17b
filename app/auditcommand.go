package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"countersign/app/config"
	"countersign/audit"
	"countersign/internal/store"
)

const auditHelp = `the commands are:
  countersign audit verify [--whole | --since seq:hash | --expect-head seq:hash]
  countersign audit verify --file FILE [--join]
  countersign audit archive --before DATE --out FILE [--people] [--remove]`

// auditCommand is countersign audit, for operators with a shell, the keyset and the database.
func auditCommand(ctx context.Context, p Process) error {
	if len(p.Args) < 2 {
		return errors.New(auditHelp)
	}
	switch p.Args[1] {
	case "verify":
		return auditVerifyCommand(ctx, p)
	case "archive":
		return auditArchiveCommand(ctx, p)
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
	var whole, join bool
	var since, expect audit.Head
	var file string
	heads := func(to *audit.Head) func(string) error {
		return func(text string) (err error) {
			*to, err = audit.ParseHead(text)
			return err
		}
	}
	err := options(p, func(f *flag.FlagSet) {
		f.BoolVar(&whole, "whole", false, "")
		f.BoolVar(&join, "join", false, "")
		f.StringVar(&file, "file", "", "")
		f.Func("since", "", heads(&since))
		f.Func("expect-head", "", heads(&expect))
	})
	if err != nil {
		return err
	}
	chosen := 0
	for _, is := range []bool{whole, since.Seq > 0, expect.Seq > 0, file != ""} {
		if is {
			chosen++
		}
	}
	if chosen > 1 || join && file == "" {
		return errors.New(auditHelp)
	}
	if file != "" && !join {
		return verifyArchive(ctx, p, file)
	}
	chain, done, err := openChain(ctx, p)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case file != "":
		return joinArchive(ctx, p, chain, file)
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
		_, _ = fmt.Fprintf(p.Stdout, "archived and removed: those up to %d\n", report.Begin)
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

// verifyArchive needs the keyset alone and works without the database.
func verifyArchive(_ context.Context, p Process, file string) error {
	environ := p.Environ
	if !slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "DATABASE_URL=") }) {
		environ = append(slices.Clone(environ), "DATABASE_URL=postgres://nobody@localhost/asks")
	}
	c, err := config.Load(environ)
	if err != nil {
		return err
	}
	keys, err := existingKeyset(c)
	if err != nil {
		return err
	}
	a, err := audit.NewChain(nil, keys.Derive(chainKey)).LoadArchive(file)
	if err != nil {
		return err
	}
	return tellArchive(p, a)
}

func joinArchive(ctx context.Context, p Process, chain *audit.Chain, file string) error {
	a, err := chain.LoadArchive(file)
	if err != nil {
		return err
	}
	b, err := chain.Joins(ctx, a)
	if err != nil {
		return err
	}
	if b != nil {
		return fmt.Errorf("the archive does not join the audit log, %s", b)
	}
	if err := tellArchive(p, a); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Stdout, "joins the log: yes")
	return err
}

func tellArchive(p Process, a audit.Archive) error {
	after := "the beginning"
	if a.After.Seq > 0 {
		after = a.After.String()
	}
	_, err := fmt.Fprintf(
		p.Stdout,
		"entries: %d\nafter: %s\nhead: %s\nnewest: %s\nsha256: %x\n",
		a.Entries,
		after,
		a.To.Head,
		a.To.NewestAt.UTC().Format(time.RFC3339),
		a.Sum,
	)
	return err
}

func auditArchiveCommand(ctx context.Context, p Process) error {
	var before time.Time
	var out string
	var people, remove bool
	err := options(p, func(f *flag.FlagSet) {
		f.StringVar(&out, "out", "", "")
		f.BoolVar(&people, "people", false, "")
		f.BoolVar(&remove, "remove", false, "")
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
	if before.IsZero() || out == "" {
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
	a, err := archived(ctx, p, chain, archiveOrder{before: before, out: out, people: people, remove: remove})
	if err != nil || !remove {
		return err
	}
	return removeArchived(ctx, p, chain, audit.Removal{Archive: a, MinAge: c.ToolBudgetWindow})
}

type archiveOrder struct {
	before         time.Time
	out            string
	people, remove bool
}

// archived writes the archive. An existing archive resumes an interrupted removal.
func archived(ctx context.Context, p Process, chain *audit.Chain, o archiveOrder) (audit.Archive, error) {
	if _, err := os.Stat(o.out); err == nil && o.remove {
		a, err := chain.LoadArchive(o.out)
		if err != nil {
			return a, err
		}
		if !a.To.NewestAt.Before(o.before) {
			return a, fmt.Errorf(
				"%s is there already, and holds entries up to %s, not only those before %s; name another file",
				o.out,
				a.To.NewestAt.UTC().Format(time.RFC3339),
				o.before.Format(time.RFC3339),
			)
		}
		if o.people && !a.People {
			return a, fmt.Errorf("%s is there already, without what entries say about people; name another file", o.out)
		}
		_, _ = fmt.Fprintf(p.Stdout, "%s is there already and was verified\n", o.out)
		return a, tellArchive(p, a)
	}
	a, err := chain.ArchivableBefore(ctx, o.before)
	if err != nil {
		return a, err
	}
	a.People = o.people
	if a, err = chain.SaveArchive(ctx, a, o.out); err != nil {
		return a, err
	}
	return a, tellArchive(p, a)
}

func removeArchived(ctx context.Context, p Process, chain *audit.Chain, r audit.Removal) error {
	r.Waits = func() {
		_, _ = fmt.Fprintln(p.Stderr, "waiting for the verification in the background to end, which takes a minute")
	}
	r.Progress = func(done audit.Progress) {
		_, _ = fmt.Fprintf(p.Stderr, "removed those up to %d of %d\n", done.Begin.Seq, r.Archive.To.Seq)
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
