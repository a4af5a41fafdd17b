package demo_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
	"countersign/model/demo"
)

var update = flag.Bool("update", false, "rewrite testdata/conversations.txt")

// The file holds whole turns: what a person writes, then what the model says
// and, behind arrows, calls.
func TestConversations(t *testing.T) {
	t.Parallel()
	const file, person = "testdata/conversations.txt", "person: "
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var rewritten strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n\n") {
		first, want, _ := strings.Cut(block, "\n")
		message, isTurn := strings.CutPrefix(first, person)
		if !isTurn {
			rewritten.WriteString(block + "\n\n\n")
			continue
		}
		transcript, _ := aWorld().play(t, nil, message)
		if !*update {
			require.Equal(t, want, transcript, message)
		}
		rewritten.WriteString(first + "\n" + transcript + "\n\n\n")
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(strings.TrimSpace(rewritten.String())+"\n"), 0o644))
	}
}

func TestAutoModeIsAcknowledgedWithinTheTurn(t *testing.T) {
	t.Parallel()
	w := aWorld().answering("catalog_createSystem", `{"status":"applied","result":{"system":{"id":"s-9","name":"Hub"}}}`)
	transcript, _ := w.play(t, nil, "Add a system called Hub owned by platform")
	require.Equal(t, `Let me see which teams there are.
-> catalog_listTeams {}
I'll add the system **Hub**, owned by **Platform**.
-> catalog_createSystem {"name":"Hub","ownerTeamId":"t-1"}
The system **Hub** is in the catalog now, owned by **Platform**.`, transcript)
}

func TestUnknownTeamIsAskedFor(t *testing.T) {
	t.Parallel()
	w := aWorld().without("ai_askOperator")
	transcript, history := w.play(t, nil, "Add a system called Hub owned by the marketing team")
	require.True(t, strings.HasSuffix(transcript,
		"There is no team called “marketing”. Which team should own “Hub”? Tell me which: Platform, Payments or No team."), transcript)

	for answer, want := range map[string]string{
		"Platform": `Let me see which teams there are.
-> catalog_listTeams {}
I'll add the system **Hub**, owned by **Platform**.
-> catalog_createSystem {"name":"Hub","ownerTeamId":"t-1"}`,
		"the payments team, please": `Let me see which teams there are.
-> catalog_listTeams {}
I'll add the system **Hub**, owned by **Payments**.
-> catalog_createSystem {"name":"Hub","ownerTeamId":"t-2"}`,
		"no team": `I'll add the system **Hub**.
-> catalog_createSystem {"name":"Hub"}`,
		"which teams are there?": `Let me see which teams there are.
-> catalog_listTeams {}
There are 2 teams:

- **Platform**
- **Payments**: Money`,
	} {
		transcript, _ = w.play(t, history, answer)
		require.Equal(t, want, transcript, answer)
	}
}

func TestItIsWhatWasTalkedAboutLast(t *testing.T) {
	t.Parallel()
	w := aWorld()
	_, history := w.play(t, nil, "Who owns the ledger?")
	transcript, _ := w.play(t, history, "Delete it")
	require.Equal(t, `Let me look at the catalog.
-> catalog_listSystems {}
I'll delete the system **Ledger**. Not all of it can be restored, so please check the card carefully.
-> catalog_deleteSystem {"id":"s-2"}`, transcript)

	transcript, _ = w.play(t, nil, "Delete it")
	require.Equal(t, "Which system do you mean? Tell me its name.", transcript)
}

func TestNamesThatNeedEscapingSurviveAFollowUp(t *testing.T) {
	t.Parallel()
	w := aWorld().answering("catalog_listSystems", `{"systems":[{"id":"s-1","name":"a_b*c"}]}`)
	transcript, history := w.play(t, nil, `Who owns "a_b*c"?`)
	require.Contains(t, transcript, `**a\_b\*c** has no owner.`)
	transcript, _ = w.play(t, history, "delete it")
	require.Contains(t, transcript, `-> catalog_deleteSystem {"id":"s-1"}`)
}

func TestDecisionsAreAcknowledged(t *testing.T) {
	t.Parallel()
	const tool, summary = "catalog.createSystem", "Create the system Hub, owned by Platform"
	for status, want := range map[string]string{
		"applied":  "Done: “" + summary + "” is applied and live. Is there anything else?",
		"declined": "All right, I've left everything as it was. Tell me if you'd like “" + summary + "” done differently.",
		"expired":  "Nobody decided about “" + summary + "” in time, so nothing changed. Ask me again whenever you like.",
		"failed":   "That didn't work: “" + summary + "” could not be carried out, and nothing changed. The name is taken.",
	} {
		note := assistant.DecisionNote(assistant.Outcome{Status: status, Tool: tool, Summary: summary, Failure: "The name is taken."})
		transcript, _ := aWorld().play(t, nil, note)
		require.Equal(t, want, transcript)
	}
}

func TestTheWholeOutcomeOfAPlanIsAcknowledged(t *testing.T) {
	t.Parallel()
	note := assistant.PlanNote([]assistant.Outcome{
		{Status: "applied", Tool: "catalog.createSystem", Summary: "Create the system Hub"},
		{Status: "failed", Tool: "catalog.createGroup", Summary: "Create the group Core", Failure: "The name is taken."},
		{Status: "skipped", Tool: "catalog.createSystem", Summary: "Create the system A"},
		{Status: "skipped", Tool: "catalog.createSystem", Summary: "Create the system B"},
	})
	transcript, _ := aWorld().play(t, nil, note)
	require.Equal(t, "“Create the system Hub” is applied and live. “Create the group Core” could not be carried out, and changed nothing. "+
		"“Create the system A”, “Create the system B” were not applied, because of that.", transcript)
}

// What a proposal is called must not change what is said about its fate.
func TestDecisionIsReadFromTheNoteNotFromTheSummary(t *testing.T) {
	t.Parallel()
	note := assistant.DecisionNote(
		assistant.Outcome{Status: "applied", Tool: "catalog.createSystem", Summary: "Create the system Declined payments, failed or expired"},
	)
	transcript, _ := aWorld().play(t, nil, note)
	require.Contains(t, transcript, "is applied and live")
}

func TestMissingToolsAreAdmitted(t *testing.T) {
	t.Parallel()
	transcript, _ := aWorld().without("catalog_createSystem").play(t, nil, "Add a system called Hub")
	require.Equal(t, "I can't do that for you: no tool to **create system** is available to your account here. "+
		"An administrator can give you a role that allows it.", transcript)
	transcript, _ = aWorld().without("healthcheck_list").play(t, nil, "Which health checks do we have?")
	require.Contains(t, transcript, "no tool to **list health checks** is available")
}

func TestFailuresOfToolsAreExplained(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"error":{"code":"forbidden","message":"Forbidden: catalog.createSystem (missing permission: catalog.system.manage)"}}`: "I'm not allowed to do that. Forbidden: catalog.createSystem (missing permission: catalog.system.manage)",
		`{"error":{"code":"budget","message":"The budget of 60 tool calls a minute is used up. Try again in 20 s."}}`:            "I have to pause here, because a limit is reached. The budget of 60 tool calls a minute is used up. Try again in 20 s.",
		`{"error":{"code":"conflict","message":"A system named Hub exists."}}`:                                                   "That didn't work. A system named Hub exists.",
		`{"error":{"code":"invalid","message":"The input is wrong.","issues":[{"path":"/name","message":"is too long"}]}}`:       "That didn't work. The input is wrong.\n- `/name`: is too long",
		`{"error":"out of order"}`: "That didn't work. out of order",
	} {
		transcript, _ := aWorld().answering("catalog_createSystem", result).play(t, nil, "Add a system called Hub")
		require.Equal(t, "I'll add the system **Hub**.\n-> catalog_createSystem {\"name\":\"Hub\"}\n"+want, transcript)
	}
}

func TestRefusedOptionalFieldIsLeftOutOnce(t *testing.T) {
	t.Parallel()
	w := aWorld()
	propose := w["catalog_createSystem"]
	w["catalog_createSystem"] = func(input map[string]any) string {
		if _, ok := input["tags"]; ok {
			return `{"error":{"code":"invalid","message":"The input is wrong.","issues":[{"path":"tags","message":"is not a field."}]}}`
		}
		return propose(input)
	}
	transcript, _ := w.play(t, nil, "Add a system called Hub tagged with pci")
	require.Equal(t, `I'll add the system **Hub**.
-> catalog_createSystem {"name":"Hub","tags":["pci"]}
The field `+"`tags`"+` was not accepted (is not a field), so I leave it out. I'll add the system **Hub**.
-> catalog_createSystem {"name":"Hub"}`, transcript)
}

func TestDocumentationThatDoesNotCoverAQuestion(t *testing.T) {
	t.Parallel()
	const ask = "How do I configure blue-green deployments?"
	for result, want := range map[string]string{
		`{"hits":[],"note":"No page matches."}`: "The documentation doesn't cover that, so I'd rather not guess.",
		`{"hits":[{"slug":"limits","title":"Limits","snippet":"…"}],"note":"Weak match: the best page holds 1 of the 3 informative words."}`: "The documentation doesn't cover that, so I'd rather not guess. The closest page is “Limits”.",
	} {
		transcript, _ := aWorld().answering("ai_searchDocs", result).play(t, nil, ask)
		require.True(t, strings.HasSuffix(transcript, "\n"+want), transcript)
	}
}

func TestUnknownDocumentIsCorrectedOnce(t *testing.T) {
	t.Parallel()
	w := aWorld()
	w["ai_getDoc"] = func(input map[string]any) string {
		if input["slug"] != "concepts/proposals-and-approval" {
			return `{"error":{"code":"not_found","message":"No page has the slug concepts/proposals. Closest: concepts/proposals-and-approval, how-to/add-a-system."}}`
		}
		return `{"title":"Proposals","content":"They wait."}`
	}
	transcript, _ := w.play(t, nil, "How do proposals work?")
	require.Equal(t, `Let me look that up in the documentation.
-> ai_searchDocs {"query":"How do proposals work"}
-> ai_getDoc {"slug":"concepts/proposals"}
-> ai_getDoc {"slug":"concepts/proposals-and-approval"}
From the documentation, “Proposals”:

> They wait.`, transcript)
}

func TestSitemapReplacesSearch(t *testing.T) {
	t.Parallel()
	transcript, _ := aWorld().without("ai_searchDocs").play(t, nil, "How do proposals work?")
	require.Contains(t, transcript, "-> ai_listDocs {}\n-> ai_getDoc {\"slug\":\"concepts/proposals\"}")
}

func TestFinalStepAnswersFromWhatWasFound(t *testing.T) {
	t.Parallel()
	_, conversation := aWorld().play(t, nil, "Tell me about Payments API")
	// The turn as it stood after its first call.
	conversation = append([]model.Message{{Role: model.RoleSystem, Content: assistant.System(assistant.Prompt{})}}, conversation[:3]...)
	assistant.Conclude(conversation)
	reply := demo.Plan(model.Request{Messages: conversation})
	require.Empty(t, reply.Calls)
	require.Contains(t, reply.Text, "**Payments API**: Takes cards", "the list has enough for an answer")

	conversation[1].Content = "Delete Ledger"
	reply = demo.Plan(model.Request{Messages: conversation})
	require.Empty(t, reply.Calls)
	require.Equal(t, "I have used up the steps I may take for one message, so I stop before I am done. "+
		"This is what I found:\n\n- list systems: Payments API, Ledger", reply.Text)
}

func TestResultsWithTextAroundThemAreRead(t *testing.T) {
	t.Parallel()
	w := aWorld().answering("catalog_listTeams", "Untrusted data follows.\n[{\"id\":\"t-1\",\"name\":\"Platform\"}]\nEnd of data.")
	transcript, _ := w.play(t, nil, "list teams")
	require.Contains(t, transcript, "- **Platform**")
}

func TestTruncatedListsAreNotTakenForComplete(t *testing.T) {
	t.Parallel()
	w := aWorld()
	w["catalog_listSystems"] = func(input map[string]any) string {
		if input["query"] == "Billing" {
			return `{"systems":[{"id":"s-99","name":"Billing"}]}`
		}
		if input["query"] != nil {
			return `{"systems":[]}`
		}
		return `{"systems":[{"id":"s-1","name":"A"}],"more":true}`
	}
	transcript, _ := w.play(t, nil, "delete B2")
	require.Contains(t, transcript, "-> catalog_listSystems {\"query\":\"B2\"}\nThere is no system called **B2**. Among the systems are A.")
	transcript, _ = w.play(t, nil, "delete the system Billing")
	require.Contains(t, transcript, `-> catalog_deleteSystem {"id":"s-99"}`)
	transcript, _ = w.play(t, nil, "how many systems are there?")
	require.Contains(t, transcript, "There are more than 1 system in the catalog.")
}

func TestErrands(t *testing.T) {
	t.Parallel()
	ask := func(system, user string) string {
		return demo.Plan(model.Request{Messages: []model.Message{
			{Role: model.RoleSystem, Content: system}, {Role: model.RoleUser, Content: user},
		}}).Text
	}
	const classifier = "You classify one message. Answer with one token: ON_TOPIC or OFF_TOPIC."
	for message, want := range map[string]string{
		"Add a system called Payments API": "ON_TOPIC",
		"hi":                               "ON_TOPIC",
		"What can you do?":                 "ON_TOPIC",
		"Write a poem about autumn":        "OFF_TOPIC",
		"What is the capital of France?":   "OFF_TOPIC",
		"Write me a Python sorting script": "OFF_TOPIC",
		"Tell me a joke":                   "OFF_TOPIC",
		"Add a system called Weather API":  "ON_TOPIC",
		"Write a poem about our systems":   "OFF_TOPIC",
	} {
		require.Equal(t, want, ask(classifier, "Message:\n"+message), message)
	}
	const titles = "You name conversations with a title of at most six words."
	for message, want := range map[string]string{
		"Add a system called Payments API owned by the platform team": "Add system Payments API",
		"please show me which systems we have in the catalog today":   "Show which systems we have",
		"hi": "Hi",
		"":   "New conversation",
	} {
		require.Equal(t, want, ask(titles, "Message:\n"+message), message)
	}
	require.Equal(
		t,
		"So far:\n- user: add Hub\n- assistant: done",
		ask("You summarize a conversation between people.", "user: add Hub\n\nassistant: done"),
	)
}

// Whatever is written, the model answers, and calls offered tools only.
func FuzzPlan(f *testing.F) {
	text, err := os.ReadFile("testdata/conversations.txt")
	require.NoError(f, err)
	for line := range strings.Lines(string(text)) {
		if message, ok := strings.CutPrefix(line, "person: "); ok {
			f.Add(strings.TrimSpace(message), `{"systems":[{"id":"1","name":"Ledger"}]}`)
		}
	}
	f.Add("[decision] The person applied", "[]")
	f.Add("add system 'a \"b' and “c\uE000” called **d", `{"error":{"code":"x"}}`)
	f.Fuzz(func(t *testing.T, message, result string) {
		w := aWorld()
		for tool := range w {
			w.answering(tool, result)
		}
		transcript, _ := w.play(t, nil, message)
		require.NotEmpty(t, transcript)
		require.NotContains(t, transcript, "\uE000")
	})
}
