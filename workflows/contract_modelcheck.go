package workflows

import "github.com/google/uuid"

// ModelCheckWorkflow checks a model.
var ModelCheckWorkflow = Workflow[ModelCheckInput, ModelCheckOutput]{"ModelCheck", ModelCheck}

// The steps of a check of a model.
var (
	PlaySituation    = Step[PlaySituationInput, PlaySituationOutput]{"PlaySituation", playSituationOptions}
	FinishModelCheck = Step[FinishModelCheckInput, FinishModelCheckOutput]{"FinishModelCheck", outcomeStepOptions}
)

// ModelCheckID is the workflow id of a check of a model.
func ModelCheckID(id uuid.UUID) string { return "model-check/" + id.String() }

// ModelCheckInput names the check to run, the number of its situations and how many of them run in parallel.
type ModelCheckInput struct {
	CheckID    uuid.UUID
	Situations int
	Parallel   int
}

// ModelCheckOutput is empty: the outcomes are rows.
type ModelCheckOutput struct{}

// PlaySituationInput names a situation by its number, counted from 0.
type PlaySituationInput struct {
	CheckID uuid.UUID
	Number  int
}

// PlaySituationOutput says whether the check has ended.
type PlaySituationOutput struct {
	Over bool
}

// FinishModelCheckInput names the check whose situations have all been tried.
type FinishModelCheckInput struct {
	CheckID uuid.UUID
}

// FinishModelCheckOutput is empty.
type FinishModelCheckOutput struct{}
