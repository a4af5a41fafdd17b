package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"countersign/automation/action"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/tool"
)

// Document is the OpenAPI document of this version, indented. It needs no servers: the parts are wired, but not called.
func Document() ([]byte, error) {
	var compact []byte
	err := unserved(func(a *App, _ *parts) (err error) {
		compact, err = json.Marshal(a.server.OpenAPI())
		return err
	})
	if err != nil {
		return nil, err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the OpenAPI document: %w", err)
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

// Registry returns the tools of this version, without servers.
func Registry() (*tool.Registry, error) {
	var registry *tool.Registry
	err := unserved(func(_ *App, p *parts) error {
		registry = p.registry
		return nil
	})
	return registry, err
}

// Actions returns what automations of this version can do, without servers.
func Actions() ([]action.Action, error) {
	var actions []action.Action
	err := unserved(func(_ *App, p *parts) error {
		actions = p.list.Actions()
		return nil
	})
	return actions, err
}

// RoutesServed lists the methods and paths of a server, as "POST /api/users", including those outside of the OpenAPI
// document.
func RoutesServed() ([]string, error) {
	var routes []string
	err := unserved(func(a *App, _ *parts) error {
		for _, route := range a.server.Routes() {
			routes = append(routes, route.Method+" "+route.Path)
		}
		return nil
	})
	return routes, err
}

// unserved wires the parts without servers.
func unserved(use func(a *App, p *parts) error) error {
	keys, err := secret.New()
	if err != nil {
		return err
	}
	return wired(&store.DB{}, keys, nil, use)
}

// wired wires the parts for a command, which starts no server and does not reach Temporal. The caller closes the database.
func wired(db *store.DB, keys *secret.Keyset, more []any, use func(a *App, p *parts) error) error {
	a := &App{log: slog.New(slog.DiscardHandler), db: db, more: more, started: make(chan struct{})}
	a.background, a.stop = context.WithCancel(context.Background())
	defer func() {
		a.db = nil
		a.close()
	}()
	p := &parts{keys: keys}
	if err := a.wire(a.background, p); err != nil {
		return fmt.Errorf("wire the parts: %w", err)
	}
	return use(a, p)
}

// openAPI prints the document, from which the types of the web app are generated.
func openAPI(p Process) error {
	document, err := Document()
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(document)
	return err
}
