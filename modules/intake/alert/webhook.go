package alert

import (
	"fmt"
	"time"

	"countersign/internal/problem"
	"countersign/internal/text"
)

// own is the payload of a webhook for programs of one's own.
type own struct {
	Alerts []struct {
		Key         string            `json:"key"`
		Status      string            `json:"status"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		StartedAt   *time.Time        `json:"startedAt"`
		EndedAt     *time.Time        `json:"endedAt"`
		Labels      map[string]string `json:"labels"`
		URL         string            `json:"url"`
	} `json:"alerts"`
}

// parseWebhook reads the payload of a webhook of one's own.
func parseWebhook(body []byte) (Payload, error) {
	var o own
	if err := decode(body, &o); err != nil {
		return Payload{}, err
	}
	var issues problem.Issues
	alerts := make([]Alert, 0, len(o.Alerts))
	for i, one := range o.Alerts {
		path := fmt.Sprintf("alerts[%d]", i)
		if one.Status != "firing" && one.Status != "resolved" {
			issues.Report(path+".status", "must be firing or resolved")
		}
		if text.Shown(one.Key, MaxValue) == "" {
			issues.Report(path+".key", "is missing")
		}
		a := Alert{
			Key: one.Key, Firing: one.Status == "firing", Title: first(MaxTitle, one.Title),
			Description: first(MaxDescription, one.Description), Labels: clean(one.Labels), URL: link(one.URL),
		}
		if a.Title == "" && a.Firing {
			issues.Report(path+".title", "is missing")
		}
		if one.StartedAt != nil && !one.StartedAt.IsZero() {
			a.At, a.Episode = one.StartedAt.UTC(), true
		}
		if one.EndedAt != nil && !a.Firing {
			a.EndedAt = one.EndedAt.UTC()
		}
		alerts = append(alerts, a)
		if issues.Count() > 10 {
			break
		}
	}
	if err := issues.Err(); err != nil {
		return Payload{}, err
	}
	return Payload{Alerts: byKey(alerts)}, nil
}
