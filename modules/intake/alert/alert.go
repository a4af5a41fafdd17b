// Package alert reads what monitoring products send: the alerts in a payload of Alertmanager, Grafana, Uptime Kuma, CloudWatch
// or a webhook of one's own. It is pure. All texts of an alert come from outside; they are bounded and have no control
// characters.
package alert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/internal/text/strictjson"
)

// Kind is the product that sends.
type Kind string

// The kinds.
const (
	Alertmanager Kind = "alertmanager"
	Grafana      Kind = "grafana"
	UptimeKuma   Kind = "uptime-kuma"
	CloudWatch   Kind = "cloudwatch"
	Webhook      Kind = "webhook"
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Alertmanager, Grafana, UptimeKuma, CloudWatch, Webhook} }

// Groups reports whether payloads of the kind put alerts into groups.
func (k Kind) Groups() bool { return k == Alertmanager || k == Grafana }

// Limits of a payload. Lengths are in characters.
const (
	MaxBody        = 1 << 20
	MaxAlerts      = 500
	MaxTitle       = 200
	MaxDescription = 500
	MaxLabels      = 64
	MaxLabel       = 100
	MaxValue       = 300
	maxLink        = 1000
	maxDepth       = 32
)

// Alert is one alert of a payload.
type Alert struct {
	// Key identifies the alert in its source, and Group the group that the sender put it into; empty for none.
	Key, Group string
	Firing     bool
	// At orders what is known of the alert: when it began to fire, or when it changed. Zero when the payload does not say.
	At time.Time
	// Episode reports whether At is the start of this firing, so that a later one is another firing.
	Episode bool
	// EndedAt is when a resolved alert ended; zero when the payload does not say.
	EndedAt            time.Time
	Title, Description string
	Labels             map[string]string
	// URL is the page of the alert at the sender, empty for none.
	URL string
}

// Payload is what a request holds.
type Payload struct {
	Alerts []Alert
	// Note says why a payload without alerts is right, such as a test message.
	Note string
}

// Parse reads the body of a request.
func Parse(kind Kind, body []byte) (Payload, error) {
	var p Payload
	var err error
	switch kind {
	case Alertmanager, Grafana:
		p, err = parseGroup(body)
	case UptimeKuma:
		p, err = parseKuma(body)
	case CloudWatch:
		p, err = parseAlarm(body)
	case Webhook:
		p, err = parseWebhook(body)
	default:
		return Payload{}, problem.Errorf(problem.Invalid, "There is no reader for the kind %s.", kind)
	}
	if err != nil {
		return Payload{}, err
	}
	if len(p.Alerts) > MaxAlerts {
		return Payload{}, problem.Errorf(problem.Invalid,
			"The payload has %d alerts, at most %d are allowed. Let the sender group them, or set max_alerts.", len(p.Alerts), MaxAlerts)
	}
	if len(p.Alerts) == 0 && p.Note == "" {
		return Payload{}, problem.Errorf(problem.Invalid, "The payload has no alerts.")
	}
	return p, nil
}

// decode reads JSON that every reader understands alike. Members that are not known are left out: senders add some.
func decode(body []byte, into any) error {
	if !utf8.Valid(body) {
		return problem.Errorf(problem.Invalid, "The payload is not UTF-8.")
	}
	if strictjson.Depth(body) > maxDepth {
		return problem.Errorf(problem.Invalid, "The payload is nested more than %d levels deep.", maxDepth)
	}
	if err := strictjson.Check(body); err != nil {
		return problem.Errorf(problem.Invalid, "The payload cannot be read: it must be JSON that names each member once.")
	}
	if err := json.Unmarshal(body, into); err != nil {
		const form = "The payload does not have the form of this kind of source"
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			field := cmp.Or(text.Shown(wrong.Field, MaxLabel), "the payload itself")
			return problem.InvalidInput(form+".", problem.Issue{Path: field, Message: "must not be a " + text.Shown(wrong.Value, MaxLabel)})
		}
		return problem.Errorf(problem.Invalid, "%s: a member, such as a time, cannot be read.", form)
	}
	return nil
}

// clean returns labels in the form in which they are stored: names that are known first by alphabet, at most MaxLabels.
func clean(labels map[string]string) map[string]string {
	kept := make(map[string]string, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if len(kept) == MaxLabels {
			break
		}
		if shown := text.Shown(name, MaxLabel); shown != "" {
			kept[shown] = text.Shown(labels[name], MaxValue)
		}
	}
	return kept
}

// link returns the address of a page, empty for what is none.
func link(address string) string {
	var issues problem.Issues
	if address == "" {
		return ""
	}
	if address = text.WebAddress(&issues, "", address, maxLink); issues.Err() != nil {
		return ""
	}
	return address
}

// first is the first text that is not empty, on one line.
func first(limit int, texts ...string) string {
	for _, one := range texts {
		if shown := text.Shown(one, limit); shown != "" {
			return shown
		}
	}
	return ""
}

// hashOf is the key of an alert without one: of its labels.
func hashOf(labels map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		encoded, _ := json.Marshal([]string{name, labels[name]})
		sum.Write(encoded)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// byKey sorts alerts, with one for each group and key: the last that the payload has of it.
func byKey(alerts []Alert) []Alert {
	slices.SortStableFunc(alerts, func(a, b Alert) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Key, b.Key))
	})
	kept := alerts[:0]
	for i, a := range alerts {
		if i+1 < len(alerts) && alerts[i+1].Group == a.Group && alerts[i+1].Key == a.Key {
			continue
		}
		kept = append(kept, a)
	}
	return kept
}
