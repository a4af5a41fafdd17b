package toolsearch

import "strings"

// phrases are words that mean something together only.
var phrases = func() []struct{ said, meant string } {
	var list []struct{ said, meant string }
	for line := range strings.Lines(phraseText) {
		if said, meant, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			list = append(list, struct{ said, meant string }{said, meant})
		}
	}
	return list
}()

const phraseText = `
health check=healthcheck
called=named
everything about=system detail
make a folder=create group
make a group=create group
script action=automationscript automation script
get rid of=delete
got rid of=delete
throw it=delete
throw out=delete
take out=remove
take off=remove
out of=remove
no longer=remove
any more=remove
not need=delete
tore down=delete
tear down=delete
shut down=delete
gone for good=delete
set up=create
spin up=create
roll out=deploy
rolled out=deploy
rolled the=deploy the
runs in=environment of system
run in=environment of system
look up=find
hand over=owner assign
in charge=owner
on call=oncall contact
on-call=oncall contact
go-to=contact
call when=contact
to call=contact
ring him=contact
ring her=contact
write to=contact email
keep in mind=remember
next time=remember
last time=remember previous
as usual=remember previous
from now on=henceforth
did i tell=memory search
i told=memory
do you know=memory search
what do you know=memory search
try out=test
dry-run=test
dry run=test
table of contents=list docs pages
how does=docs explain
how do i=docs explain
how to=docs explain
web page=url page
`

// stopWords tell nothing about what is to be done.
var stopWords = setOf(`a about again all also am an and any are as at be been before but by can could did do does down each for from
	get give had has have he her here him his how i if in into is it its just know let like make may me more most must my need no nobody not
	now of off on once one only or our out over please put really say says shall she should so some tell than that the their them
	then there these they thing things this those to too up us use want was we well were what when where which while who whom why will with
	would yet you your its itself lately really`)

// questionWords begin a question, or a wish to see something.
var questionWords = setOf("what which who whom where when why how is are does do did can show tell list find look read view explain")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// meanings are what a stem can stand for. Each line of the table is one meaning in the words in which people say it. A word
// may stand in several lines.
var meanings = func() map[string][]string {
	found := map[string][]string{}
	for line := range strings.Lines(meaningText) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		for _, word := range words {
			s := stem(word)
			found[s] = append(found[s], meaningMark+words[0])
		}
	}
	return found
}()

const meaningText = `
create new add register onboard launch start establish make build open introduce begin setup track provision
delete erase scrap drop wipe purge kill destroy decommission dissolve retire dismantle discard trash eliminate remove forget unlearn
remove detach strip kick exclude unlink disconnect unassign take withdraw delete drop left revoke out
add attach append pin include put join assign link move belong member insert connect note
update change edit modify rename reword correct fix adjust amend revise alter mark set wrong typo call henceforth
list show which overview enumerate all exist inventory what display view every everything
get read show detail inspect open see view tell whole everything full picture display look
search find look lookup query locate discover know ask recall
system service app application microservice backend frontend component product site website shop software server gateway engine platform api infrastructure
description blurb wording text summary about typo
tag label tier critical classification marked
owner own responsible responsibility belong charge owned ownership hand squad
team squad crew department tribe unit people division organisation company staff
contact reach phone hotline mailbox email mail address person oncall pager call ring responder whom somebody
link url bookmark hyperlink address wiki dashboard board runbook repository repo page article grafana href document
group bundle collection folder cluster category set product family portfolio together
environment stage staging production prod preprod landscape region sandbox qa test deployment tier dev
deploy run deployed rolled place placed install installed live environment
fields variable field value region parameter setting base
probe ping curl url endpoint request http https fetch reach reachable respond up homepage status answer online website
memory remember note mind memorize recall preference habit rule forget remembered unlearn told lasting henceforth always fact earlier
previous earlier before usual last agreement told
docs documentation manual handbook guide help explain chapter page tutorial howto reference instruction feature policy
test try run execute dryrun draft sandbox check rehearse simulate
script code snippet program function typescript shell javascript function
context api library module import sdk variable function use global available
healthcheck monitor monitoring uptime check health probe availability
automation workflow remediation runbook trigger action step playbook automatic
incident outage disruption problem issue breakage down failure trouble
maintenance downtime window planned upgrade
anomaly unusual spike strange odd deviation weird
slo objective target budget reliability
dependency depend upstream downstream relies
role permission right access privilege
user person account people colleague employee member
notify notification alert message announce inform
schedule calendar rota shift roster
secret password credential token key vault
permission allow grant access right
history log audit past trail
`
