package demo

import (
	"regexp"
	"strings"

	"countersign/model"
)

// pleasantry is what people say around a request.
var pleasantry = regexp.MustCompile(`(?i)^(?:(?:hi|hello|hey|hallo|good\s+(?:morning|afternoon|evening|day)|greetings)(?:[\s,]+(?:there|everyone|all|countersign|assistant))?|(?:many\s+)?thanks?(?:\s+(?:a\s+lot|so\s+much|very\s+much|you|for\s+.+))*|thank\s+you.{0,40}|thx|cheers|great|perfect|nice|cool|ok(?:ay)?|got it|well done|awesome|bye|goodbye)$`)

const capabilities = `I'm Countersign's **demo model**: a script with rules, not an AI. With real tools and real data I can

- **look things up** in the catalog: “Which systems do we have?”, “Who owns Payments API?”
- **propose changes**: “Add a system called Payments API owned by the platform team”, “Rename Payments API to Payments”, “Add Payments API to the group Checkout”
- **quote the documentation**: “How do proposals work?”
- **probe a URL**: “What does https://example.com answer?”
- **draft and test a script**: “Draft a script health check for https://example.com/status”

Nothing changes until somebody applies the card.`

const connectModel = "For free conversation, an administrator can connect a real model on the **Connections** page, " +
	"or set `OPENAI_API_KEY` and `OPENAI_BASE_URL` before the first start."

const cannotHelp = "I didn't understand that. I'm Countersign's demo model, a script without AI, so I only know some kinds of " +
	"requests, for example “Add a system called Payments API owned by the platform team”, “Which systems do we have?”, " +
	"“How do proposals work?” or “What does https://example.com answer?”.\n\n" + connectModel

var smallTalkRules = []rule{
	{when(`(?:hi|hello|hey|hallo|good\s+(?:morning|afternoon|evening|day)|greetings)\b.{0,30}`), greet},
	{when(`(?:(?:many\s+)?thanks?|thank\s+you|thx|cheers|great|perfect|nice|cool|ok(?:ay)?|got it|well done|awesome)\b.{0,40}`), acceptThanks},
	{when(`(?:bye|goodbye).{0,30}`), func(t *turn, _ match) bool { t.say("Goodbye!"); return true }},
	{when(`(?:what|which\s+things)\s+(?:can|do|could)\s+you\s+(?:do|help)\b.*|how\s+can\s+you\s+help\b.*|help(?:\s+me)?|what\s+are\s+your\s+(?:capabilities|features)|what\s+features\b.*`), introduce},
	{when(`(?:who|what)\s+are\s+you\b.*|are\s+you\s+(?:a|an|the|real|human)\b.*|which\s+(?:model|ai)\b.*`), introduce},
	{when(`(?:yes|yep|sure|do it|go ahead|apply(?:\s+it|\s+that)?|confirm(?:\s+it)?|approve(?:\s+it)?)`), pointToCard},
	{when(`(?:no|nope|cancel(?:\s+(?:it|that))?|never\s*mind|stop|decline(?:\s+it)?|forget it)`), letBe},
}

func greet(t *turn, _ match) bool {
	t.say("Hello! Ask me about the systems in your catalog, or tell me what to change. Say “help” to see what I understand.")
	return true
}

func acceptThanks(t *turn, _ match) bool {
	t.say("You're welcome.")
	return true
}

func introduce(t *turn, _ match) bool {
	t.say(capabilities + "\n\n" + connectModel)
	return true
}

// pointToCard answers a "yes" in words: only a click is a decision.
func pointToCard(t *turn, _ match) bool {
	t.say("I can't apply anything myself. If there is a card above, click **Apply** on it and the change is made.")
	return true
}

func letBe(t *turn, _ match) bool {
	if t.pendingOwner() != nil {
		return false // an answer to "which team?"
	}
	if len(t.earlier) > 0 {
		if question, _ := questionIn(t.earlier[lastUser(t.earlier)+1:]); question != "" {
			t.say("All right, I leave it at that.")
			return true
		}
	}
	t.say("All right. If there is a card above, click **Decline**, or let it expire: nothing changes either way.")
	return true
}

// followUpRules answer what the assistant asked before.
var followUpRules = []rule{
	{when(`(?P<owner>.{1,80})`), ownerAnswer},
}

const longestAnswer = 6

// otherRequest begins something else than an answer.
var otherRequest = regexp.MustCompile(`(?i)^(?:which|what|who|where|why|how|list|show|add|create|delete|remove|rename|set|change|probe|tell)\s`)

var ownerQuestion = regexp.MustCompile(`Which team should own (.+?)\? You can also say`)

// pendingOwner returns the names of the systems whose owner the previous
// message asked for.
func (t *turn) pendingOwner() []string {
	if len(t.earlier) == 0 || t.earlier[len(t.earlier)-1].Role != model.RoleAssistant {
		return nil
	}
	asked := ownerQuestion.FindStringSubmatch(t.earlier[len(t.earlier)-1].Content)
	if asked == nil {
		return nil
	}
	var names []string
	for _, found := range boldName.FindAllStringSubmatch(asked[1], -1) {
		names = append(names, unescape.Replace(found[1]))
	}
	return names
}

// ownerAnswer creates the systems with the owner that the person now names.
func ownerAnswer(t *turn, m match) bool {
	names := t.pendingOwner()
	answer := m.text("owner")
	if names == nil || len(strings.Fields(answer)) > longestAnswer || otherRequest.MatchString(answer) {
		return false
	}
	w := wanted{names: names, owner: answer}
	if nobody.MatchString(answer) {
		w.owner = ""
	}
	t.createSystems(w)
	return true
}
