package demo_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

const crowded = `{"systems":[{"id":"s-1","name":"Payments API"},{"id":"s-2","name":"Payments UI"},{"id":"s-3","name":"Ledger"}]}`

// answered plays one message after the other and returns what happened after the last.
func (w world) answered(t *testing.T, messages ...string) string {
	t.Helper()
	var transcript string
	var history []model.Message
	for _, message := range messages {
		transcript, history = w.play(t, history, message)
	}
	return transcript
}

func TestANameThatFitsSeveralSystemsIsAskedAbout(t *testing.T) {
	t.Parallel()
	w := aWorld().answering("catalog_listSystems", crowded)
	require.Equal(t, `Let me look at the catalog.
-> catalog_listSystems {}
-> ai_askOperator {"options":[{"label":"Payments API"},{"label":"Payments UI"}],"question":"Which system do you mean by “payments”?"}`,
		w.answered(t, "Delete the system payments"))
	for _, answer := range []string{"Payments UI", "payments ui", "the Payments UI."} {
		require.Contains(t, w.answered(t, "Delete the system payments", answer), `-> catalog_deleteSystem {"id":"s-2"}`, answer)
	}
	require.Contains(t, w.answered(t, "Change the description of “Payments” to Takes cards", "Payments API"),
		`-> catalog_updateSystem {"description":"Takes cards","id":"s-1"}`)
	require.Contains(t, w.answered(t, "Who owns payments?", "Payments API"), "**Payments API** has no owner.")
	require.Contains(t, w.answered(t, "Tell me about payments", "Payments API"), `-> catalog_getSystem {"id":"s-1"}`)
}

func TestSystemsAreListedByTheBeginningOfTheirNames(t *testing.T) {
	t.Parallel()
	w := aWorld().answering("catalog_listSystems", `{"systems":[{"id":"s-1","name":"Payments API","owners":["Platform"]},`+
		`{"id":"s-2","name":"payments UI"},{"id":"s-3","name":"Ledger"}]}`)
	for message, want := range map[string]string{
		"Show me all systems whose names start with P and have no owner":         "1 system without an owner",
		"Which systems starting with pay have no owner?":                         "1 system without an owner",
		"List the systems without an owner whose name begins with P":             "1 system without an owner",
		"How many systems start with P?":                                         "2 systems with a name",
		"List systems starting with L":                                           "| Ledger |",
		"Show all services with names beginning with Pay":                        "2 systems with a name",
		"Which systems have names that start with X?":                            "No system that you may see",
		"Which systems have no contact?":                                         "demo model",
		"Show me all systems that were created by somebody who left the company": "demo model",
	} {
		transcript := w.answered(t, message)
		require.Contains(t, transcript, want, message)
		require.NotContains(t, transcript, "ai_searchDocs", message)
	}
}

func TestAnotherRequestIsNoAnswer(t *testing.T) {
	t.Parallel()
	w := aWorld().answering("catalog_listSystems", crowded)
	require.Contains(t, w.answered(t, "Delete the system payments", "Who owns Ledger?"), "**Ledger** has no owner.")
	require.Equal(t, "All right, I leave it at that.", w.answered(t, "Delete the system payments", "never mind"))
	require.Contains(t, w.answered(t, "Delete the system payments", "never mind", "Payments UI"), "demo model",
		"a question is open until the next message only")
}

func TestANewSystemWithoutANameIsAskedAboutStepByStep(t *testing.T) {
	t.Parallel()
	w := aWorld()
	require.Equal(t, `-> ai_askOperator {"options":[{"label":"Never mind"}],"question":"What should the system be called?"}`,
		w.answered(t, "Create a system"))
	require.Equal(t, `Let me see which teams there are.
-> catalog_listTeams {}
-> ai_askOperator {"options":[{"label":"Platform"},{"label":"Payments"},{"label":"No team"}],"question":"Which team should own “Order hub”?"}`,
		w.answered(t, "Create a system", "Order hub"))
	require.Contains(
		t,
		w.answered(t, "Create a system", "Order hub", "Payments"),
		`-> catalog_createSystem {"name":"Order hub","ownerTeamId":"t-2"}`,
	)
	require.Contains(t, w.answered(t, "Create a system", "Order hub", "No team"), `-> catalog_createSystem {"name":"Order hub"}`)
	require.Equal(t, "All right, I leave it at that.", w.answered(t, "Create a system", "Never mind"))
	require.Contains(t, w.answered(t, "Create a group", "Checkout flow"), `-> catalog_createGroup {"name":"Checkout flow"}`)
}

func TestAnUnknownOwnerIsAskedFor(t *testing.T) {
	t.Parallel()
	w := aWorld()
	require.True(t, strings.HasSuffix(w.answered(t, "Add systems A1 and B2 owned by the marketing team"),
		`-> ai_askOperator {"options":[{"label":"Platform"},{"label":"Payments"},{"label":"No team"}],`+
			`"question":"There is no team called “marketing”. Which team should own “A1” and “B2”?"}`))
	transcript := w.answered(t, "Add systems A1 and B2 owned by the marketing team", "Platform")
	require.Contains(t, transcript, `-> catalog_createSystem {"name":"A1","ownerTeamId":"t-1"}`)
	require.Contains(t, transcript, `-> catalog_createSystem {"name":"B2","ownerTeamId":"t-1"}`)
}

func TestAQuestionThatIsRefusedIsAskedInWords(t *testing.T) {
	t.Parallel()
	w := aWorld().answering("ai_askOperator", `{"error":{"code":"invalid","message":"no"}}`)
	require.Contains(t, w.answered(t, "Create a system"), "What should the system be called? Tell me")
}
