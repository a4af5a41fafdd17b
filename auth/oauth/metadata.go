package oauth

import (
	"net/http"
	"net/url"
)

// serverMetadata is that of RFC 8414, with RFC 9207 and client-id metadata documents.
type serverMetadata struct {
	Issuer                  string   `json:"issuer"`
	AuthorizationEndpoint   string   `json:"authorization_endpoint"`
	TokenEndpoint           string   `json:"token_endpoint"`
	RevocationEndpoint      string   `json:"revocation_endpoint"`
	RegistrationEndpoint    string   `json:"registration_endpoint,omitempty"`
	ScopesSupported         []string `json:"scopes_supported"`
	ResponseTypes           []string `json:"response_types_supported"`
	ResponseModes           []string `json:"response_modes_supported"`
	GrantTypes              []string `json:"grant_types_supported"`
	CodeChallengeMethods    []string `json:"code_challenge_methods_supported"`
	TokenEndpointAuth       []string `json:"token_endpoint_auth_methods_supported"`
	RevocationEndpointAuth  []string `json:"revocation_endpoint_auth_methods_supported"`
	IssuerInResponse        bool     `json:"authorization_response_iss_parameter_supported"`
	ClientMetadataDocuments bool     `json:"client_id_metadata_document_supported"`
	ProtectedResources      []string `json:"protected_resources"`
}

// resourceMetadata is that of RFC 9728.
type resourceMetadata struct {
	Resource             string   `json:"resource"`
	ResourceName         string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	ScopesSupported      []string `json:"scopes_supported"`
	BearerMethods        []string `json:"bearer_methods_supported"`
}

func (s *Server) serveServerMetadata(w http.ResponseWriter, r *http.Request) {
	registration, err := s.Registration(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	none := []string{"none"}
	m := serverMetadata{
		Issuer:                  s.issuer,
		AuthorizationEndpoint:   s.issuer + AuthorizePath,
		TokenEndpoint:           s.issuer + TokenPath,
		RevocationEndpoint:      s.issuer + RevokePath,
		ScopesSupported:         scopes,
		ResponseTypes:           []string{"code"},
		ResponseModes:           []string{"query"},
		GrantTypes:              grantTypes(),
		CodeChallengeMethods:    []string{"S256"},
		TokenEndpointAuth:       none,
		RevocationEndpointAuth:  none,
		IssuerInResponse:        true,
		ClientMetadataDocuments: true,
		ProtectedResources:      []string{s.resource},
	}
	if registration.Enabled {
		m.RegistrationEndpoint = s.issuer + RegisterPath
	}
	writeJSON(w, http.StatusOK, m)
}

func (s *Server) serveResourceMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, resourceMetadata{
		Resource: s.resource, ResourceName: "Countersign", AuthorizationServers: []string{s.issuer}, ScopesSupported: scopes,
		BearerMethods: []string{"header"},
	})
}

func grantTypes() []string { return []string{"authorization_code", "refresh_token"} }

// resourceSuffix is the path of the resource after the well-known one (RFC 9728, 3.1).
func resourceSuffix(s *Server) string {
	u, err := url.Parse(s.resource)
	if err != nil {
		return ""
	}
	return u.Path
}
