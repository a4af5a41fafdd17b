import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { connectionsQuery } from "../api/connections";
import { modelChecksQuery, passRate, type ModelCheck } from "../api/modelchecks";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { Row, Rows } from "../ui/Rows";
import { fullTime } from "../ui/time";
import { Trail, type Crumb } from "../ui/Trail";
import { ModelCheckForm } from "./ModelCheckForm";
import { ModelCheckReport } from "./ModelCheckReport";
import { percent } from "./modelcheckwords";

const route = getRouteApi("/app/admin/connections/$connectionId/check");
const above: Crumb[] = [{ label: "Connections", link: { to: "/admin/connections" } }];

/** Checks of the models of one connection, each of which can stand beside any other. */
export function ModelCheckPage() {
  const { connectionId } = route.useParams();
  const { check, beside } = route.useSearch();
  const navigate = useNavigate();
  const connections = useQuery(connectionsQuery);
  const connection = connections.data?.find(({ id }) => id === connectionId);
  const show = (search: { check?: string; beside?: string }) =>
    void navigate({ to: "/admin/connections/$connectionId/check", params: { connectionId }, search });
  return (
    <Page
      description="Tests a model with scripted situations. Nothing is executed or proposed."
      testId="model-check-page"
      title={
        connection ? `Check of ${connection.name}` : connections.data ? "There is no such connection" : "Model check"
      }
      trail={<Trail crumbs={above} />}
    >
      <ErrorNotice error={connections.error} onRetry={() => void connections.refetch()} />
      {connections.data && !connection && (
        <EmptyState title="It may have been deleted">Its checks are still below.</EmptyState>
      )}
      {connection && (
        <Panel title="Check this model">
          <ModelCheckForm connection={connection} onStarted={({ id }) => show({ check: id, beside })} />
        </Panel>
      )}
      {check && <ModelCheckReport beside={beside} id={check} />}
      <Checks
        beside={beside}
        check={check}
        connectionId={connectionId}
        onBeside={(id) => show({ check, beside: id })}
        onShow={(id) => show({ check: id, beside: beside === id ? undefined : beside })}
      />
    </Page>
  );
}

interface ChecksProps {
  connectionId: string;
  check: string | undefined;
  beside: string | undefined;
  onShow: (id: string) => void;
  onBeside: (id: string | undefined) => void;
}

/** All checks: those of this connection can be shown, and every other one can stand beside. */
function Checks({ connectionId, check, beside, onShow, onBeside }: ChecksProps) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(modelChecksQuery);
  const checks = data?.pages.flatMap((page) => page.checks);
  return (
    <section aria-labelledby="model-checks" className="flex flex-col gap-3">
      <h2 className="font-semibold" id="model-checks">
        Previous checks
      </h2>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!checks && !error && <SkeletonRows />}
      {checks?.length === 0 && <EmptyState title="No check yet">Start one to see what the model can do.</EmptyState>}
      {checks && checks.length > 0 && (
        <Rows itemKey={({ id }) => id} items={checks} label="Checks">
          {(one) => (
            <Row
              actions={
                <>
                  {one.connectionId === connectionId && one.id !== check && (
                    <Button onClick={() => onShow(one.id)}>Show</Button>
                  )}
                  {check && one.id !== check && (
                    <Button onClick={() => onBeside(one.id === beside ? undefined : one.id)}>
                      {one.id === beside ? "Remove from comparison" : "Compare"}
                    </Button>
                  )}
                </>
              }
              badges={<CheckBadges check={one} />}
              detail={
                `${fullTime(one.createdAt)}, by ` +
                (one.startedByName ?? (one.startedBy ? "a deleted account" : "a command on the server"))
              }
              title={`${one.connectionName}, ${one.model}`}
            />
          )}
        </Rows>
      )}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older checks
        </Button>
      )}
    </section>
  );
}

function CheckBadges({ check }: { check: ModelCheck }) {
  const share = passRate(check);
  return (
    <>
      {share !== null && <Badge>{`${percent(share)} passed`}</Badge>}
      {check.status !== "done" && (
        <Badge tone="warning">{check.status === "running" ? `${check.played} of ${check.total}` : check.status}</Badge>
      )}
    </>
  );
}
