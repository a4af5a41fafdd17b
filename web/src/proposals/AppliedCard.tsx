import { useQuery } from "@tanstack/react-query";
import { proposalQuery, type Proposal } from "../api/proposals";
import { settingsQuery, workflowUrl } from "../api/session";
import { Icon } from "../ui/Icon";
import { fullTime } from "../ui/time";
import { CardFrame } from "./CardFrame";
import { ChangeView } from "./ChangeView";
import { AfterOutcome, ResultLink } from "./Outcome";
import { ToolAnswer } from "./ToolAnswer";

/** A change that auto mode applied without asking; read-only. */
export function AppliedCard({ card }: { card: Proposal }) {
  const { data: settings } = useQuery(settingsQuery);
  const { data: live } = useQuery(proposalQuery(card.proposalId));
  const at = live?.decidedAt ?? card.decidedAt;
  return (
    <CardFrame
      effect={card.effect}
      status="applied"
      summary={card.summary}
      testId="applied-card"
      toolName={card.toolName}
      workflowUrl={workflowUrl(settings, `proposal/${card.proposalId}`)}
    >
      <ChangeView diff={card.diff} labels={card.labels} payload={card.payload} toolName={card.toolName} />
      <p className="flex items-start gap-1.5 text-sm text-success">
        <Icon className="mt-0.5" name="check" size={16} />
        <span>
          Applied automatically (auto mode){at ? `, ${fullTime(at)}` : ""}. <ResultLink proposal={card} />
        </span>
      </p>
      <ToolAnswer proposal={card} />
      {live && <AfterOutcome proposal={live} />}
    </CardFrame>
  );
}
