package toolsearch

import (
	"strings"

	"countersign/internal/text/search"
)

// phrases are words with a meaning only together. Words have two spaces between them, so that phrases can follow each
// other.
var phrases = func() *strings.Replacer {
	var pairs []string
	for line := range strings.Lines(phraseText) {
		if said, meant, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			pairs = append(pairs, " "+strings.Join(search.Words(said), "  ")+" ", " "+strings.Join(strings.Fields(meant), "  ")+" ")
		}
	}
	return strings.NewReplacer(pairs...)
}()

const phraseText = `
health check=healthcheck
called=named
everything about=system detail
in a row=assign threshold
alarm me=propose check
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
on the books=register
test stage=environment
test environment=environment
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
should call=contact
should ask=contact
who to call=contact
did i tell=memory search
i told=memory
do you know=memory search
what do you know=memory search
try out=test
dry-run=test
dry run=test draft
table of contents=list docs pages
how does=docs explain
how do i=docs explain
how to=docs explain
web page=url page
tell me=show
let everybody=tell announce
track our=register
is now=change
tell us=show
how is=get show
how are=list show
how often=history
what s in=exist show
what s this=get detail
what is this=get detail
do we have=exist
do we even have=exist
we have=list
we got=list
are there=exist
is there=exist
who s who=list team
we need a=create
i need a=create
i want a=create
make me=create
clean up=delete
clean out=delete
wipe out=delete
take down=delete
turned off=delete
is gone=delete
is dead=delete
not in=remove
isn t in=remove
doesn t belong=remove
don t need=delete
stop using=remove
should be called=rename
is called=rename
should say=update
belong to=owner
belongs to=owner
belong in=group member
part of=group member
take over=owner assign
takes over=owner assign
taking over=owner assign
takes responsibility=owner assign
give to=owner assign
looked after=owner
looks after=owner
point of contact=contact
point person=contact
reach out=contact
do i ping=contact
note to self=remember
mental note=remember
make a note=remember
did i say=memory search
what did i=memory search
i told=memory
i said=memory
we agreed=memory search previous
the other day=previous
check back=ask question
check with=ask question
let me choose=ask question
not clear=ask question
not sure=ask question
pre prod=preprod
eu west=region
eu central=region
us east=region
us west=region
ap south=region
try it out=test
try my=test
give it a try=test
false alarm=noise
false alarms=noise
false positive=noise
false positives=noise
going on=incident list
on fire=incident
call off=cancel
called off=cancel
called on=oncall
turn off=disable
turn on=enable
switch off=disable
switch on=enable
roll back=rollback
rolled back=rollback
go back to=rollback
go away=fail
goes away=fail
goes down=fail
is down=incident outage
are down=incident outage
went down=incident outage
went out=deployed
goes red=fail
blast radius=impact
status page=statuspage
error budget=slo
service level=slo
in the lead=commander
war room=incident
stand in=override
stands in=override
false start=noise
`

// stopWords carry no information about the task.
var stopWords = setOf(`a about again all also am an and any are as at be been before but by can could did do does down each for from
	get give had has have he her here him his how i if in into is it its just know let like make may me more most must my need no nobody not
	now of off on once one only or our out over please put really say says shall she should so some than that the their them
	then there these they thing things this those to too up us use want was we well were what when where which while who whom why will with
	would yet you your its itself lately really pls ok hi hey hello thanks isn doesn don aren wasn shouldn won s t re ve ll m bit still even else i'm`)

// questionWords begin a question, or a request to see something.
var questionWords = setOf(
	"what which who whom where when why how is are does do did can show list find look read view explain anything " +
		"anybody whats whos wheres any",
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// meanings are the concepts of a stem. Each line of the table is one concept with the words for it. A word may stand
// in several lines.
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
create propose new add register onboard launch start establish make build open introduce begin setup track provision commission enter declare enlist found fresh another
delete erase scrap drop wipe purge kill destroy decommission dissolve retire dismantle discard trash eliminate remove forget unlearn nuke ditch bin axe sunset disband dump clean bury obliterate annul decommissioned dead gone obsolete
remove detach strip kick exclude unlink disconnect unassign take withdraw delete drop left revoke out pull evict expel oust unlist clear stop eject dismiss cut
add attach append pin include put join assign link move belong member insert connect note file enter store bookmark lump count hook
update change edit modify rename reword correct fix adjust amend revise alter mark set wrong typo call henceforth tweak tune rewrite instead configure reconfigure reconsider spell spelling relabel outdated incorrect flag slap
set replace promote reassign switch transfer shift swap migrate assign choose
list show which overview enumerate all exist inventory what display view everything names
get read show detail inspect open see view whole everything full picture display look info information describe
search find look lookup query locate discover know ask recall remind
system service app application microservice backend frontend component product site website shop software server gateway engine platform api infrastructure box host machine node vm cluster database db instance program tool daemon worker broker cache queue mainframe portal
description blurb wording text summary about typo spelling
tag label tier critical classification marked mark flag flagged tagged deprecated attribute sticker
owner own responsible responsibility belong charge owned ownership hand squad reassign transfer accountable steward custodian maintainer whose
team squad crew department tribe unit people division organisation company staff guild chapter dba sre folk
contact reach phone hotline mailbox email mail address person oncall pager call ring responder whom somebody people ping escalate listed
link url bookmark hyperlink address wiki dashboard board runbook repository repo page article grafana href document playbook confluence github gitlab sharepoint notion kibana datadog jenkins bitbucket diagram
group bundle collection folder cluster category set product family portfolio together bucket grouping bunch pool batch domain lump tier bundled cohort catalogue
environment stage staging production prod preprod landscape region sandbox qa uat sit test deployment tier dev live datacenter datacentre
deploy run deployed rolled place placed install installed live environment promote move
fields variable field value region parameter setting base
probe ping curl url endpoint request http https fetch reach reachable respond up homepage status answer online website wget landing host
memory remember note mind memorize recall preference habit rule forget remembered unlearn told lasting henceforth always fact earlier prefer favourite favorite noted
previous earlier before usual last agreement told again agreed
docs documentation manual handbook guide help explain chapter page tutorial howto reference instruction feature policy article countersign faq guidance
question ask clarify pick choose choice option ambiguous unclear guess guessing operator confirm
test try run execute dryrun draft sandbox check rehearse simulate compile debug trial spin
script code snippet program function typescript javascript shell bash ts js scripted scripting coding
context api library module sdk variable function use global available example
healthcheck monitor monitoring uptime check health probe availability ping watch watching watchdog heartbeat synthetic liveness readiness latency
import migrate migration migrating bring existing backup dump former predecessor
fail failing failed failure red down unhealthy error broken green degraded
automation workflow remediation runbook trigger action step playbook automatic rule bot whenever automated react cleanup robot fire
alertmanager prometheus origin originate rulegroup
incident outage disruption problem issue breakage down failure trouble broken break broke crash fire emergency meltdown sev degraded alarm
severity sev priority escalate bump downgrade major minor p1 p2 p3
resolve close solve fixed solved over finish done end resolved closed
commander lead leader coordinator charge
maintenance downtime window planned upgrade patch patching reboot servicing upkeep blackout freeze planned
cancel abort annul withdraw
extend longer prolong lengthen later overrun extra hour more
pager ring rang ringing wake woke woken phone alerted alert
postpone reschedule defer delay update
pause snooze suspend silence mute halt quiet hold disable stop
mute snooze silence ignore known quiet suppress acknowledge
history past yesterday trend ago often result latency
anomaly unusual spike strange odd deviation weird outlier abnormal unexpected detection detector peculiar suspicious normal
sensitivity threshold tolerance twitchy noisy noise sensitive fussy strict detection
slo sla objective target budget reliability burn nine promise promised percent commitment guarantee
dependency depend upstream downstream relies rely call use consume talk need
impact affect affected break consequence fallout cascade knock fail depend
role permission right access privilege
user person account people colleague employee member
notification notify alert message announce inform alarm slack mail sms send sent email
channel room slack hook webhook chat discord mattermost telegram mail sms
subscribe follow forward route event whenever sent send
oncall pager duty shift rota roster standby rotation rotate tonight weekend night escalation turn
override swap substitute cover replace exchange trade vacation instead
schedule calendar rota shift roster rotation rotate weekly plan planned biweekly daily
statuspage status customer public client visitor outside subscriber
publish post announce tell broadcast inform
enabled enable disable activate deactivate toggle turn switch
runs run ran execution executed worked fired outcome log happen
capabilities can possible able support react ability available
metric measurement cpu ram counter gauge graph chart plot timeseries latency throughput rate disk load usage export rps qps p95 p99 percentile prometheus number consumption
query graph plot chart expression
deployment release released ship shipped rollout deploy version build changelog
rollback revert undo back
ticket jira bug tracker story servicenow issue request
report monthly month availability uptime nine january february march april june july august september october november december quarter
until h am pm hour minute day week monday tuesday wednesday thursday friday saturday sunday tomorrow tonight noon midnight am pm
since yesterday today lately recently week month ago past recent
interval second sec min s every frequency often periodically
secret password credential token key vault
permission allow grant access right
history log audit past trail
`
