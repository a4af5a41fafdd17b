package model

import (
	"net/http"
	"net/url"
	"strings"
)

// azureVersion is the api-version of an address of an Azure deployment that names none.
const azureVersion = "2024-10-21"

// endpoint is where a provider is asked, and how it is told the key.
type endpoint struct {
	chat, models string
	// host is where the provider is, without port.
	host  string
	azure bool
}

// endpointOf reads a base URL. The whole address of the chat, as it stands in examples, is understood as well.
func endpointOf(base string) endpoint {
	u, err := url.Parse(base)
	if err != nil {
		return endpoint{chat: base, models: base} // the round trip explains what is wrong with it
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	e := endpoint{host: strings.ToLower(u.Hostname())}
	// Gateways before Azure keep its paths.
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
			// A deployment has no list of models; its resource has.
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

// authorize tells the provider the key. Azure takes keys in a header of its own, and tokens of its directory as all others.
func (e endpoint) authorize(header http.Header, key string) {
	switch {
	case key == "":
	case e.azure && !strings.HasPrefix(key, "eyJ"):
		header.Set("Api-Key", key)
	default:
		header.Set("Authorization", "Bearer "+key)
	}
}
