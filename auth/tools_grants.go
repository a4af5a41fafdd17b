package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

// object is the object of grants.
type object struct {
	ObjectType string    `json:"objectType"`
	ObjectID   uuid.UUID `json:"objectId"`
}

func (o object) path() string {
	return grantsPath + "/" + url.PathEscape(o.ObjectType) + "/" + o.ObjectID.String()
}

// Targets implements tool.Targeted.
func (o object) Targets() []tool.Target {
	return []tool.Target{{Path: o.path(), Level: access.View}}
}

type setGrantsInput struct {
	object
	Access
}

type deleteGrantsInput struct{ object }

// ownership maps object types to the tools that change their owner. Grants have the same effect.
var ownership = map[string]string{"catalog.system": "catalog.setSystemOwner"}

// underOwnership names the tool whose policy also covers grants on the object.
func underOwnership(input json.RawMessage) []string {
	var o object
	if err := json.Unmarshal(input, &o); err != nil || ownership[o.ObjectType] == "" {
		return nil
	}
	return []string{ownership[o.ObjectType]}
}

// grantsView are grants as a diff shows them: the relations of each subject, by id as names are not unique.
func grantsView(a Access) map[string]any {
	relations := map[string][]string{}
	for _, g := range a.Grants {
		who := g.SubjectID.String()
		if g.SubjectName != "" {
			who = g.SubjectName + " (" + who + ")"
		}
		subject := g.SubjectType + " " + who
		if relation := string(g.Relation); !slices.Contains(relations[subject], relation) {
			relations[subject] = append(relations[subject], relation)
		}
	}
	seen := map[string]any{"private": a.Private}
	for subject, of := range relations {
		slices.Sort(of)
		seen[subject] = strings.Join(of, " and ")
	}
	return seen
}

// mostNamed bounds the new subjects that a card names; beyond it the card shows ids.
const mostNamed = 50

// subjectPaths are the API paths of subjects by type.
var subjectPaths = map[string]string{subjectUser: usersAPI.Path, subjectTeam: teamsAPI.Path, subjectApplication: "/api/applications"}

// named adds the names of subjects: from existing grants, or read as the caller. Subjects that the caller cannot read
// show their ids.
func (a Access) named(ctx context.Context, c tool.Caller, live Access) Access {
	names := map[uuid.UUID]string{}
	for _, g := range live.Grants {
		names[g.SubjectID] = g.SubjectName
	}
	named, asked := Access{Private: a.Private}, 0
	for _, g := range a.Grants {
		if _, known := names[g.SubjectID]; !known && asked < mostNamed {
			asked++
			names[g.SubjectID] = subjectName(ctx, c, g)
		}
		g.SubjectName = names[g.SubjectID]
		named.Grants = append(named.Grants, g)
	}
	return named
}

func subjectName(ctx context.Context, c tool.Caller, g Grant) string {
	path, ok := subjectPaths[g.SubjectType]
	if !ok {
		return ""
	}
	record, _, _ := read[struct {
		Name string `json:"name"`
	}](ctx, c, path+"/"+g.SubjectID.String())
	return record.Name
}

func previewGrants[In any](ctx context.Context, c tool.Caller, o object, after Access, in In, summary string) (kit.Preview[In], error) {
	live, etag, err := read[Access](ctx, c, o.path())
	if err != nil {
		return kit.Preview[In]{}, err
	}
	if err := after.owned(); err != nil && live.revision() != after.revision() {
		return kit.Preview[In]{}, err
	}
	diff, err := kit.Differing(grantsView(live), grantsView(after.named(ctx, c, live)), "the grants are like this already.")
	return kit.Preview[In]{
		Summary:  summary + " of the " + o.ObjectType + " " + o.ObjectID.String(),
		Payload:  in,
		Diff:     diff,
		Revision: etag,
		Effects:  effectsOfGrants(live, after),
	}, err
}

// effectsOfGrants are the effects of a replacement of grants on people.
func effectsOfGrants(live, after Access) []string {
	holds := func(a Access, g Grant) bool {
		return slices.ContainsFunc(a.Grants, func(o Grant) bool {
			return o.SubjectType == g.SubjectType && o.SubjectID == g.SubjectID && o.Relation == g.Relation
		})
	}
	gone, come := 0, 0
	for _, g := range live.Grants {
		if !holds(after, g) {
			gone++
		}
	}
	for _, g := range after.Grants {
		if !holds(live, g) {
			come++
		}
	}
	var effects []string
	switch {
	case gone == 1:
		effects = append(effects, "One grant goes: who has access by it alone loses that, a team with all its members.")
	case gone > 1:
		effects = append(effects, fmt.Sprintf("%d grants go: who has access by them alone loses that, teams with all their members.", gone))
	}
	switch {
	case come == 1:
		effects = append(effects, "One grant comes, for a team with all its members.")
	case come > 1:
		effects = append(effects, fmt.Sprintf("%d grants come, for teams with all their members.", come))
	}
	switch {
	case live.Private && !after.Private:
		effects = append(effects, "It is no longer private: everybody whose roles allow it sees it.")
	case !live.Private && after.Private:
		effects = append(effects, "It becomes private: only who has a grant sees it.")
	}
	return effects
}
