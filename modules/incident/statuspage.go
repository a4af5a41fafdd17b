package incident

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/internal/text"
)

// statuspageIncident is an incident as the API of Statuspage answers with it.
type statuspageIncident struct {
	ID         string             `json:"id"`
	PageID     string             `json:"page_id"`
	Name       string             `json:"name"`
	Status     string             `json:"status"`
	Impact     string             `json:"impact"`
	CreatedAt  time.Time          `json:"created_at"`
	StartedAt  *time.Time         `json:"started_at"`
	ResolvedAt *time.Time         `json:"resolved_at"`
	Updates    []statuspageUpdate `json:"incident_updates"`
}

type statuspageUpdate struct {
	Status    string     `json:"status"`
	Body      string     `json:"body"`
	CreatedAt time.Time  `json:"created_at"`
	DisplayAt *time.Time `json:"display_at"`
}

// at is the time that the page shows.
func (u statuspageUpdate) at() time.Time {
	if u.DisplayAt != nil {
		return *u.DisplayAt
	}
	return u.CreatedAt
}

// fromStatuspage reads incidents of a Statuspage: one, a list, or an object that has one or several.
func fromStatuspage(document string, systems []uuid.UUID) ([]PastIncident, error) {
	refused := func(message string) error {
		return problem.InvalidInput("These are no incidents of a Statuspage.", problem.Issue{Path: "statuspage", Message: message})
	}
	var list []statuspageIncident
	var whole struct {
		statuspageIncident
		Incident  *statuspageIncident  `json:"incident"`
		Incidents []statuspageIncident `json:"incidents"`
	}
	data := []byte(document)
	if strings.HasPrefix(strings.TrimSpace(document), "[") {
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, refused("is not the JSON of incidents")
		}
	} else {
		if err := json.Unmarshal(data, &whole); err != nil {
			return nil, refused("is not the JSON of incidents")
		}
		switch {
		case whole.Incident != nil:
			list = []statuspageIncident{*whole.Incident}
		case whole.Incidents != nil:
			list = whole.Incidents
		case whole.ID != "":
			list = []statuspageIncident{whole.statuspageIncident}
		}
	}
	if len(list) == 0 || len(list) > MaxImport {
		return nil, refused(fmt.Sprintf("must have 1 to %d incidents", MaxImport))
	}
	if len(systems) == 0 {
		return nil, problem.InvalidInput(
			"Say which systems the incidents of the page are about.", problem.Issue{Path: "systemIds", Message: "is missing"},
		)
	}
	past := make([]PastIncident, len(list))
	for i, one := range list {
		past[i] = one.past(systems)
	}
	return past, nil
}

// statuspageStatus are the statuses that incidents of both products have.
var statuspageStatus = map[string]Status{
	"investigating": Investigating, "identified": Identified, "monitoring": Monitoring, "resolved": Resolved, "postmortem": Resolved,
}

// past converts an incident. The page may have corrected the start or the end by the times of updates, so that the earliest
// moment is the start.
func (i statuspageIncident) past(systems []uuid.UUID) PastIncident {
	p := PastIncident{
		Title: shortened(text.Visible(i.Name), MaxTitle), Severity: Minor, SystemIDs: systems, StartedAt: i.CreatedAt, ResolvedAt: i.ResolvedAt,
	}
	if i.ID != "" {
		p.DedupeKey = "statuspage " + i.PageID + " " + i.ID
	}
	switch i.Impact {
	case "major":
		p.Severity = Major
	case "critical":
		p.Severity = Critical
	}
	if i.StartedAt != nil && i.StartedAt.Before(p.StartedAt) {
		p.StartedAt = *i.StartedAt
	}
	updates := slices.Clone(i.Updates)
	slices.SortStableFunc(updates, func(a, b statuspageUpdate) int { return a.at().Compare(b.at()) })
	before := Status("")
	for _, u := range updates {
		if u.at().Before(p.StartedAt) {
			p.StartedAt = u.at()
		}
		status := statuspageStatus[u.Status]
		if p.ResolvedAt == nil && status == Resolved {
			p.ResolvedAt = new(u.at())
		}
		past := PastUpdate{At: u.at(), NewUpdate: NewUpdate{Message: shortened(text.Visible(u.Body), note.MaxMessage), Visibility: note.Public}}
		if status != before {
			past.StatusChange, before = status, status
		}
		if strings.TrimSpace(past.Message) != "" {
			p.Updates = append(p.Updates, past)
		}
	}
	if p.ResolvedAt == nil {
		p.Status = statuspageStatus[i.Status]
	}
	return p
}

// shortened cuts a text that is longer than a limit of characters.
func shortened(value string, limit int) string {
	if utf8.RuneCountInString(value) <= limit {
		return value
	}
	return string([]rune(value)[:limit-1]) + "…"
}
