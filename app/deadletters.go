package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"countersign/api"
	"countersign/app/config"
	"countersign/audit"
	"countersign/event"
	"countersign/internal/store"
)

// eventsCommand lists the consumers of events with their dead letters, and retries or drops one of these. It needs the
// configuration of the installation, and writes to the audit log.
func eventsCommand(ctx context.Context, p Process) error {
	wrong := errors.New("the command is: countersign events list, countersign events retry <consumer> <id>, " +
		"or countersign events drop <consumer> <id>")
	args := p.Args[1:]
	if len(args) == 0 || len(args) != map[string]int{"list": 1, "retry": 3, "drop": 3}[args[0]] {
		return wrong
	}
	var id int64
	if len(args) == 3 {
		var err error
		if id, err = strconv.ParseInt(args[2], 10, 64); err != nil {
			return wrong
		}
	}
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, c.DatabaseURL, store.Options{MaxConns: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	letters := &api.Events{DB: db, Operator: event.NewOperator(db)}
	switch args[0] {
	case "retry":
		return letters.Retry(audit.Arriving(ctx, "command-events-retry", audit.BySystem), args[1], id)
	case "drop":
		return letters.Skip(audit.Arriving(ctx, "command-events-drop", audit.BySystem), args[1], id)
	}
	return listConsumers(ctx, letters.Operator, p.Stdout)
}

func listConsumers(ctx context.Context, operator *event.Operator, to io.Writer) error {
	states, err := operator.States(ctx)
	if err != nil {
		return err
	}
	for _, s := range states {
		absent := ""
		if s.Absent {
			absent = ", no process runs it since " + s.RunAt.UTC().Format(time.RFC3339)
		}
		_, err := fmt.Fprintf(to, "%s: depth %d, lag %s, retries %d, dispatches %d, dead letters %d%s\n",
			s.Consumer, s.Depth, s.Lag.Round(time.Millisecond), s.Waiting, s.Dispatches, s.DeadLetters, absent)
		if err != nil {
			return err
		}
	}
	const page = 200
	for after := (event.DeadLetter{}); ; {
		letters, err := operator.DeadLetters(ctx, after, page)
		if err != nil {
			return err
		}
		for _, l := range letters {
			_, err := fmt.Fprintf(to, "dead letter %s %d, %s of %s since %s, %d attempts: %q\n",
				l.Consumer, l.EventID, l.Type, l.Subject, l.DeadSince.UTC().Format(time.RFC3339), l.Attempts, l.Error)
			if err != nil {
				return err
			}
			after = l
		}
		if len(letters) < page {
			return nil
		}
	}
}
