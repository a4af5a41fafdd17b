import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { chartQuery, pollInterval, systemHealthQuery, type HealthTarget, type SystemHealth } from "../api/health";
import { buttonShape } from "../ui/Button";
import { DetailPage } from "../ui/DetailPage";
import { SelectFilter, ToggleFilter } from "../ui/Filters";
import { Icon } from "../ui/Icon";
import { EmptyState, ErrorNotice, Skeleton } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { useNow } from "../ui/time";
import type { Crumb } from "../ui/Trail";
import { Chart } from "./chart/Chart";
import { lasting } from "./format";
import { formerName, targetWith, withRuns } from "./locations";
import { useLive } from "./live";
import { NewCheckLink } from "./NewCheckLink";
import { Outages } from "./Outages";
import { useHealthPermission } from "./permission";
import { rangeOf, ranges, type Range } from "./ranges";
import { RecentRuns } from "./RecentRuns";
import { failuresOf } from "./failures";
import { StatusBadge } from "./StatusBadge";
import { SystemFailing } from "./SystemFailing";
import { targetLabel } from "./targets";
import { TargetRow } from "./TargetRow";

const route = getRouteApi("/app/health/systems/$systemId");
const trail: Crumb[] = [{ label: "Health", link: { to: "/health/systems", search: {} } }];

/** How one system is and why, how it has been, its checks and their last runs. */
export function SystemHealthPage() {
  const { systemId } = route.useParams();
  const { manage } = useHealthPermission();
  const now = useNow(10_000);
  return (
    <DetailPage
      actions={() => (
        <>
          <Link
            className={`${buttonShape} border-input bg-card hover:bg-muted`}
            params={{ systemId }}
            to="/catalog/systems/$systemId"
          >
            <Icon name="catalog" size={16} />
            Open in the catalog
          </Link>
          {manage && <NewCheckLink system={systemId} />}
        </>
      )}
      badges={({ status, since }) => (
        <>
          <StatusBadge status={status} />
          {since && <span>for {lasting(now - Date.parse(since))}</span>}
        </>
      )}
      description={(system) => (
        // On a phone the checks that fail follow at once, each with the whole of its reason.
        <span
          className={failuresOf(system.targets).length > 0 ? "line-clamp-2 md:line-clamp-none" : undefined}
          data-testid="why"
        >
          {whyOf(system)}
        </span>
      )}
      name={({ systemName }) => systemName}
      noun="system"
      query={useQuery({ ...systemHealthQuery(systemId), refetchInterval: useLive() })}
      testId="system-health"
      trail={trail}
    >
      {(system) => <Sections now={now} system={system} />}
    </DetailPage>
  );
}

/** One sentence. */
function whyOf(system: SystemHealth): string {
  if (system.why || system.reason) return system.why || system.reason || "";
  if (system.targets.length === 0) return "No checks yet: status unknown.";
  return system.status === "healthy" ? "All of its checks pass." : "No run results yet.";
}

function Sections({ system, now }: { system: SystemHealth; now: number }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { targets } = system;
  const chosen = targetWith(targets, search.target);
  const shown = rangeOf(search.range);
  const go = (change: Partial<typeof search>) =>
    void navigate({
      to: "/health/systems/$systemId",
      params: { systemId: system.systemId },
      search: { ...search, ...change },
      replace: true,
      resetScroll: false,
    });
  if (targets.length === 0 && !system.held)
    return (
      <EmptyState title="No checks yet">
        A check tests a system at an interval. Create one here, or ask the assistant.
      </EmptyState>
    );
  return (
    <>
      <SystemFailing
        now={now}
        onRuns={(target) => {
          go({ target: target.id });
          document.querySelector("[data-runs]")?.scrollIntoView();
        }}
        system={system}
      />
      {system.held?.map(({ checkId, checkName }) => (
        <p className="rounded-lg border border-warning/40 p-3 text-sm" data-testid="held" key={checkId} role="note">
          <Link className="font-medium hover:text-primary" params={{ checkId }} to="/health/checks/$checkId">
            {checkName}
          </Link>{" "}
          waits for a decision: a change of this system affects where the check sends secrets. It runs as before until a
          user who may use secrets reviews it.
        </p>
      ))}
      <ChartPanel
        chosen={chosen}
        onRange={(range) => go({ range })}
        onTarget={(target) => go({ target })}
        range={search.range}
        system={system}
      />
      <Outages
        label={chosen ? targetLabel(chosen) : system.systemName}
        of={{ systemId: system.systemId, targetId: chosen?.id, span: shown.span, days: shown.days }}
        words={shown.words}
      />
      <Panel title="Checks">
        <ul aria-label="Checks" className="-m-4 divide-y">
          {targets.map((target) => (
            <li key={target.id}>
              <TargetRow
                chosen={chosen?.id}
                now={now}
                onChoose={(id) => go({ target: id === chosen?.id ? undefined : id })}
                system={system}
                target={target}
              />
            </li>
          ))}
        </ul>
      </Panel>
      <div className="scroll-mt-4" data-runs>
        <RecentRuns
          onVerdict={(verdict) => go({ verdict })}
          system={system}
          // Without a choice, people look for the check that fails.
          target={withRuns(chosen ?? failuresOf(targets)[0] ?? targets[0])}
          verdict={search.verdict}
        />
      </div>
    </>
  );
}

interface ChartPanelProps {
  system: SystemHealth;
  chosen: HealthTarget | undefined;
  range: Range | undefined;
  onRange: (range: Range | undefined) => void;
  onTarget: (target: number | undefined) => void;
}

function ChartPanel({ system, chosen, range, onRange, onTarget }: ChartPanelProps) {
  const { id, span, days, words } = rangeOf(range);
  const { data, error, refetch } = useQuery({
    ...chartQuery({ systemId: system.systemId, targetId: chosen?.id, span, days }),
    placeholderData: keepPreviousData,
    // A minute's data is invisible in a chart of three months.
    refetchInterval: Math.min(60_000, Math.max(pollInterval, span / 500)),
  });
  const of = chosen ? targetLabel(chosen) : system.systemName;
  return (
    <Panel title="Latency and availability">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ToggleFilter
          label="Range"
          onChange={onRange}
          options={ranges.map((one) => ({ value: one.id, label: one.label }))}
          testId="range"
          value={id}
        />
        <SelectFilter
          label="Check"
          onChange={(target) => onTarget(target === undefined ? undefined : Number(target))}
          options={[
            { value: undefined, label: "All checks" },
            ...system.targets.flatMap((target) => [
              { value: String(target.id), label: targetLabel(target) },
              ...(target.locations ?? []).map((location) => ({
                value: String(location.id),
                label: `${targetLabel(target)}, from ${location.name}`,
              })),
              ...(target.formerLocations ?? []).map((location) => ({
                value: String(location.id),
                label: `${targetLabel(target)}, from ${formerName(location)}`,
              })),
            ]),
          ]}
          testId="chart-target"
          value={chosen ? String(chosen.id) : undefined}
        />
      </div>
      {data ? (
        <Chart data={data} label={`${of}, ${words}`} />
      ) : error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-85 w-full" />
      )}
    </Panel>
  );
}
