package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// Undo data of a deletion holds what its proposer sees of a record: no grants, and no data of other modules.

// recreatedAccess describes the access to a recreated record.
const recreatedAccess = "Everybody whose roles allow it sees the new one: grants do not come back, and it is not private if it was."

// formerSystem returns the input that recreates a system.
func formerSystem(s System) NewSystem {
	n := NewSystem{
		Name:           s.Name,
		Description:    s.Description,
		Metadata:       s.Metadata,
		Tags:           s.Tags,
		EnvironmentIDs: ids(s.Environments),
		GroupIDs:       ids(s.Groups),
	}
	if len(s.Owners) == 1 {
		n.OwnerTeamID = &s.Owners[0].TeamID
	}
	for _, c := range s.Contacts {
		if again, ok := formerContact(c); ok {
			n.Contacts = append(n.Contacts, again)
		}
	}
	for _, l := range s.Links {
		n.Links = append(n.Links, NewLink{Label: l.Label, URL: l.URL})
	}
	if len(n.EnvironmentIDs) > maxPlaces {
		n.EnvironmentIDs = nil
	}
	if len(n.GroupIDs) > maxPlaces {
		n.GroupIDs = nil
	}
	return n
}

// formerContact returns the input that recreates a contact; ok is false for a deleted user.
func formerContact(c Contact) (again NewContact, ok bool) {
	again = NewContact{Type: c.Type, Label: c.Label, UserID: c.UserID, Email: c.Email, Address: c.Address}
	return again, c.Type != UserContact || c.UserName != ""
}

// formerGroup returns the input that recreates a group; without members if they are too many for one request.
func formerGroup(g Group) NewGroup {
	n := NewGroup{Name: g.Name, Description: g.Description, Metadata: g.Metadata}
	if len(g.SystemIDs) <= maxMembers {
		n.SystemIDs = g.SystemIDs
	}
	return n
}

// formerEnvironment returns the input that recreates an environment; without members if they are too many for one
// request.
func formerEnvironment(e Environment) NewEnvironment {
	n := NewEnvironment{Name: e.Name, Description: e.Description, Fields: e.Fields}
	if len(e.SystemIDs) <= maxMembers {
		n.SystemIDs = e.SystemIDs
	}
	return n
}

func ids(list []Reference) []uuid.UUID {
	var found []uuid.UUID
	for _, r := range list {
		found = append(found, r.ID)
	}
	return found
}

// effectsOfUndo describes what an undo recreates of a group or environment.
func effectsOfUndo(noun string, members int) []string {
	with := "with the systems that you see in it"
	if members > maxMembers {
		with = fmt.Sprintf("without its systems, of which there are more than %d", maxMembers)
	}
	return []string{
		"An undo can propose to make the " + noun + " again, under a new id and " + with + ". Its history and its grants do not come back.",
	}
}

// rebaseSystem removes teams, groups, environments and users that are gone or that the caller may not name.
func rebaseSystem(ctx context.Context, c tool.Caller, in NewSystem) (NewSystem, []string, error) {
	left := []string{recreatedAccess}
	if in.OwnerTeamID != nil {
		if _, ok, err := kit.Remaining(teamsAPI.Load(ctx, c, *in.OwnerTeamID, "ownerTeamId")); err != nil {
			return in, nil, err
		} else if !ok {
			in.OwnerTeamID, left = nil, append(left, "No team owns it: the one that did is gone, or you may not see teams.")
		}
	}
	environments, err := rebaseMembers(ctx, c, environmentsAPI, in.EnvironmentIDs, func(Environment) bool { return true })
	if err != nil {
		return in, nil, err
	}
	left = append(left, leftOut(len(in.EnvironmentIDs)-len(environments), "environment")...)
	groups, err := rebaseMembers(ctx, c, groupsAPI, in.GroupIDs, func(g Group) bool { return g.Access.Includes(access.Edit) })
	if err != nil {
		return in, nil, err
	}
	left = append(left, leftOut(len(in.GroupIDs)-len(groups), "group")...)
	in.EnvironmentIDs, in.GroupIDs = environments, groups
	var contacts []NewContact
	for _, contact := range in.Contacts {
		if contact.UserID != nil {
			_, err := usersAPI.Load(ctx, c, *contact.UserID, "userId")
			if problem.Is(err, problem.Invalid) {
				left = append(left, "A contact is left out, because its account is gone.")
				continue
			}
			if err != nil && !problem.Is(err, problem.Forbidden) {
				return in, nil, err
			}
		}
		contacts = append(contacts, contact)
	}
	in.Contacts = contacts
	return in, left, nil
}

func rebaseGroup(ctx context.Context, c tool.Caller, in NewGroup) (NewGroup, []string, error) {
	systems, err := rebaseMembers(ctx, c, systemsAPI, in.SystemIDs, func(System) bool { return true })
	left := append([]string{recreatedAccess}, leftOut(len(in.SystemIDs)-len(systems), "system")...)
	in.SystemIDs = systems
	return in, left, err
}

func rebaseEnvironment(ctx context.Context, c tool.Caller, in NewEnvironment) (NewEnvironment, []string, error) {
	systems, err := rebaseMembers(ctx, c, systemsAPI, in.SystemIDs, func(s System) bool { return s.Access.Includes(access.Edit) })
	left := leftOut(len(in.SystemIDs)-len(systems), "system")
	in.SystemIDs = systems
	return in, left, err
}

// rebaseMembers returns the records that exist for the caller and that they may use.
func rebaseMembers[T any](
	ctx context.Context,
	c tool.Caller,
	at kit.Collection[T],
	members []uuid.UUID,
	usable func(T) bool,
) ([]uuid.UUID, error) {
	var stay []uuid.UUID
	for _, id := range members {
		live, ok, err := kit.Remaining(at.Load(ctx, c, id, "id"))
		if err != nil {
			return nil, err
		}
		if ok && usable(live.Record) {
			stay = append(stay, id)
		}
	}
	return stay, nil
}

// leftOut reports the number of records that were removed.
func leftOut(n int, noun string) []string {
	switch n {
	case 0:
		return nil
	case 1:
		return []string{"One " + noun + " that it was with is left out: it is gone, or not yours to use for this."}
	}
	return []string{fmt.Sprintf("%d %ss that it was with are left out: they are gone, or not yours to use for this.", n, noun)}
}
