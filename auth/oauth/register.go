package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"countersign/auth/credential"
	"countersign/auth/oauth/oauthdb"
	"countersign/internal/store"
)

// registered is the response of RFC 7591, with the management address of RFC 7592.
type registered struct {
	ClientID                string   `json:"client_id"`
	ClientIDIssuedAt        int64    `json:"client_id_issued_at"`
	ClientName              string   `json:"client_name"`
	RedirectURIs            []string `json:"redirect_uris"`
	GrantTypes              []string `json:"grant_types"`
	ResponseTypes           []string `json:"response_types"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
	Scope                   string   `json:"scope"`
	RegistrationClientURI   string   `json:"registration_client_uri"`
	RegistrationAccessToken string   `json:"registration_access_token,omitempty"`
}

func (s *Server) serveRegistration(w http.ResponseWriter, r *http.Request) {
	setting, err := s.Registration(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if !setting.Enabled {
		writeJSON(
			w,
			http.StatusForbidden,
			refusal{"access_denied", "Programs may not register themselves here. Use a client-id metadata document"},
		)
		return
	}
	pause, err := s.limits.registration(r.Context(), s.addressOf(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if pause > 0 {
		wait(w, pause)
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		refuse(w, refusal{invalidMetadata, "The body must be application/json"})
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxDocumentBytes+1))
	if err != nil {
		refuse(w, refusal{invalidMetadata, "The body cannot be read"})
		return
	}
	m, why := parseMetadata(body)
	if why != "" {
		code := invalidMetadata
		if strings.Contains(why, "redirect_uris") {
			code = invalidRedirectURI
		}
		refuse(w, refusal{code, "Of what the program says, " + why})
		return
	}
	answer, err := s.register(r.Context(), m)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusCreated, answer)
}

// register stores a program under a new id, always as a public client without a secret: native apps cannot keep one.
func (s *Server) register(ctx context.Context, m metadata) (registered, error) {
	clientID, _ := credential.New()
	manage, manageHash := credential.New()
	answer := registered{ClientID: clientID, ClientName: m.Name, RedirectURIs: m.RedirectURIs}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		q := oauthdb.New(s.db.Conn(ctx))
		created, err := q.Register(
			ctx,
			oauthdb.RegisterParams{ID: store.NewID(), ClientID: clientID, Name: m.Name, RedirectUris: m.RedirectURIs, ManageHash: manageHash},
		)
		if err != nil {
			return fmt.Errorf("register program: %w", err)
		}
		answer = s.describe(answer, created)
		if _, err := q.DeleteFurtherClients(ctx, maxUnusedClients); err != nil {
			return fmt.Errorf("make room for programs: %w", err)
		}
		return nil
	})
	answer.RegistrationAccessToken = manage
	return answer, err
}

func (s *Server) describe(r registered, created time.Time) registered {
	r.ClientIDIssuedAt, r.GrantTypes, r.ResponseTypes, r.TokenEndpointAuthMethod = created.Unix(), grantTypes(), []string{"code"}, "none"
	r.Scope, r.RegistrationClientURI = joined(scopes), s.issuer+RegisterPath+"/"+r.ClientID
	return r
}

var errNoProgram = errors.New("no such program")

// serveManaged lets a registered program read or delete its registration (RFC 7592).
func (s *Server) serveManaged(w http.ResponseWriter, r *http.Request, clientID string) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	hash, ok := credential.Parse(token)
	if !ok {
		writeJSON(w, http.StatusUnauthorized, refusal{"invalid_token", "The registration access token is not valid"})
		return
	}
	var found registered
	err := s.db.InTx(r.Context(), func(ctx context.Context) error {
		q := oauthdb.New(s.db.Conn(ctx))
		row, err := q.ManagedClient(ctx, oauthdb.ManagedClientParams{ClientID: clientID, ManageHash: hash})
		if store.NoRows(err) {
			return errNoProgram
		}
		if err != nil {
			return fmt.Errorf("find program: %w", err)
		}
		found = s.describe(registered{ClientID: row.ClientID, ClientName: row.Name, RedirectURIs: row.RedirectUris}, row.CreatedAt)
		if r.Method != http.MethodDelete {
			return nil
		}
		if _, err := q.DeleteClient(ctx, row.ID); err != nil {
			return fmt.Errorf("delete program: %w", err)
		}
		return s.recordDeletion(ctx, row.ID, row.Name)
	})
	switch {
	case errors.Is(err, errNoProgram):
		writeJSON(w, http.StatusUnauthorized, refusal{"invalid_token", "The registration access token is not valid"})
	case err != nil:
		s.fail(w, r, err)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	default:
		writeJSON(w, http.StatusOK, found)
	}
}
