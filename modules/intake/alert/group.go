package alert

import (
	"fmt"
	"strings"
	"time"

	"countersign/internal/problem"
)

// group is the payload of an Alertmanager webhook, version 4. Grafana sends the same with more members.
type group struct {
	Version           string            `json:"version"`
	GroupKey          string            `json:"groupKey"`
	TruncatedAlerts   int               `json:"truncatedAlerts"`
	CommonAnnotations map[string]string `json:"commonAnnotations"`
	Alerts            []struct {
		Status       string            `json:"status"`
		Labels       map[string]string `json:"labels"`
		Annotations  map[string]string `json:"annotations"`
		StartsAt     time.Time         `json:"startsAt"`
		EndsAt       time.Time         `json:"endsAt"`
		GeneratorURL string            `json:"generatorURL"`
		PanelURL     string            `json:"panelURL"`
		Fingerprint  string            `json:"fingerprint"`
	} `json:"alerts"`
}

// parseGroup reads the payload of Alertmanager and Grafana.
func parseGroup(body []byte) (Payload, error) {
	var g group
	if err := decode(body, &g); err != nil {
		return Payload{}, err
	}
	if g.Alerts == nil {
		return Payload{}, problem.Errorf(problem.Invalid, "The payload has no member alerts. Send that of the webhook receiver.")
	}
	var issues problem.Issues
	alerts := make([]Alert, 0, len(g.Alerts))
	for i, one := range g.Alerts {
		path := fmt.Sprintf("alerts[%d]", i)
		if one.Status != "firing" && one.Status != "resolved" {
			issues.Report(path+".status", "must be firing or resolved")
		}
		if len(one.Labels) == 0 && one.Fingerprint == "" {
			issues.Report(path+".labels", "must have a label")
		}
		if one.StartsAt.IsZero() {
			issues.Report(path+".startsAt", "is missing")
		}
		a := Alert{
			Key: one.Fingerprint, Group: g.GroupKey, Firing: one.Status == "firing", At: one.StartsAt.UTC(), Episode: true,
			Title:       first(MaxTitle, one.Annotations["summary"], one.Annotations["title"], one.Labels["alertname"]),
			Description: first(MaxDescription, one.Annotations["description"], one.Annotations["message"]),
			Labels:      clean(one.Labels), URL: link(first(maxLink, one.GeneratorURL, one.PanelURL)),
		}
		if a.Key == "" {
			a.Key = hashOf(one.Labels)
		}
		if !a.Firing && one.EndsAt.After(one.StartsAt) {
			a.EndedAt = one.EndsAt.UTC()
		}
		alerts = append(alerts, a)
		if issues.Count() > 10 {
			break
		}
	}
	if err := issues.Err(); err != nil {
		return Payload{}, err
	}
	if strings.TrimSpace(g.GroupKey) == "" {
		for i := range alerts {
			alerts[i].Group = ""
		}
	}
	return Payload{Alerts: byKey(alerts)}, nil
}
