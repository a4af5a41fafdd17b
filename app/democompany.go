package app

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/google/uuid"

	"countersign/app/demo"
	"countersign/audit"
	"countersign/auth"
	"countersign/check/history"
	"countersign/internal/principal"
	"countersign/modules/notification"
	"countersign/modules/notification/channel"
	"countersign/tool"
)

// Author and operation of the demo company's records in the audit log.
const (
	demoCompanyName = "Demo company"
	demoCompanyWay  = "demo-company"
)

// buildDemoCompany starts the company's servers and creates its records and history, if configured.
func (a *App) buildDemoCompany(ctx context.Context, p *parts) error {
	if a.config.DemoCompany == "" || !a.roles.API {
		return nil
	}
	var err error
	if a.company, err = (&net.ListenConfig{}).Listen(ctx, "tcp", a.config.DemoCompany); err != nil {
		return fmt.Errorf("COUNTERSIGN_DEMO_COMPANY: %w", err)
	}
	now, err := a.db.Now(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	if err := a.asDemoCompany(ctx, p, func(ctx context.Context, client *tool.Client) error {
		return demo.Records(ctx, client, a.company.Addr().String(), now, func(ctx context.Context, r demo.Room) error {
			return p.notifications.Provide(principal.NewContext(ctx, demoActor()), notification.NewChannel{
				OwnerKind: "team", OwnerID: &r.Team, Kind: channel.Webhook, Name: r.Name, URL: r.URL,
			})
		})
	}); err != nil {
		return err
	}
	if err := demo.Disown(ctx, a.db, demoCompanyWay); err != nil {
		return err
	}
	if err := demo.Told(ctx, a.db); err != nil {
		return err
	}
	return demo.Past(ctx, a.db, history.NewKeeper(a.db, a.log, history.KeeperOptions{}))
}

// demoActor makes what only people can make through the API, and the application that makes the rest.
func demoActor() principal.Principal {
	return principal.Principal{Kind: principal.Service, Name: demoCompanyName, Rules: []string{principal.Admin}}
}

// asDemoCompany runs do with the rights of a temporary application: all records are created through the API, with
// entries in the audit log.
func (a *App) asDemoCompany(ctx context.Context, p *parts, do func(ctx context.Context, client *tool.Client) error) (err error) {
	ctx = audit.Arriving(ctx, demoCompanyWay, audit.BySystem)
	actor := demoActor()
	// A killed process may have left its application behind.
	left, err := p.auth.Directory.Applications(ctx)
	if err != nil {
		return err
	}
	for _, application := range left {
		if application.Name == demoCompanyName {
			if err := p.auth.Directory.DeleteApplication(ctx, actor, application.ID, nil); err != nil {
				return err
			}
		}
	}
	application, token, err := p.auth.Directory.CreateApplication(
		ctx,
		actor,
		auth.NewApplication{Name: demoCompanyName, RoleIDs: []uuid.UUID{auth.AdminRole}},
	)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, p.auth.Directory.DeleteApplication(context.WithoutCancel(ctx), actor, application.ID, nil))
	}()
	return do(ctx, &tool.Client{Router: p.router, Credential: token})
}

func (a *App) serveDemoCompany() {
	if err := demo.Serve(a.background, a.company); err != nil {
		a.log.Error("Demo company not served", "error", err)
	}
}
