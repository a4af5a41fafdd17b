package app

import (
	"os"
	"strings"
	"time"

	"countersign/internal/calendar"
)

// hostZone is the IANA name of this machine's time zone, which time.Local does not expose: that of TZ, where empty
// means UTC, or else that of the system. UTC when neither has a known name.
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
		if zone, err := calendar.Zone(name); err == nil {
			return zone
		}
	}
	return time.UTC
}
