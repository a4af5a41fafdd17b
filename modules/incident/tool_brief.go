package incident

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

// Limits of a brief, whose JSON has at most maxBrief bytes.
const (
	maxBrief       = 4000
	briefSystems   = 5
	briefMoments   = 12
	briefMessage   = 240
	briefContacts  = 3
	briefReadAtOne = 60
)

type briefInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the incident; ids come from incident_list."`
}

// briefSystem is a system of a brief.
type briefSystem struct {
	Name     string     `json:"name"`
	Status   string     `json:"status,omitempty"`
	Since    *time.Time `json:"since,omitempty"`
	Why      string     `json:"why,omitempty"`
	Owners   []string   `json:"owners,omitempty" jsonschema:"description=Teams that own it."`
	Contacts []string   `json:"contacts,omitempty"`
}

// briefMoment is one entry of the timeline in words.
type briefMoment struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

type briefOutput struct {
	Incident    briefIncident `json:"incident"`
	Systems     []briefSystem `json:"systems"`
	MoreSystems int           `json:"moreSystems,omitempty"`
	Before      []briefMoment `json:"before" jsonschema:"description=What happened in the 6 hours before it began; the last first."`
	Since       []briefMoment `json:"since" jsonschema:"description=What happened since; the last first."`
	Told        []briefMoment `json:"told,omitempty" jsonschema:"description=Who was called or told since; the last first."`
	Next        string        `json:"next,omitempty" jsonschema:"description=What comes next in its escalation."`
	Shortened   bool          `json:"shortened,omitempty" jsonschema:"description=Older moments are left out."`

	// quoted reports reasons of checks, which quote what their targets answered, and proposed summaries of proposals of others.
	quoted, proposed bool
}

// Tainted implements tool.Tainted.
func (o briefOutput) Tainted() bool { return o.quoted || o.proposed || o.Incident.Tainted() }

// Origin implements tool.Originated.
func (o briefOutput) Origin() string {
	var origins []string
	for _, one := range []struct {
		holds bool
		name  string
	}{{o.quoted, "results of health checks"}, {o.proposed, "proposals of others"}, {o.Incident.Imported, importOrigin}} {
		if one.holds {
			origins = append(origins, one.name)
		}
	}
	return strings.Join(origins, ", ")
}

func briefTool() tool.Tool {
	d := kit.Define(texts, "incident.brief", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in briefInput) (briefOutput, error) {
		live, err := incidentsAPI.Load(ctx, c, in.ID, "id")
		if err != nil {
			return briefOutput{}, err
		}
		i := live.Record
		out := briefOutput{Incident: brief(i.Listed), Systems: []briefSystem{}, MoreSystems: max(0, len(i.Systems)-briefSystems)}
		for _, system := range i.Systems[:min(len(i.Systems), briefSystems)] {
			told, err := briefOf(ctx, c, system)
			if err != nil {
				return briefOutput{}, err
			}
			out.quoted = out.quoted || quotes(told.Status, told.Why)
			out.Systems = append(out.Systems, told)
		}
		out.Incident.Systems = nil
		since, moreSince, err := timelineOf(ctx, c, in.ID, nil)
		if err != nil {
			return briefOutput{}, err
		}
		before, moreBefore, err := timelineOf(ctx, c, in.ID, &i.StartedAt)
		if err != nil {
			return briefOutput{}, err
		}
		since = slices.DeleteFunc(since, func(e Entry) bool { return e.At.Before(i.StartedAt) })
		told := slices.DeleteFunc(slices.Clone(since), func(e Entry) bool { return !e.tells() })
		since = slices.DeleteFunc(since, Entry.tells)
		out.Since, out.Before, out.Told = momentsOf(since), momentsOf(before), momentsOf(told)
		if out.Next, err = nextOf(ctx, c, in.ID); err != nil {
			return briefOutput{}, err
		}
		around := slices.Concat(since, before)
		out.quoted = out.quoted || slices.ContainsFunc(around, func(e Entry) bool {
			return e.Health != nil && quotes(e.Health.After, e.Health.Reason)
		})
		// A proposal is no record whose authors are known.
		out.proposed = slices.ContainsFunc(around, func(e Entry) bool {
			return e.Proposal != nil && e.Proposal.ProposerID != c.Principal.ID
		})
		out.Shortened = moreBefore || moreSince && len(since)+len(told) == briefReadAtOne ||
			max(len(since), len(told), len(before)) > briefMoments
		return out.fitted()
	})
}

// quotes reports whether the reason of a status has texts from outside: what a check got, or the title of another incident.
func quotes(status, reason string) bool {
	bad := status == string(Degraded) || status == string(Unhealthy)
	return strings.Contains(reason, ": ") || bad && reason != ""
}

// timelineOf reads the end of a timeline, or its part before a moment.
func timelineOf(ctx context.Context, c tool.Caller, id uuid.UUID, before *time.Time) (entries []Entry, more bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(briefReadAtOne)}}
	if before != nil {
		query.Set("before", before.UTC().Format(time.RFC3339Nano))
	}
	return kit.Page[Entry](ctx, c, incidentsAPI.At(id, "timeline"), "entries", query)
}

// briefOf reads the health of a system and who owns it, as far as the caller sees that.
func briefOf(ctx context.Context, c tool.Caller, s System) (briefSystem, error) {
	told := briefSystem{Name: s.Name}
	var status struct {
		Status string     `json:"status"`
		Since  *time.Time `json:"since"`
		Reason string     `json:"reason"`
	}
	if err := readIfSeen(ctx, c, "/api/healthcheck/systems/"+s.ID.String(), &status); err != nil {
		return told, err
	}
	told.Status, told.Since, told.Why = status.Status, status.Since, text.Shown(status.Reason, briefMessage)
	var system struct {
		Owners []struct {
			TeamName string `json:"teamName"`
		} `json:"owners"`
		Contacts []struct {
			Label, UserName, Email, Address string
		} `json:"contacts"`
	}
	if err := readIfSeen(ctx, c, systemsAPI.At(s.ID), &system); err != nil {
		return told, err
	}
	for _, o := range system.Owners {
		told.Owners = append(told.Owners, text.Shown(o.TeamName, briefMessage))
	}
	for _, one := range system.Contacts[:min(len(system.Contacts), briefContacts)] {
		words := []string{one.Label, one.UserName, one.Email, one.Address}
		words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
		told.Contacts = append(told.Contacts, text.Shown(strings.Join(words, ", "), briefMessage))
	}
	return told, nil
}

// nextOf says what comes next in the escalation of an incident, if the caller sees that.
func nextOf(ctx context.Context, c tool.Caller, id uuid.UUID) (string, error) {
	var escalation struct {
		State  string     `json:"state"`
		Reason string     `json:"reason"`
		Step   int        `json:"step"`
		DueAt  *time.Time `json:"dueAt"`
	}
	if err := readIfSeen(ctx, c, "/api/oncall/escalations/"+id.String(), &escalation); err != nil {
		return "", err
	}
	if escalation.State == "waiting" && escalation.DueAt != nil {
		return fmt.Sprintf("Step %d of the escalation is due at %s.", escalation.Step, escalation.DueAt.UTC().Format(time.RFC3339)), nil
	}
	return text.Shown(escalation.Reason, briefMessage), nil
}

// readIfSeen reads a resource that the caller may not see.
func readIfSeen(ctx context.Context, c tool.Caller, path string, into any) error {
	_, err := c.Client.Get(ctx, path, into)
	if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Forbidden) {
		return nil
	}
	return err
}

// momentsOf are the last entries of a timeline in words.
func momentsOf(entries []Entry) []briefMoment {
	list := []briefMoment{}
	for _, e := range entries[:min(len(entries), briefMoments)] {
		list = append(list, briefMoment{e.At.Truncate(time.Second), text.Shown(e.words(), briefMessage)})
	}
	return list
}

// fitted leaves out the oldest moments, and then shortens texts, until the brief is small enough.
func (o briefOutput) fitted() (briefOutput, error) {
	for {
		encoded, err := json.Marshal(o)
		if err != nil {
			return o, fmt.Errorf("encode a brief: %w", err)
		}
		if len(encoded) <= maxBrief {
			return o, nil
		}
		o.Shortened = true
		switch {
		case len(o.Since) > 3 && len(o.Since) >= max(len(o.Before), len(o.Told)):
			o.Since = o.Since[:len(o.Since)-1]
		case len(o.Told) > 3 && len(o.Told) >= len(o.Before):
			o.Told = o.Told[:len(o.Told)-1]
		case len(o.Before) > 3:
			o.Before = o.Before[:len(o.Before)-1]
		case len(o.Systems) > 1:
			o.Systems = o.Systems[:len(o.Systems)-1]
			o.MoreSystems++
		default:
			o.Since, o.Before, o.Told = o.Since[:len(o.Since)/2], o.Before[:len(o.Before)/2], o.Told[:len(o.Told)/2]
			for i := range o.Systems {
				o.Systems[i].Owners = o.Systems[i].Owners[:min(len(o.Systems[i].Owners), briefContacts)]
			}
			if len(o.Since)+len(o.Before)+len(o.Told) == 0 {
				o.Systems = o.Systems[:0]
			}
		}
	}
}

// words tells an entry in one sentence.
func (e Entry) words() string {
	switch {
	case e.State != nil:
		who := e.State.ByName
		if who == "" {
			who = "A former account"
		}
		if e.State.Kind == stateMoved {
			return who + " set it to " + string(e.State.Status)
		}
		return who + " " + e.State.Kind + " it"
	case e.Update != nil:
		set := ""
		if e.Update.StatusChange != "" {
			set = " and set it to " + e.Update.StatusChange
		}
		return e.Update.AuthorName + " wrote" + set + ": " + e.Update.Message
	case e.Change != nil:
		what := e.Change.Summary
		if e.Change.Object.Type != incidentType {
			what += ", " + e.Change.Object.Name
		}
		if e.Change.Actor.Name != "" {
			what = e.Change.Actor.Name + ": " + what
		}
		if names := fieldsOf(*e.Change); names != "" {
			what += " (" + names + ")"
		}
		return what
	case e.Health != nil:
		what := e.Health.SystemName
		if e.Health.CheckName != "" {
			what = "Check " + e.Health.CheckName + " of " + what
		}
		what += " went from " + e.Health.Before + " to " + e.Health.After
		if e.Health.Reason != "" {
			what += ": " + e.Health.Reason
		}
		return what
	case e.Proposal != nil:
		return e.Proposal.Proposer + " proposed: " + e.Proposal.Summary + " (" + e.Proposal.Status + ")"
	case e.tells():
		return e.told()
	case e.Alert != nil:
		return fmt.Sprintf(
			"%s reported alerts: %d fire, %d have ended (%s)",
			e.Alert.SourceName,
			e.Alert.Firing,
			e.Alert.Resolved,
			e.Alert.Result,
		)
	default:
		return "It began"
	}
}
