package oauth

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/auth/oauth/oauthdb"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// client is a program that can request people's consent.
type client struct {
	id           uuid.UUID
	clientID     string
	name         string
	document     bool
	redirectURIs []string
}

const (
	maxClientID   = 500
	maxClientName = 100
)

// known loads a stored program; fresh means that its metadata document need not be fetched again.
func (s *Server) known(ctx context.Context, clientID string) (c client, fresh bool, err error) {
	if clientID == "" || len(clientID) > maxClientID || !utf8.ValidString(clientID) || strings.ContainsRune(clientID, 0) {
		return client{}, false, nil
	}
	row, err := oauthdb.New(s.db.Conn(ctx)).Client(ctx, oauthdb.ClientParams{ClientID: clientID, FreshSeconds: documentLifetime.Seconds()})
	if store.NoRows(err) {
		return client{}, false, nil
	}
	if err != nil {
		return client{}, false, fmt.Errorf("find program: %w", err)
	}
	return client{
		id:           row.ID,
		clientID:     row.ClientID,
		name:         row.Name,
		document:     row.Kind == "document",
		redirectURIs: row.RedirectUris,
	}, row.Fresh, nil
}

// find loads the program of a consent request. An old metadata document is fetched again, counted against the person.
func (s *Server) find(ctx context.Context, clientID string, person uuid.UUID) (client, error) {
	c, fresh, err := s.known(ctx, clientID)
	if err != nil || fresh {
		return c, err
	}
	if !strings.HasPrefix(clientID, "https://") {
		return client{}, unknownClient()
	}
	if why := documentProblem(clientID); why != "" {
		return client{}, problem.Errorf(problem.Invalid, "The program names a metadata document that cannot be read: its address %s.", why)
	}
	if err := s.limits.reading(ctx, person); err != nil {
		return client{}, err
	}
	document, err := s.read(ctx, clientID)
	if err != nil {
		return client{}, err
	}
	row, err := oauthdb.New(s.db.Conn(ctx)).KeepDocument(ctx, oauthdb.KeepDocumentParams{
		ID: store.NewID(), ClientID: clientID, Name: document.Name, RedirectUris: document.RedirectURIs,
	})
	if err != nil {
		return client{}, fmt.Errorf("keep program: %w", err)
	}
	return client{id: row.ID, clientID: row.ClientID, name: row.Name, document: true, redirectURIs: row.RedirectUris}, nil
}

func unknownClient() error {
	return problem.Errorf(
		problem.Invalid,
		"This server does not know the program that sent you here. Remove its connection there, and connect it again.",
	)
}
