import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { runQuery, systemHealthQuery } from "../api/health";
import { DetailPage } from "../ui/DetailPage";
import { Panel } from "../ui/Page";
import { fullTime } from "../ui/time";
import { duration } from "./format";
import { runWords } from "./causes";
import { targetWith } from "./locations";
import { RunReport } from "./RunReport";
import { verdictOf } from "./status";
import { verdictWords } from "./statuswords";
import { VerdictBadge } from "./StatusBadge";
import { aboutRun } from "./targets";

const route = getRouteApi("/app/health/systems/$systemId/runs/$targetId/$slot");

/** One run with its report and the outcome of each assertion. */
export function RunPage() {
  const { systemId, targetId, slot } = route.useParams();
  const { data: system } = useQuery(systemHealthQuery(systemId));
  const target = targetWith(system?.targets ?? [], Number(targetId));
  return (
    <DetailPage
      about={({ at }) => system && target && aboutRun(system, target, at)}
      badges={(run) => (
        <>
          <VerdictBadge verdict={verdictOf(run.verdict)} />
          {runWords(run)}
        </>
      )}
      description={({ message, verdict }) => message || verdictWords[verdictOf(verdict)].hint}
      name={(run) => `Run of ${fullTime(run.at)}`}
      noun="run"
      origin={(run) => `Took ${duration(run.tookMs)}`}
      query={useQuery(runQuery(Number(targetId), Number(slot)))}
      trail={[
        { label: "Health", link: { to: "/health/systems", search: {} } },
        {
          label: system?.systemName ?? "System",
          link: {
            to: "/health/systems/$systemId",
            params: { systemId },
            search: { target: Number(targetId) },
          },
        },
      ]}
    >
      {(run) => (
        <Panel title={target ? target.checkName : "Findings"}>
          {run.reported ? (
            <RunReport report={run} />
          ) : (
            <p className="text-sm text-muted-foreground">
              {run.verdict === "passed"
                ? "All assertions passed. Responses of passed runs are not kept."
                : "The response of this run is no longer kept."}
            </p>
          )}
        </Panel>
      )}
    </DetailPage>
  );
}
