package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
)

// Side effects of a deletion are read as the caller, so the counts hold only what they see. Without the right to read
// them, the text says that there may be some. The summary, which every reader sees, holds no counts.

// effectsOnMembers describes what deleting a group or environment means for its systems.
func effectsOnMembers(n int) []string {
	switch n {
	case 0:
		return []string{"You see no system in it. Those that you do not see stay, and are no longer in it."}
	case 1:
		return []string{"The system in it stays, and is no longer in it."}
	}
	return []string{fmt.Sprintf("The %d systems in it stay, and are no longer in it.", n)}
}

// effectOnGrants describes the grants that go with an object.
func effectOnGrants(ctx context.Context, c tool.Caller, kind access.Kind, id uuid.UUID) string {
	var live struct {
		Grants []struct{} `json:"grants"`
	}
	_, err := c.Client.Get(ctx, "/api/grants/"+kind.ObjectType+"/"+id.String(), &live)
	switch n := len(live.Grants); {
	case err != nil:
		return "The grants on it go with it, if there are any."
	case n == 0:
		return "There are no grants on it."
	case n == 1:
		return "The grant on it goes with it."
	default:
		return fmt.Sprintf("The %d grants on it go with it.", n)
	}
}

// maxMemories limits the counted memories.
const maxMemories = 100

// effectOnMemories describes the shared memories that go with a system.
func effectOnMemories(ctx context.Context, c tool.Caller, system uuid.UUID) string {
	var list struct {
		Memories []struct{} `json:"memories"`
	}
	_, err := c.Client.Get(ctx, fmt.Sprintf("/api/ai/memories?systemId=%s&limit=%d", system, maxMemories), &list)
	switch n := len(list.Memories); {
	case err != nil:
		return "The memories that were shared about it go with it, if there are any."
	case n == 0:
		return "There are no memories about it that you see."
	case n == 1:
		return "The memory that was shared about it goes with it."
	case n == maxMemories:
		return fmt.Sprintf("%d memories or more that were shared about it go with it.", n)
	default:
		return fmt.Sprintf("The %d memories that were shared about it go with it.", n)
	}
}
