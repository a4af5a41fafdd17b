package demo

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

func (b *builder) environments(ctx context.Context) error {
	host, port, err := net.SplitHostPort(b.address)
	if err != nil {
		return err
	}
	for _, name := range []string{production, staging} {
		if _, _, err := b.record(ctx, environmentsPath, name, map[string]any{"fields": map[string]any{
			"baseUrl": "http://" + b.address + "/" + strings.ToLower(name), "host": host, "port": port,
		}}); err != nil {
			return err
		}
	}
	for _, s := range systems() {
		ids := []uuid.UUID{}
		for _, name := range s.environments {
			ids = append(ids, b.ids[environmentsPath+" "+name])
		}
		path := systemsPath + "/" + b.ids[systemsPath+" "+s.name].String() + "/environments"
		if _, err := b.Do(ctx, http.MethodPut, path, map[string]any{"environmentIds": ids}, nil); err != nil {
			return err
		}
	}
	return nil
}

// demoCheck is a check of some of the systems.
type demoCheck struct {
	name, description string
	seconds           int
	strategy          string
	config            map[string]any
	collector         string
	collects          map[string]any
	assertions        []map[string]any
	// systems it is assigned to, all when there are none.
	systems []string
}

const (
	healthCheck = "Service health"
	pageCheck   = "Page"
	portCheck   = "Port"
)

// slowAfter is the response time in milliseconds above which the service health fails.
const slowAfter = 1500

// demoChecks returns the checks of a company whose servers listen on a port.
func demoChecks(port int) []demoCheck {
	return []demoCheck{
		{
			name: healthCheck, description: "Asks each service how it is.", seconds: 60, strategy: "healthcheck-http.http",
			config: map[string]any{"timeout": 10_000}, collector: "healthcheck-http.request",
			collects: map[string]any{"url": "{{ environment.baseUrl }}{{ system.metadata.path }}/health"},
			assertions: []map[string]any{
				{"field": "statusCode", "operator": "equals", "value": 200},
				{"field": "body", "jsonPath": "$.status", "operator": "notEquals", "value": "failed"},
				{"field": "responseTimeMs", "operator": "lessThan", "value": slowAfter},
			},
		},
		{
			name: pageCheck, description: "Loads what people see.", seconds: 300, strategy: "healthcheck-http.http",
			config: map[string]any{"timeout": 10_000}, collector: "healthcheck-http.request",
			collects: map[string]any{"url": "{{ environment.baseUrl }}{{ system.metadata.path }}"},
			assertions: []map[string]any{
				{"field": "statusCode", "operator": "lessThan", "value": 400},
				{"field": "title", "operator": "matches", "value": "^[a-z]+$"},
			},
			systems: []string{"Storefront", "Checkout", "Search", "Customer Accounts", "Staff Wiki"},
		},
		{
			name: portCheck, description: "Whether anything listens at all.", seconds: 60, strategy: "healthcheck-tcp.tcp",
			config: map[string]any{"host": "{{ environment.host }}", "port": port, "timeout": 5000}, collector: "healthcheck-tcp.connection",
			collects: map[string]any{}, systems: []string{"Payments", "Inventory", "Mail Relay"},
		},
	}
}

func (b *builder) checks(ctx context.Context) error {
	_, text, err := net.SplitHostPort(b.address)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	for _, c := range demoChecks(port) {
		collector := map[string]any{"collectorId": c.collector, "config": c.collects, "assertions": c.assertions}
		if c.assertions == nil {
			delete(collector, "assertions")
		}
		id, made, err := b.record(ctx, checksPath, c.name, map[string]any{
			"description": c.description, "strategyId": c.strategy, "config": c.config, "intervalSeconds": c.seconds, "collectors": []any{collector},
		})
		if err != nil {
			return err
		}
		if !made {
			continue
		}
		for _, s := range systems() {
			if !c.covers(s.name) {
				continue
			}
			path := checksPath + "/" + id.String() + "/systems/" + b.ids[systemsPath+" "+s.name].String()
			if _, err := b.Do(ctx, http.MethodPut, path, map[string]any{}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c demoCheck) covers(system string) bool {
	return len(c.systems) == 0 || slices.Contains(c.systems, system)
}
