package alert

import (
	"encoding/json"
	"strconv"
	"time"

	"countersign/internal/problem"
)

// Statuses of a heartbeat of Uptime Kuma.
const (
	kumaDown = 0
	kumaUp   = 1
)

// kumaTime is the form of times of Uptime Kuma, in UTC.
const kumaTime = "2006-01-02 15:04:05.999"

// beat is the payload of a webhook of Uptime Kuma.
type beat struct {
	Heartbeat *struct {
		MonitorID json.Number `json:"monitorID"`
		Status    *int        `json:"status"`
		Time      string      `json:"time"`
		Message   string      `json:"msg"`
	} `json:"heartbeat"`
	Monitor *struct {
		ID       json.Number `json:"id"`
		Name     string      `json:"name"`
		Type     string      `json:"type"`
		URL      string      `json:"url"`
		Hostname string      `json:"hostname"`
		Tags     []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"tags"`
	} `json:"monitor"`
	Message *string `json:"msg"`
}

// parseKuma reads the payload of Uptime Kuma. Test messages and warnings about certificates have no heartbeat.
func parseKuma(body []byte) (Payload, error) {
	var b beat
	if err := decode(body, &b); err != nil {
		return Payload{}, err
	}
	if b.Heartbeat == nil {
		if b.Message == nil {
			return Payload{}, problem.Errorf(problem.Invalid, "The payload has neither a heartbeat nor a msg. Use the preset application/json.")
		}
		return Payload{Note: "A message without a heartbeat, such as a test: nothing follows from it."}, nil
	}
	if b.Monitor == nil || b.Monitor.ID == "" {
		return Payload{}, problem.InvalidInput("The payload names no monitor.", problem.Issue{Path: "monitor.id", Message: "is missing"})
	}
	if b.Heartbeat.Status == nil {
		return Payload{}, problem.InvalidInput("The heartbeat has no status.", problem.Issue{Path: "heartbeat.status", Message: "is missing"})
	}
	if status := *b.Heartbeat.Status; status != kumaDown && status != kumaUp {
		return Payload{Note: "The monitor is pending or in maintenance: nothing follows from it."}, nil
	}
	at, err := time.ParseInLocation(kumaTime, b.Heartbeat.Time, time.UTC)
	if err != nil && b.Heartbeat.Time != "" {
		if at, err = time.Parse(time.RFC3339, b.Heartbeat.Time); err != nil {
			return Payload{}, problem.InvalidInput("The heartbeat has no readable time.",
				problem.Issue{Path: "heartbeat.time", Message: "must look like 2026-01-02 03:04:05.678"})
		}
	}
	labels := map[string]string{}
	set := func(name, value string) {
		if value != "" {
			labels[name] = value
		}
	}
	set("monitor", b.Monitor.Name)
	set("id", b.Monitor.ID.String())
	set("type", b.Monitor.Type)
	set("url", b.Monitor.URL)
	set("hostname", b.Monitor.Hostname)
	for _, t := range b.Monitor.Tags {
		set("tag."+t.Name, t.Value)
	}
	a := Alert{
		Key: b.Monitor.ID.String(), Firing: *b.Heartbeat.Status == kumaDown, At: at.UTC(),
		Title:       first(MaxTitle, b.Monitor.Name, "Monitor "+strconv.Quote(b.Monitor.ID.String())) + " is down",
		Description: first(MaxDescription, b.Heartbeat.Message), Labels: clean(labels), URL: link(b.Monitor.URL),
	}
	if !a.Firing {
		a.EndedAt = a.At
	}
	a.Title = first(MaxTitle, a.Title)
	return Payload{Alerts: []Alert{a}}, nil
}
