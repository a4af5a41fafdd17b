package demo_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each transcript is a whole turn: what the person writes, then what the model
// says and calls.
func TestConversations(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Add a system called Payments Hub owned by the platform team": `Let me see which teams there are.
-> catalog_listTeams {}
I'll add the system **Payments Hub**, owned by **Platform**.
-> catalog_createSystem {"name":"Payments Hub","ownerTeamId":"t-1"}`,
	} {
		t.Run(message, func(t *testing.T) {
			t.Parallel()
			transcript, _ := aWorld().play(t, nil, message)
			require.Equal(t, want, transcript)
		})
	}
}

func TestPrintAll(t *testing.T) {
	for _, message := range []string{
		"Add a system called Payments Hub owned by the platform team",
		"please create the system \"Research and Development\" for the Payments team with the description: takes care of r&d and more.",
		"Could you register a new system named Hub, owned by team platform?",
		"Add a system called Payments API owned by the platform team. It handles card payments. Tag it with pci.",
		"add Payments Hub to the catalog",
		"Add systems A1, B2 and C3",
		"Add a system called A1 and a system called B2",
		"Add a system called A1 and one called B2 owned by platform",
		"add a system called Hub owned by marketing",
		"We need a system called Hub",
		"Add a system", "Rename Ledger to Books and set its description to \"keeps and adds\"",
		"Rename Payments API to Payments",
		"rename ledger to Big Ledger",
		"Rename Payments API to Payments Gateway and add the tag pci-dss.",
		"set the description of Ledger to Keeps the books and adds them up",
		"Set Payments API's description to \"Takes money.\"",
		"tag Ledger with finance and money",
		"Delete the system Ledger",
		"remove Ledger and Payments API",
		"delete Foo",
		"Rename Ledger to Books and delete Payments API",
		"add Ledger to the group Checkout", "put Ledger into the back office group", "add systems Ledger and Payments API to group Back Office",
		"remove Payments API from the Checkout group", "Create a group called Checkout2 and add Payments API to it", "create a Finance group",
		"rename the group Checkout to Shop", "delete the Checkout group", "Delete the group Checkout.", "create an environment called staging", "add a staging environment",
		"which systems exist?", "Which systems do we have, and who owns them?", "list systems", "show me all systems", "how many systems are there?",
		"which systems does the platform team own?", "what systems are in the Checkout group", "which groups exist", "which teams are there?", "list environments",
		"who owns Payments API?", "who owns ledger", "tell me about Payments API", "what is Ledger?", "Tell me about proposals",
		"How do proposals work?", "how long does a proposal wait until it expires?", "What does https://example.com/status answer?", "probe https://example.com/status", "ping example.com", "HEAD https://example.com/status",
		"hi", "Hello there!", "thanks!", "what can you do?", "who are you", "yes", "cancel", "bla bla bla", "", "make me a sandwich",
		"make the platform team owner of Ledger", "Hi! Add a system called Zed. Thanks!",
		"create a health check for Payments API", "add Zed Alpha and Beta", "add a system for billing",
	} {
		transcript, _ := aWorld().play(t, nil, message)
		println("### " + message + "\n" + transcript + "\n")
	}
}
