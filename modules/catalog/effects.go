package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

// What goes along with a deletion is read as the caller, so that it is counted by what they see. Where they may not read
// it, they are told that there may be some. The summary, which everybody reads as the proposer has seen it, counts nothing.

// effectsOnMembers are what the end of a group or an environment means for the systems in it.
func effectsOnMembers(n int) []string {
	switch n {
	case 0:
		return []string{"You see no system in it. Those that you do not see stay, and are no longer in it."}
	case 1:
		return []string{"The system in it stays, and is no longer in it."}
	}
	return []string{fmt.Sprintf("The %d systems in it stay, and are no longer in it.", n)}
}

// effectOnGrants says what goes of who may see or change an object.
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

// mostMemories is how many memories are counted.
const mostMemories = 100

// effectOnMemories says what goes of what people have shared about a system.
func effectOnMemories(ctx context.Context, c tool.Caller, system uuid.UUID) string {
	var list struct {
		Memories []struct{} `json:"memories"`
	}
	_, err := c.Client.Get(ctx, fmt.Sprintf("/api/ai/memories?systemId=%s&limit=%d", system, mostMemories), &list)
	switch n := len(list.Memories); {
	case err != nil:
		return "The memories that were shared about it go with it, if there are any."
	case n == 0:
		return "There are no memories about it that you see."
	case n == 1:
		return "The memory that was shared about it goes with it."
	case n == mostMemories:
		return fmt.Sprintf("%d memories or more that were shared about it go with it.", n)
	default:
		return fmt.Sprintf("The %d memories that were shared about it go with it.", n)
	}
}
