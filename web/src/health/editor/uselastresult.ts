import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { assignmentsQuery, runQuery, runsQuery, type Check } from "../../api/health";
import { useHealthPermission } from "../permission";
import { resultsOf } from "./results";

/** Last result of each collector of a check, as far as it was kept and is visible. */
export function useLastResult(check: Check | undefined): ReadonlyMap<string, Record<string, unknown>> {
  const { details } = useHealthPermission();
  const may = check !== undefined && details;
  const { data: assignments } = useInfiniteQuery({ ...assignmentsQuery(check?.id ?? ""), enabled: may });
  const target = assignments?.pages[0]?.systems.flatMap(({ targets }) => targets).find(({ active }) => active)?.id;
  const { data: runs } = useInfiniteQuery({ ...runsQuery(target ?? 0, undefined), enabled: target !== undefined });
  // Passed results are kept now and then only, failed ones always.
  const judged = runs?.pages[0]?.runs.filter(({ verdict }) => verdict === "failed" || verdict === "passed");
  const slot = (judged?.find(({ verdict }) => verdict === "failed") ?? judged?.at(-1))?.slot;
  const { data: run } = useQuery({ ...runQuery(target ?? 0, slot ?? 0), enabled: slot !== undefined });
  return resultsOf(run?.collectors);
}
