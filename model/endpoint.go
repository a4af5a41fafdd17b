package model

import (
	"net/http"
	"net/url"
	"strings"
)

// azureVersion is the api-version for Azure deployment addresses without one.
const azureVersion = "2024-10-21"

// endpoint holds a provider's addresses and its way of authentication.
type endpoint struct {
	chat, models string
	// host is the provider's host name, without port.
	host  string
	azure bool
}

// endpointOf parses a base URL. It also accepts the whole address of the chat endpoint, as examples show it.
func endpointOf(base string) endpoint {
	u, err := url.Parse(base)
	if err != nil {
		return endpoint{chat: base, models: base} // the round trip reports the fault
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	e := endpoint{host: strings.ToLower(u.Hostname())}
	// Gateways in front of Azure keep its paths.
	e.azure = isAzure(e.host) || strings.Contains(u.Path, "/openai/deployments/")
	list := u.JoinPath("models")
	if e.azure {
		if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" || u.Path == "/openai" {
			u.Path = "/openai/v1"
			list = u.JoinPath("models")
		}
		if resource, _, ok := strings.Cut(u.Path, "/deployments/"); ok {
			query := u.Query()
			if !query.Has("api-version") {
				query.Set("api-version", azureVersion)
				u.RawQuery = query.Encode()
			}
			// The list of models belongs to the resource, not to a deployment.
			at := *u
			at.Path = resource
			list = at.JoinPath("models")
		}
	}
	e.chat, e.models = u.JoinPath("chat", "completions").String(), list.String()
	return e
}

func isAzure(host string) bool {
	for _, domain := range []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}

// authorize sets the authentication header. Azure takes keys in a header of its own, and tokens of its directory as
// bearer tokens.
func (e endpoint) authorize(header http.Header, key string) {
	switch {
	case key == "":
	case e.azure && !strings.HasPrefix(key, "eyJ"):
		header.Set("Api-Key", key)
	default:
		header.Set("Authorization", "Bearer "+key)
	}
}
