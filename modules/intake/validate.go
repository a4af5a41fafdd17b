package intake

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intakedb"
)

// Severities of incidents, the worst last.
var severities = []string{"minor", "major", "critical"}

// defaultReopen is how many minutes after its end an incident is opened again.
const defaultReopen = 60

// knownLabels are the labels of alerts of kinds that have labels of their own; a name that ends in a dot begins others.
var knownLabels = map[alert.Kind][]string{
	alert.UptimeKuma: {"monitor", "id", "type", "url", "hostname", "tag."},
	alert.CloudWatch: {"alarm", "account", "region", "namespace", "metric", "dimension."},
}

// usualSeverities are what the label severity mostly says.
func usualSeverities() []SeverityRule {
	return []SeverityRule{
		{Label: "severity", Value: "critical", Severity: "critical"},
		{Label: "severity", Value: "error", Severity: "major"},
		{Label: "severity", Value: "warning", Severity: "minor"},
		{Label: "severity", Value: "info", Severity: "minor"},
	}
}

// validation checks an input and returns values in their stored form.
type validation struct{ problem.Issues }

// source returns the stored form of a source.
func (v *validation) source(n NewSource) NewSource {
	n.Name = text.Required(&v.Issues, "name", text.Line(&v.Issues, "name", n.Name, MaxName))
	if n.TeamID != nil && *n.TeamID == uuid.Nil {
		n.TeamID = nil
	}
	if !slices.Contains(alert.Kinds(), n.Kind) {
		v.Report("kind", "must be alertmanager, grafana, uptime-kuma, cloudwatch or webhook")
	}
	if n.Severity == "" {
		n.Severity = "major"
	}
	v.severity("severity", n.Severity)
	switch {
	case n.GroupBy == "" && n.Kind.Groups():
		n.GroupBy = ByGroup
	case n.GroupBy == "":
		n.GroupBy = ByAlert
	case n.GroupBy != ByGroup && n.GroupBy != ByAlert:
		v.Report("groupBy", "must be group or alert")
	case n.GroupBy == ByGroup && !n.Kind.Groups():
		v.Report("groupBy", "must be alert: %s sends no groups", n.Kind)
	}
	if n.ReopenWithin == nil {
		n.ReopenWithin = new(defaultReopen)
	}
	if *n.ReopenWithin < 0 || *n.ReopenWithin > MaxReopen {
		v.Report("reopenWithinMinutes", "must lie between 0 and %d", MaxReopen)
	}
	v.topic(&n)
	if len(n.SystemIDs) == 0 {
		v.Report("systemIds", "must name a system, for alerts to which no rule fits")
	}
	n.SystemIDs = v.systems("systemIds", n.SystemIDs)
	v.rules(&n)
	return n
}

func (v *validation) severity(path, s string) {
	if !slices.Contains(severities, s) {
		v.Report(path, "must be minor, major or critical")
	}
}

// topicForm is the form of the ARN of a topic; its second part is the region.
var topicForm = regexp.MustCompile(`^arn:aws(?:-[a-z]+)*:sns:([a-z]{2}(?:-[a-z]+)+-[0-9]+):[0-9]{12}:[A-Za-z0-9_.-]{1,256}$`)

func (v *validation) topic(n *NewSource) {
	n.TopicARN = strings.TrimSpace(n.TopicARN)
	switch {
	case n.Kind != alert.CloudWatch && n.TopicARN != "":
		v.Report("topicArn", "is for CloudWatch alone")
	case n.Kind == alert.CloudWatch && !topicForm.MatchString(n.TopicARN):
		v.Report("topicArn", "must be the ARN of the SNS topic, such as arn:aws:sns:eu-central-1:123456789012:alarms")
	}
}

func (v *validation) systems(path string, ids []uuid.UUID) []uuid.UUID {
	if len(ids) > MaxSystems {
		v.Report(path, "has %d entries, at most %d are allowed", len(ids), MaxSystems)
		return nil
	}
	ids = append([]uuid.UUID{}, ids...)
	store.SortIDs(ids)
	return slices.Compact(ids)
}

// rules returns rules in their stored form, and refuses those that could never do anything.
func (v *validation) rules(n *NewSource) {
	if len(n.Systems) > MaxRules || len(n.Severities) > MaxRules {
		v.Report("systems", "and severities have at most %d entries each", MaxRules)
		return
	}
	seen := map[string]bool{}
	n.Systems = append([]SystemRule{}, n.Systems...)
	for i := range n.Systems {
		r, path := &n.Systems[i], fmt.Sprintf("systems[%d]", i)
		r.Label, r.Value = v.match(path, n.Kind, r.Label, r.Value)
		if len(r.SystemIDs) == 0 {
			v.Report(path+".systemIds", "must name a system")
		}
		r.SystemIDs = v.systems(path+".systemIds", r.SystemIDs)
		if key := r.Label + "\n" + r.Value; seen[key] {
			v.Report(path, "repeats an earlier rule: name all of its systems there")
		} else {
			seen[key] = true
		}
	}
	seen = map[string]bool{}
	n.Severities = append([]SeverityRule{}, n.Severities...)
	for i := range n.Severities {
		r, path := &n.Severities[i], fmt.Sprintf("severities[%d]", i)
		r.Label, r.Value = v.match(path, n.Kind, r.Label, r.Value)
		v.severity(path+".severity", r.Severity)
		if key := r.Label + "\n" + r.Value; seen[key] {
			v.Report(path, "would never count: an earlier rule has the same label and value")
		} else {
			seen[key] = true
		}
	}
}

// match returns the stored form of a label and its value.
func (v *validation) match(path string, kind alert.Kind, label, value string) (storedLabel, storedValue string) {
	label = text.Required(&v.Issues, path+".label", text.Line(&v.Issues, path+".label", label, alert.MaxLabel))
	value = text.Required(&v.Issues, path+".value", text.Line(&v.Issues, path+".value", value, alert.MaxValue))
	known := knownLabels[kind]
	if known != nil && label != "" && !slices.ContainsFunc(known, func(one string) bool {
		return label == one || strings.HasSuffix(one, ".") && strings.HasPrefix(label, one) && len(label) > len(one)
	}) {
		v.Report(path+".label", "is no label of %s, which are %s", kind, strings.Join(known, ", "))
	}
	return label, value
}

// checkSystems refuses systems that the caller does not see, except those that the source names already.
func (s *service) checkSystems(ctx context.Context, v *validation, n NewSource, known []uuid.UUID) error {
	found, err := s.systems.Lookup(ctx, systemsOf(n))
	if err != nil {
		return fmt.Errorf("look up systems: %w", err)
	}
	check := func(path string, ids []uuid.UUID) {
		for i, id := range ids {
			if _, ok := found[id]; !ok && !slices.Contains(known, id) {
				v.Report(fmt.Sprintf("%s[%d]", path, i), "names no system: %s", id)
			}
		}
	}
	check("systemIds", n.SystemIDs)
	for i, r := range n.Systems {
		check(fmt.Sprintf("systems[%d].systemIds", i), r.SystemIDs)
	}
	return v.Err()
}

// systemsOf are all systems that a source names, each once.
func systemsOf(n NewSource) []uuid.UUID {
	ids := slices.Clone(n.SystemIDs)
	for _, r := range n.Systems {
		ids = append(ids, r.SystemIDs...)
	}
	store.SortIDs(ids)
	return slices.Compact(ids)
}

// checkTeam refuses a team that does not exist.
func (s *service) checkTeam(ctx context.Context, v *validation, team *uuid.UUID) error {
	if team == nil {
		return nil
	}
	names, err := s.teams.TeamNames(ctx, []uuid.UUID{*team})
	if err != nil {
		return fmt.Errorf("look teams up: %w", err)
	}
	if _, ok := names[*team]; !ok {
		v.Report("teamId", "names no team: %s", *team)
	}
	return v.Err()
}

// stored are the rules of a source as its row has them.
func stored(n NewSource) intakedb.Rules {
	return intakedb.Rules{
		SystemIDs: n.SystemIDs, Systems: n.Systems, Severity: n.Severity, Severities: n.Severities, GroupBy: n.GroupBy,
		ReopenWithin: *n.ReopenWithin, TopicARN: n.TopicARN,
	}
}

// inputOf is the input that a source is of.
func inputOf(row intakedb.IntakeSource) NewSource {
	return NewSource{
		Name: row.Name, Kind: alert.Kind(row.Kind), TeamID: row.TeamID, Disabled: !row.IsEnabled, Fields: fieldsOf(row.Rules),
	}
}

func fieldsOf(r intakedb.Rules) Fields {
	return Fields{
		SystemIDs: r.SystemIDs, Systems: r.Systems, Severity: r.Severity, Severities: r.Severities, GroupBy: r.GroupBy,
		ReopenWithin: new(r.ReopenWithin), TopicARN: r.TopicARN,
	}
}

// severityOf is how bad an alert is.
func severityOf(r intakedb.Rules, a alert.Alert) string {
	for _, rule := range r.Severities {
		if a.Labels[rule.Label] == rule.Value {
			return rule.Severity
		}
	}
	return r.Severity
}

// systemsFor are the systems that alerts with these labels are about.
func systemsFor(r intakedb.Rules, labels map[string]string) []uuid.UUID {
	var ids []uuid.UUID
	for _, rule := range r.Systems {
		if labels[rule.Label] == rule.Value {
			ids = append(ids, rule.SystemIDs...)
		}
	}
	if len(ids) == 0 {
		ids = append(ids, r.SystemIDs...)
	}
	store.SortIDs(ids)
	return slices.Compact(ids)
}
