package alert

import (
	"encoding/json"
	"strings"
	"time"

	"countersign/internal/problem"
)

// alarm is the message of a CloudWatch alarm, which the Simple Notification Service delivers.
type alarm struct {
	Name        string  `json:"AlarmName"`
	Description *string `json:"AlarmDescription"`
	Account     string  `json:"AWSAccountId"`
	State       string  `json:"NewStateValue"`
	Reason      string  `json:"NewStateReason"`
	ChangedAt   string  `json:"StateChangeTime"`
	Region      string  `json:"Region"`
	ARN         string  `json:"AlarmArn"`
	Trigger     struct {
		Metric     string `json:"MetricName"`
		Namespace  string `json:"Namespace"`
		Dimensions []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"Dimensions"`
	} `json:"Trigger"`
}

// alarmTime is the form of times of CloudWatch.
const alarmTime = "2006-01-02T15:04:05.999-0700"

// parseAlarm reads the message of an SNS notification. Other messages than alarms are left alone: a topic has several senders.
func parseAlarm(body []byte) (Payload, error) {
	const foreign = "The message is no CloudWatch alarm: nothing follows from it."
	if trimmed := strings.TrimSpace(string(body)); !strings.HasPrefix(trimmed, "{") || !json.Valid(body) {
		return Payload{Note: foreign}, nil
	}
	var m alarm
	if err := decode(body, &m); err != nil {
		return Payload{}, err
	}
	if m.Name == "" && m.State == "" {
		return Payload{Note: foreign}, nil
	}
	var issues problem.Issues
	if m.Name == "" {
		issues.Report("AlarmName", "is missing")
	}
	at, err := time.Parse(alarmTime, m.ChangedAt)
	if err != nil {
		if at, err = time.Parse(time.RFC3339, m.ChangedAt); err != nil {
			issues.Report("StateChangeTime", "must look like 2026-01-02T03:04:05.678+0000")
		}
	}
	switch m.State {
	case "ALARM", "OK", "INSUFFICIENT_DATA":
	default:
		issues.Report("NewStateValue", "must be ALARM, OK or INSUFFICIENT_DATA")
	}
	if err := issues.Err(); err != nil {
		return Payload{}, err
	}
	if m.State == "INSUFFICIENT_DATA" {
		return Payload{Note: "The alarm has too little data: it neither fires nor is over."}, nil
	}
	labels := map[string]string{
		"alarm": m.Name, "account": m.Account, "region": m.Region, "namespace": m.Trigger.Namespace, "metric": m.Trigger.Metric,
	}
	for _, d := range m.Trigger.Dimensions {
		labels["dimension."+d.Name] = d.Value
	}
	for name, value := range labels {
		if value == "" {
			delete(labels, name)
		}
	}
	a := Alert{
		Key: m.ARN, Firing: m.State == "ALARM", At: at.UTC(), Title: first(MaxTitle, m.Name), Labels: clean(labels),
		Description: first(MaxDescription, m.Reason),
	}
	if m.Description != nil {
		a.Description = first(MaxDescription, *m.Description+" "+m.Reason)
	}
	if a.Key == "" {
		a.Key = m.Account + "/" + m.Region + "/" + m.Name
	}
	if !a.Firing {
		a.EndedAt = a.At
	}
	return Payload{Alerts: []Alert{a}}, nil
}
