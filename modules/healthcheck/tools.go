package healthcheck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/check/assertion"
	"countersign/internal/access"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

// Collections of the tools' records.
var (
	checksAPI  = kit.Collection[Check]{Kind: checkKind, Path: checksPath}
	systemsAPI = kit.Collection[systemInCatalog]{
		Kind: access.Kind{
			Noun:       "system",
			Plural:     "systems",
			ObjectType: "catalog.system",
			Read:       systemRead,
			Manage:     systemManage,
		},
		Path: "/api/catalog/systems",
	}
)

// systemRead is the catalog rule that opens all systems.
const systemRead = "catalog.system.read"

// systemInCatalog is the part of a system that the tools need.
type systemInCatalog struct {
	ID     uuid.UUID    `json:"id"`
	Name   string       `json:"name"`
	Access access.Level `json:"access"`
}

// Tools returns the tools of health checks.
func (m *Module) Tools() []tool.Tool {
	return append(
		append(m.Authoring.Tools(), capabilities().Tools()...),
		validateConfigurationTool(),
		m.importTool(),
		listChecksTool(),
		getCheckTool(),
		m.proposeTool(),
		m.updateTool(),
		m.deleteTool(),
		setPausedTool(),
		assignTool(),
		unassignTool(),
		runNowTool(),
		testDraftTool(),
		statusTool(),
		listSystemChecksTool(),
		listLocationsTool(),
		runHistoryTool(),
		runStatsTool(),
	)
}

// briefCheck is a check in a list for a model.
type briefCheck struct {
	ID          uuid.UUID     `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	StrategyID  string        `json:"strategyId"`
	Interval    int           `json:"intervalSeconds"`
	Paused      bool          `json:"paused,omitempty"`
	Systems     int           `json:"systems"`
	Statuses    *StatusCounts `json:"statuses,omitempty"`
	Warnings    []string      `json:"warnings,omitempty"`
}

func brief(c Check) briefCheck {
	return briefCheck{
		ID:          c.ID,
		Name:        c.Name,
		Description: c.Description,
		StrategyID:  c.StrategyID,
		Interval:    c.Interval,
		Paused:      c.Paused,
		Systems:     c.Systems,
		Statuses:    c.Statuses,
		Warnings:    c.Warnings,
	}
}

// checkOutput is the check after a change.
type checkOutput struct {
	Check briefCheck `json:"check"`
}

func newCheckOutput(c Check) checkOutput { return checkOutput{Check: brief(c)} }

// maxSentence bounds a sentence about a check.
const maxSentence = 400

// inWords describes a definition and its destinations for the decider.
func (s *service) inWords(d Definition) []string {
	words := s.destinations(d)
	if names := d.secrets(); len(names) > 0 {
		words = append(words, "It is given the secrets "+strings.Join(names, ", ")+", which go where it connects to.")
	}
	if len(d.Locations) > 0 {
		words = append(words, "It runs from "+joined(d.Locations)+"; it is unhealthy when it is down from "+ruleWords[d.rule()]+".")
	}
	for _, c := range d.Collectors {
		name := c.CollectorID
		kind := s.Kinds.Collector(c.CollectorID)
		if kind != nil {
			name = kind.Name
		}
		if len(c.Assertions) == 0 {
			words = append(words, name+": whatever it finds passes, as nothing is asserted.")
			continue
		}
		for _, a := range c.Assertions {
			words = append(words, text.Shown(name+" passes if "+a.words()+".", maxSentence))
		}
	}
	return words
}

// destinations lists the hosts and URLs in the configs of a definition.
func (s *service) destinations(d Definition) []string {
	var found []string
	say := func(config Settings) {
		for _, member := range []string{"url", "host", "hostname", "nameserver", "proxy"} {
			if where, ok := config[member].(string); ok && where != "" {
				if port, ok := config["port"].(json.Number); ok && member == "host" {
					where += ":" + port.String()
				}
				found = append(found, text.Shown("It connects to "+where+".", maxSentence))
			}
		}
		for _, member := range []string{"script", "command", "query"} {
			if source, ok := config[member].(string); ok && source != "" {
				lines := strings.Count(strings.TrimSpace(source), "\n") + 1
				found = append(found, fmt.Sprintf("It runs a %s of %d lines.", member, lines))
			}
		}
	}
	say(d.Config)
	for _, c := range d.Collectors {
		say(c.Config)
	}
	return found
}

// words formats an assertion as a clause.
func (a Assertion) words() string {
	subject := a.Field
	if a.JSONPath != "" {
		subject += " at " + a.JSONPath
	}
	operator := a.Operator
	for _, list := range assertion.Table() {
		if i := slices.IndexFunc(list, func(o assertion.Operator) bool { return o.ID == a.Operator }); i >= 0 {
			operator = list[i].Words
			break
		}
	}
	clause := subject + " " + operator
	if len(a.Value) > 0 {
		clause += " " + string(a.Value)
	}
	return clause
}

// kindName returns the display name of a strategy.
func (s *service) kindName(id string) string {
	if kind := s.Kinds.Strategy(id); kind != nil {
		return kind.Name
	}
	return id
}

// every formats an interval.
func every(seconds int) string {
	switch {
	case seconds == 1:
		return "every second"
	case seconds == 60:
		return "every minute"
	case seconds%3600 == 0:
		return fmt.Sprintf("every %d hours", seconds/3600)
	case seconds%60 == 0:
		return fmt.Sprintf("every %d minutes", seconds/60)
	default:
		return fmt.Sprintf("every %d seconds", seconds)
	}
}
