package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"countersign/secret"
	"countersign/store"
)

// Document is the OpenAPI document of this version, indented. It needs no server: the parts are wired as for one, and
// nothing is asked of them.
func Document() ([]byte, error) {
	a := &App{log: slog.New(slog.DiscardHandler), db: &store.DB{}, started: make(chan struct{})}
	a.background, a.stop = context.WithCancel(context.Background())
	defer func() {
		a.db = nil // never opened
		a.close()
	}()
	keys, err := secret.New()
	if err != nil {
		return nil, err
	}
	if err := a.wire(a.background, &parts{keys: keys}); err != nil {
		return nil, fmt.Errorf("wire the API: %w", err)
	}
	compact, err := json.Marshal(a.server.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the OpenAPI document: %w", err)
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
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
