package proposal

import (
	"encoding/json"
	"fmt"
	"slices"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/disposition"
)

// A change is made with the decider's rights, so its result may hold what only the decider can see: names of groups
// that a system is in, the record that already has a name. All others see that it was made and of which record, or a
// failure reason that reveals nothing.

// seenBy returns the card with the part of the result that p may read.
func (c Card) seenBy(p principal.Principal) Card {
	if c.DecidedBy == nil || isPrincipal(c.DecidedBy, p) {
		return c
	}
	c.Result = identifying(c.Result)
	if c.Error != nil {
		e := Failure{Code: c.Error.Code, Message: c.Error.Message}
		if e.Code == problem.Conflict || e.Code == problem.Invalid {
			e.Message = fmt.Sprintf(
				"It was refused as things are now. What stands in its way was told to %s, who applied it; ask for the change "+
					"again to see what of that is yours to see.",
				c.DecidedBy.Name,
			)
		}
		c.Error = &e
	}
	return c
}

// SeenByProposer returns the card for its proposer, and for the model on their behalf.
func (c Card) SeenByProposer() Card {
	return c.seenBy(principal.Principal{Kind: c.Proposer.Kind, ID: c.Proposer.ID})
}

// sourceless removes the names of memories and pages from taint sources: these are between the person and the
// assistant. The kind of content stays visible to every decider.
func sourceless(outside []disposition.Taint) []disposition.Taint {
	kept := slices.Clone(outside)
	for i := range kept {
		kept[i].Source = ""
	}
	return kept
}

// identifying reduces a result to the record's identity and whether something happened.
func identifying(result json.RawMessage) json.RawMessage {
	var members map[string]any
	if len(result) == 0 || json.Unmarshal(result, &members) != nil {
		return nil
	}
	kept := identity(members, 2)
	if len(kept) == 0 {
		return nil
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return nil
	}
	return raw
}

func identity(members map[string]any, depth int) map[string]any {
	kept := map[string]any{}
	for name, value := range members {
		switch v := value.(type) {
		case bool:
			kept[name] = v
		case string:
			if name == "id" {
				kept[name] = v
			}
		case map[string]any:
			if inner := identity(v, depth-1); depth > 1 && len(inner) > 0 {
				kept[name] = inner
			}
		}
	}
	return kept
}
