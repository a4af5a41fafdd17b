// Package temporal runs a Temporal server and its Web UI inside this process, on
// a PostgreSQL database that it may share with others.
//
// The server is the one that runs in production, all four services of it, with
// settings for one machine: few shards, no limits that only protect tenants from
// one another, and queue readers that do not wait (see settings.go). Its tables
// live in schemas of their own, so one dump of the database holds the product
// and every workflow. Nothing here is reachable from other machines, as neither
// the server nor the Web UI asks who is calling.
package temporal

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"

	"countersign/dev/stack/port"
)

const (
	// Namespace is the one namespace that the server is set up with.
	Namespace = "default"
	// Version is the version of the server.
	Version = headers.ServerVersion

	host        = "127.0.0.1"
	clusterName = "active"
	clusterID   = "0c9d6a52-4f2b-4f5e-9b39-7d1f6f0f6f5e"

	// historyShards is fixed for the life of a database.
	historyShards = 4
)

// Config says where the server stores its data and where it listens.
type Config struct {
	Database Database
	// Port is the gRPC port on 127.0.0.1; 0 picks a free one.
	Port int
	// SearchAttributes are the keyword search attributes of the namespace. Existing ones stay, even when no longer
	// listed.
	SearchAttributes []string
	// Log is the file that the server's warnings and errors are appended to.
	Log *os.File
}

// Server is a running Temporal server.
type Server struct {
	port   int
	server temporal.Server
	log    *quietableLog
}

// Start brings the schemas up to date and starts the server. It returns once
// workflows with the configured search attributes can be started.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if err := migrate(ctx, cfg.Database); err != nil {
		return nil, err
	}
	if err := createNamespace(cfg.Database, cfg.SearchAttributes); err != nil {
		return nil, err
	}
	internal, err := port.Free(4)
	if err != nil {
		return nil, err
	}
	if cfg.Port == 0 {
		cfg.Port = internal[3]
	}
	log := newLog(cfg.Log)
	server, err := build(cfg, internal, log)
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		log.quiet()
		_ = server.Stop()
		return nil, fmt.Errorf("start Temporal: %w", err)
	}
	started := &Server{port: cfg.Port, server: server, log: log}
	if err := started.prepare(ctx, cfg.SearchAttributes); err != nil {
		started.Stop()
		return nil, err
	}
	return started, nil
}

// Address is the host and port of the gRPC frontend.
func (s *Server) Address() string { return address(s.port) }

// Stop stops all services and waits for them.
func (s *Server) Stop() {
	s.log.quiet()
	_ = s.server.Stop()
}

func address(number int) string { return net.JoinHostPort(host, strconv.Itoa(number)) }

// build puts the four services together; internal are ports for those that only
// talk to one another.
func build(cfg Config, internal []int, log *quietableLog) (temporal.Server, error) {
	ports := map[primitives.ServiceName]int{
		primitives.FrontendService: cfg.Port,
		primitives.HistoryService:  internal[0],
		primitives.MatchingService: internal[1],
		primitives.WorkerService:   internal[2],
	}
	services := make(map[string]config.Service, len(ports))
	hosts := make(map[primitives.ServiceName]static.Hosts, len(ports))
	for name, number := range ports {
		services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: number, BindOnIP: host}}
		hosts[name] = static.SingleLocalHost(address(number))
	}

	conf := &config.Config{
		Persistence: cfg.Database.persistence(),
		Services:    services,
		ClusterMetadata: &cluster.Config{
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			FailoverVersionIncrement: 10,
			ClusterInformation: map[string]cluster.ClusterInformation{clusterName: {
				Enabled:                true,
				InitialFailoverVersion: 1,
				RPCAddress:             address(cfg.Port),
				ClusterID:              clusterID,
			}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: address(cfg.Port)},
	}
	conf.Global.Membership.BroadcastAddress = host
	conf.Global.Membership.MaxJoinDuration = 30 * time.Second
	conf.Archival.History.State, conf.Archival.Visibility.State = "disabled", "disabled"
	conf.NamespaceDefaults.Archival.History.State = "disabled"
	conf.NamespaceDefaults.Archival.Visibility.State = "disabled"

	server, err := temporal.NewServer(
		temporal.WithConfig(conf),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(log),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return authorization.NewNoopClaimMapper()
		}),
		temporal.WithDynamicConfigClient(settings()),
	)
	if err != nil {
		return nil, fmt.Errorf("configure Temporal: %w", err)
	}
	return server, nil
}
