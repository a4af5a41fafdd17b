package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"countersign/secret"
	"countersign/store"
	"countersign/tool"
)

// Document is the OpenAPI document of this version, indented. It needs no server: the parts are wired as for one, and
// nothing is asked of them.
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

// Registry has the tools of this version, without a server.
func Registry() (*tool.Registry, error) {
	var registry *tool.Registry
	err := unserved(func(_ *App, p *parts) error {
		registry = p.registry
		return nil
	})
	return registry, err
}

// RoutesServed are the methods and paths that a server has, as "POST /api/users", those outside of the OpenAPI document too.
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

// unserved wires the parts as for a server that nobody starts.
func unserved(look func(a *App, p *parts) error) error {
	a := &App{log: slog.New(slog.DiscardHandler), db: &store.DB{}, started: make(chan struct{})}
	a.background, a.stop = context.WithCancel(context.Background())
	defer func() {
		a.db = nil // never opened
		a.close()
	}()
	keys, err := secret.New()
	if err != nil {
		return err
	}
	p := &parts{keys: keys}
	if err := a.wire(a.background, p); err != nil {
		return fmt.Errorf("wire the API: %w", err)
	}
	return look(a, p)
}

// openAPI prints the document, of which the types of the web app are made.
func openAPI(p Process) error {
	document, err := Document()
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(document)
	return err
}
