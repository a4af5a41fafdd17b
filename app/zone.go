package app

import (
	"os"
	"strings"
	"time"

	// The names of zones are known also where the system brings none, as in a small container.
	_ "time/tzdata"
)

// hostZone is the time zone of this machine under its IANA name, which time.Local does not tell: that of TZ, which counts as
// UTC when it is empty, or else that of the system. It is UTC when neither has a name that is known.
func hostZone() *time.Location {
	candidates := []string{"/etc/localtime"}
	if set, ok := os.LookupEnv("TZ"); ok {
		candidates = []string{strings.TrimPrefix(set, ":")}
	} else {
		if target, err := os.Readlink(candidates[0]); err == nil {
			candidates[0] = target
		}
		if named, err := os.ReadFile("/etc/timezone"); err == nil {
			candidates = append(candidates, strings.TrimSpace(string(named)))
		}
	}
	for _, name := range candidates {
		if _, after, ok := strings.Cut(name, "zoneinfo/"); ok {
			name = after
		}
		if zone, err := time.LoadLocation(name); err == nil && zone != time.Local {
			return zone
		}
	}
	return time.UTC
}
