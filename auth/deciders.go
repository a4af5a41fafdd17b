package auth

import (
	"context"
	"fmt"
	"strings"

	"countersign/internal/problem"
)

// leastDeciders is the number of people for a decision that needs a second person.
const leastDeciders = 2

// BindDeciders sets the source of the rules that both people of each two-person decision must hold. It is called before
// the directory serves.
func (d *Directory) BindDeciders(needs func(ctx context.Context) ([][]string, error)) {
	d.deciders = needs
}

// keepDeciders makes a change, in the transaction of ctx, and refuses it if fewer than two people remain for a decision
// that had two: otherwise an administrator could disable the others and decide alone. Such changes are serialised by
// the row that LockAdministrators locks.
func (d *Directory) keepDeciders(ctx context.Context, change func() error) error {
	if d.deciders == nil {
		return change()
	}
	needed, err := d.deciders(ctx)
	if err != nil {
		return fmt.Errorf("find what takes two people: %w", err)
	}
	before, err := d.countDeciders(ctx, needed)
	if err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	after, err := d.countDeciders(ctx, needed)
	if err != nil {
		return err
	}
	for i, rules := range needed {
		if before[i] >= leastDeciders && after[i] < leastDeciders {
			return problem.Errorf(problem.Conflict,
				"A policy asks for a second person, and this leaves fewer than two people who hold %s. "+
					"Give it to another person first, or remove the second person from the policies of tools.",
				strings.Join(rules, " and "))
		}
	}
	return nil
}

func (d *Directory) countDeciders(ctx context.Context, needed [][]string) ([]int, error) {
	counts := make([]int, len(needed))
	for i, rules := range needed {
		var err error
		if counts[i], err = d.Holders(ctx, rules, leastDeciders); err != nil {
			return nil, err
		}
	}
	return counts, nil
}
