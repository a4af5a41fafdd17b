package stack

import (
	"context"
	"fmt"
	"io"
	"os"

	"countersign/dev/stack/postgres"
	"countersign/dev/stack/temporal"
)

// searchAttributes are the keyword attributes that the product's workflows set.
var searchAttributes = []string{
	"CountersignConnection",
	"CountersignConversation",
	"CountersignModel",
	"CountersignPrincipal",
	"CountersignStatus",
	"CountersignTool",
}

// infrastructure is PostgreSQL, Temporal and its UI.
type infrastructure struct {
	postgres *postgres.Cluster
	temporal *temporal.Server
	ui       *temporal.UI
	logs     []*os.File
}

// start starts everything on the folder, with Temporal's tables in database. After a failure nothing keeps running.
func start(ctx context.Context, where *folder, database string, options Options, progress *progress) (_ *infrastructure, err error) {
	infra := &infrastructure{}
	defer func() {
		if err != nil {
			infra.stop()
		}
	}()

	postgresLog, err := infra.openLog(where, "postgres")
	if err != nil {
		return nil, err
	}
	infra.postgres, err = postgres.Start(ctx, postgres.Config{
		Data:     where.path,
		Port:     options.PostgresPort,
		Volatile: options.Volatile,
		Log:      postgresLog,
		Progress: progress.say,
	})
	if err != nil {
		return nil, err
	}
	progress.say("PostgreSQL %d is up on port %d", infra.postgres.Major, infra.postgres.Port())
	if _, err := infra.postgres.CreateDatabase(ctx, database); err != nil {
		return nil, err
	}

	temporalLog, err := infra.openLog(where, "temporal")
	if err != nil {
		return nil, err
	}
	infra.temporal, err = temporal.Start(ctx, temporal.Config{
		Database: temporal.Database{
			Address:  infra.postgres.Address(),
			Name:     database,
			User:     postgres.Superuser,
			Password: infra.postgres.Password(),
		},
		Port:             options.TemporalPort,
		SearchAttributes: searchAttributes,
		Log:              temporalLog,
	})
	if err != nil {
		return nil, fmt.Errorf("%w (more in %s)", err, where.logPath("temporal"))
	}
	infra.ui, err = temporal.StartUI(ctx, temporal.UIConfig{
		Server: infra.temporal, Port: options.UIPort, Hosts: options.UIHosts, Codec: options.Codec,
	})
	if err != nil {
		return nil, err
	}
	progress.say("Temporal %s is up on %s, its Web UI on %s", temporal.Version, infra.temporal.Address(), infra.ui.URL())
	return infra, nil
}

func (i *infrastructure) openLog(where *folder, name string) (*os.File, error) {
	file, err := where.openLog(name)
	if err == nil {
		i.logs = append(i.logs, file)
	}
	return file, err
}

// stop stops the servers in the reverse order of their start.
func (i *infrastructure) stop() {
	if i.ui != nil {
		i.ui.Stop()
	}
	if i.temporal != nil {
		i.temporal.Stop()
	}
	if i.postgres != nil {
		i.postgres.Stop()
	}
	for _, file := range i.logs {
		_ = file.Close()
	}
}

// progress prints progress messages, one line each.
type progress struct{ out io.Writer }

func (p *progress) say(format string, args ...any) {
	fmt.Fprintf(p.out, "devstack: "+format+"\n", args...)
}
