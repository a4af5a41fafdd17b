package attack_test

import "testing"

// Whoever is refused changes nothing, so all of this happens to one installation.
func TestNobodyGetsAroundTheGate(t *testing.T) { //nolint:tparallel // its parts share one installation, one after the other
	t.Parallel()
	f := build(t, map[string]string{"COUNTERSIGN_MAX_CONVERSATIONS": "20"})
	for _, way := range []struct {
		name string
		try  func(*testing.T, *fort)
	}{
		{"every operation by everybody who may not", nobodyDoesWhatTheyMayNot},
		{"a grant on one thing", aGrantOpensOneThing},
		{"every read by everybody", nobodyReadsWhatTheyMayNot},
		{"what is hidden and what is not there", whatIsHiddenLooksLikeWhatIsNotThere},
		{"proposals of others", nobodyDecidesForOthers},
		{"proposals of others, again", nobodyProposesAgainForOthers},
		{"what was altered, again", whatWasAlteredIsNotProposedAgain},
		{"what others have deleted", nobodyRestoresForOthers},
		{"a decision in words", aDecisionIsNotMadeByTalkingAboutIt},
		{"tokens", nobodyGuessesATokenOrUsesOneTwice},
		{"a decision once", aDecisionIsMadeOnce},
		{"what was altered", whatWasAlteredIsNotApplied},
		{"rights that were lost", rightsThatAreGoneAreGone},
		{"rights for oneself and others", nobodyGivesWhatTheyDoNotHold},
		{"what is somebody's own", peopleKeepTheirOwn},
		{"other sites", otherSitesDoNotAct},
		{"sessions and tokens", sessionsAreNotBorrowed},
		{"input in two ways", nothingIsReadInTwoWays},
		{"texts", textsAreOnlyTexts},
		{"addresses inside", nothingInsideIsVisited},
		{"keys and revisions", keysOfRequestsAreOnesOwn},
		{"everything for one", nobodyTakesEverything},
		{"one is not two", oneIsNotTwo},
		{"applications, again", anApplicationProposesAgainForItselfAlone},
	} {
		t.Run(way.name, func(t *testing.T) { way.try(t, f) })
	}
	f.sound(t)
}
