import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { calledOf } from "../agents/calledtool";
import type { Proposal } from "../api/proposals";
import { loaded } from "../api/reach";
import { meQuery } from "../api/session";
import { customTool } from "../chat/verbs";
import { answerOf } from "../requests/answer";
import { isRequestTool } from "../requests/request";
import { Skeleton } from "../ui/Notice";

// Results of custom tools and of requests can be long and are rare, so their views load on demand.
const CalledAnswer = lazy(() => loaded(() => import("../agents/CalledAnswer")));
const AnswerFacts = lazy(() => loaded(() => import("../requests/AnswerFacts")));

/** Result of an applied call made for its result: of custom tools and of requests. */
export function ToolAnswer({ proposal }: { proposal: Proposal }) {
  const { data: me } = useQuery(meQuery);
  const { toolName, result, decidedBy } = proposal;
  const request = isRequestTool(toolName);
  if (!request && !customTool(toolName)) return null;
  const called = request ? null : calledOf(result);
  const answer = request ? answerOf(result) : null;
  if (!called && !answer) {
    if (!decidedBy || !me || decidedBy.id === me.id) return null;
    return (
      <p className="text-sm text-muted-foreground" data-testid="answer-elsewhere">
        Only {decidedBy.name}, who applied it, can see the output.
      </p>
    );
  }
  return (
    <Suspense fallback={<Skeleton className="h-16 w-full" />}>
      {called && <CalledAnswer called={called} />}
      {answer && <AnswerFacts answer={answer} />}
    </Suspense>
  );
}
