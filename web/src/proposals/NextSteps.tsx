import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { proposeNext, type NextStep } from "../api/nextproposals";
import { proposalQuery, proposalsKey, type Proposal } from "../api/proposals";
import { useWrite } from "../api/write";
import { Button } from "../ui/Button";
import { ErrorNotice } from "../ui/Notice";
import { isLost } from "../ui/arrival";
import { decisionWords } from "./decisionwords";

interface Words {
  ask: string;
  made: string;
}

const words: Record<NextStep, Words> = {
  again: { ask: "Propose again", made: "Open the new proposal" },
  undo: { ask: "Propose to undo", made: "Open the proposal to undo it" },
};
const restore: Words = { ask: "Propose to restore", made: "Open the proposal to restore it" };

/** Deletions are restored; other changes are undone. */
function wordsOf(step: NextStep, { toolName }: Proposal): Words {
  return step === "undo" && /\.delete/.test(toolName) ? restore : words[step];
}

/** Follow-ups of an ended proposal. One that was proposed already is linked: it is made once. */
export default function NextSteps({ proposal }: { proposal: Proposal }) {
  const queryClient = useQueryClient();
  const steps = (["again", "undo"] as const).filter((step) => proposal[step]);
  const propose = useWrite({
    send: (step: NextStep) => proposeNext(proposal.proposalId, step),
    onSuccess: (made, step) => {
      queryClient.setQueryData(proposalQuery(made.proposalId).queryKey, made);
      queryClient.setQueryData(
        proposalQuery(proposal.proposalId).queryKey,
        (known) => known && { ...known, [step]: { proposalId: made.proposalId } },
      );
      for (const queryKey of [proposalsKey, ["plan", proposal.planId]])
        void queryClient.invalidateQueries({ queryKey });
    },
  });
  // The pressed button is replaced, so its replacement takes the focus.
  const link = useRef<HTMLAnchorElement>(null);
  const { data: made } = propose;
  useEffect(() => {
    if (made && isLost()) link.current?.focus();
  }, [made]);
  if (steps.length === 0) return null;
  return (
    <div className="flex flex-col gap-2">
      <ErrorNotice error={propose.error} />
      <div aria-live="polite" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        {steps.map((step) => {
          const asked = propose.variables === step;
          const known = proposal[step]?.proposalId ?? (asked ? made?.proposalId : undefined);
          const said = wordsOf(step, proposal);
          return known ? (
            <Link
              className="underline underline-offset-2"
              data-testid={`${step}-link`}
              key={step}
              ref={asked ? link : undefined}
              search={{ status: "proposed", proposal: known }}
              to="/proposals"
            >
              {said.made}
            </Link>
          ) : (
            <Button
              aria-label={`${said.ask}: ${decisionWords(proposal).toLowerCase()}`}
              busy={propose.isPending}
              data-testid={`propose-${step}`}
              key={step}
              onClick={() => propose.mutate(step)}
            >
              {said.ask}
            </Button>
          );
        })}
      </div>
    </div>
  );
}
