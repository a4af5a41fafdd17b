package check

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"

	"countersign/internal/problem"
)

// familyIssues finds addresses that a configuration asks for over the other IP version: no run of it could ever connect. A proxy
// is what the version of a request through it is about.
func familyIssues(c Configuration) []problem.Issue {
	var own struct {
		IPVersion string `json:"ipVersion"`
		ProxyURL  string `json:"proxyUrl"`
	}
	if json.Unmarshal(c.Config, &own) != nil || own.ProxyURL != "" || own.IPVersion != "ipv4" && own.IPVersion != "ipv6" {
		return nil
	}
	issues := familyOf("config", c.Config, own.IPVersion)
	for i, collector := range c.Collectors {
		issues = append(issues, familyOf(fmt.Sprintf("collectors[%d].config", i), collector.Config, own.IPVersion)...)
	}
	return issues
}

// familyOf finds addresses of the other version in the members host and url of a config.
func familyOf(path string, config Config, version string) []problem.Issue {
	var target struct {
		Host string `json:"host"`
		URL  string `json:"url"`
	}
	if json.Unmarshal(config, &target) != nil {
		return nil
	}
	var issues []problem.Issue
	hosts := map[string]string{"host": target.Host}
	if u, err := url.Parse(target.URL); err == nil {
		hosts["url"] = u.Hostname()
	}
	for _, member := range []string{"host", "url"} {
		addr, err := netip.ParseAddr(hosts[member])
		if err != nil || addr.Unmap().Is4() == (version == "ipv4") {
			continue
		}
		is, asks := "IPv6", "ipv4"
		if version == "ipv6" {
			is, asks = "IPv4", "ipv6"
		}
		issues = append(issues, problem.Issue{
			Path: path + "." + member, Message: "is an " + is + " address, which ipVersion " + asks + " never reaches: leave ipVersion out",
		})
	}
	return issues
}
