package automation

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type accountsOutput struct {
	Accounts []account `json:"accounts"`
}

type account struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Bindable bool      `json:"bindable" jsonschema:"description=Whether the person may let an automation act as it: they hold all its rights."`
	Rules    []string  `json:"rules"`
}

func (m *Module) listServiceAccountsTool() tool.Tool {
	s := m.service
	d := kit.Define(texts, "automation.listServiceAccounts", tool.Read, Manage)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, _ struct{}) (accountsOutput, error) {
		all, err := s.Applications.All(ctx)
		if err != nil {
			return accountsOutput{}, err
		}
		out := accountsOutput{Accounts: []account{}}
		for _, a := range all[:min(len(all), 50)] {
			_, active, rules, err := s.Applications.Application(ctx, a.ID)
			if err != nil || !active {
				continue
			}
			err = s.Applications.Holds(ctx, c.Principal, a.ID, "let an automation act as it")
			if err != nil && !problem.Is(err, problem.Forbidden) {
				return out, err
			}
			out.Accounts = append(out.Accounts, account{a.ID, a.Name, err == nil, rules})
		}
		return out, nil
	})
}
