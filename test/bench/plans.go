package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"countersign/internal/store"
	"countersign/test/plans"
)

// queryPlans fills a database with the requested number of tool calls and prints the plans of frequent queries.
func queryPlans(ctx context.Context, o options) error {
	s := &stack{admin: os.Getenv("COUNTERSIGN_TEST_DATABASE_URL")}
	if s.admin == "" {
		return errors.New("no test stack: run it with bin/devstack exec --volatile -- go run ./test/bench -only plans")
	}
	if err := s.createDatabase(ctx); err != nil {
		return err
	}
	defer s.stop()
	db, err := store.Open(ctx, s.database, store.Options{MaxConns: 4})
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		return err
	}
	begun := time.Now()
	if err := plans.Fill(ctx, db, o.rows); err != nil {
		return err
	}
	fmt.Printf(
		"# Plans of queries, %s\n\n%d tool calls, filled in %s.\n\n",
		time.Now().Format(time.DateOnly),
		o.rows,
		time.Since(begun).Round(time.Second),
	)
	found, err := plans.Explain(ctx, db, o.rows)
	if err != nil {
		return err
	}
	fmt.Println("| query | pages | ms | indexes |\n|---|--:|--:|---|")
	var wrong error
	for _, f := range found {
		slices.Sort(f.Indexes)
		fmt.Printf("| %s | %d | %.2f | %s |\n", f.Name, f.Blocks, f.Milliseconds, strings.Join(f.Indexes, ", "))
		wrong = errors.Join(wrong, f.Err())
	}
	return wrong
}
