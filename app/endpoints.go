package app

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"

	"countersign/app/config"
	"countersign/internal/egress"
	"countersign/internal/store"
)

// temporalPort is the standard port of a Temporal frontend, and temporalPorts are a Temporal server's other ports: HTTP
// API, further services and membership.
const temporalPort = "7233"

var temporalPorts = []string{"7234", "7235", "7239", "7243", "6933", "6934", "6935", "6939"}

// endpoints are the servers of the installation, closed to checks, tools and scripts (SSRF guard).
func (a *App) endpoints() (*egress.Endpoints, error) {
	list, err := a.ownAddresses()
	if err != nil {
		return nil, err
	}
	a.elsewhere = egress.AreElsewhere(list)
	closed, err := egress.NewEndpoints(list, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("addresses of the installation: %w", err)
	}
	return closed, nil
}

// ownAddresses are the servers of the installation that this process knows, unless COUNTERSIGN_EGRESS_OWN opens them.
func (a *App) ownAddresses() ([]string, error) {
	c := a.config
	list := slices.Clone(c.OwnAddresses)
	if c.DebugAddress != "" {
		list = append(list, c.DebugAddress)
	}
	if !slices.Contains(c.EgressOwn, config.OwnAPI) {
		list = append(list, net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
	}
	if !slices.Contains(c.EgressOwn, config.OwnDatabase) {
		database, err := store.Addresses(c.DatabaseURL)
		if err != nil {
			return nil, err
		}
		list = append(list, database...)
	}
	if !slices.Contains(c.EgressOwn, config.OwnTemporal) {
		list = append(list, temporalAddresses(c)...)
	}
	// The command that prints the OpenAPI document has no servers.
	return slices.DeleteFunc(list, func(address string) bool { return address == "" }), nil
}

// extendClosed closes the servers that other processes of the installation know, in a probe, which has fewer settings.
func (a *App) extendClosed(addresses []string) {
	if err := a.closed.Extend(addresses); err != nil {
		a.log.Error("Some closed addresses unreadable", "error", err)
	}
}

func temporalAddresses(c config.Config) []string {
	list := []string{c.TemporalAddress}
	if host, port, err := net.SplitHostPort(c.TemporalAddress); err == nil && port == temporalPort {
		for _, other := range temporalPorts {
			list = append(list, net.JoinHostPort(host, other))
		}
	}
	u, err := url.Parse(c.TemporalUIURL)
	if err != nil || u.Hostname() == "" {
		return list
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return append(list, net.JoinHostPort(u.Hostname(), port))
}
