package app

import (
	"context"
	"errors"
	"fmt"

	"countersign/app/config"
	"countersign/internal/store"
	"countersign/modules/policy"
	"countersign/tool"
	"countersign/tool/disposition"
)

// policiesCommand removes a policy that locks every administrator out. It needs the configuration of the installation,
// and writes to the audit log.
func policiesCommand(ctx context.Context, p Process) error {
	args := p.Args[1:]
	if len(args) != 1 && len(args) != 2 || args[0] != "list" && args[0] != "release" || (args[0] == "list") != (len(args) == 1) {
		return errors.New("the command is: countersign policies list, or countersign policies release <tool>")
	}
	c, err := config.Load(p.Environ)
	if err != nil {
		return err
	}
	all, err := Registry()
	if err != nil {
		return err
	}
	// Without user-made tools, which need a wired server and its database.
	tools, err := tool.NewRegistry(all.All()...)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, c.DatabaseURL, store.Options{MaxConns: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	policies := policy.New(db, tools, nil)
	if args[0] == "release" {
		name, err := policies.Release(ctx, args[1])
		if err == nil {
			_, err = fmt.Fprintf(
				p.Stdout,
				"The policy of %s needs no second person any more. Changes that already wait for one still do: decline and repeat them.\n",
				name,
			)
		}
		return err
	}
	exceptions, err := policies.Exceptions(ctx)
	if err != nil {
		return err
	}
	for _, name := range disposition.SecondPersonTools(exceptions) {
		if _, err := fmt.Fprintln(p.Stdout, name); err != nil {
			return err
		}
	}
	return nil
}
