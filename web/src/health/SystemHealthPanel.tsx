import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { systemHealthQuery } from "../api/health";
import { ErrorNotice, Skeleton } from "../ui/Notice";
import { Panel } from "../ui/Page";
import { count } from "./format";
import { useLive } from "./live";
import { useHealthPermission } from "./permission";
import { StatusBadge } from "./StatusBadge";

/** The health of a system on its catalog page; nothing without the right to read it. */
export function SystemHealthPanel({ systemId }: { systemId: string }) {
  const { status } = useHealthPermission();
  const { data, error } = useQuery({
    ...systemHealthQuery(systemId),
    enabled: status,
    refetchInterval: useLive(status),
  });
  if (!status) return null;
  return (
    <Panel title="Health">
      <ErrorNotice error={error} />
      {!data && !error && <Skeleton className="h-12 w-full" />}
      {data && (
        <div className="flex flex-col items-start gap-2 text-sm" data-testid="system-health-panel">
          <p className="flex flex-wrap items-center gap-2">
            <StatusBadge status={data.status} />
            <span className="text-muted-foreground">
              {data.targets.length === 0 ? "No checks." : count(data.targets.length, "check")}
            </span>
          </p>
          {data.why && data.targets.length > 0 && <p className="wrap-anywhere">{data.why}</p>}
          <Link
            className="text-primary underline underline-offset-2"
            params={{ systemId }}
            search={{}}
            to="/health/systems/$systemId"
          >
            Charts, checks and runs
          </Link>
        </div>
      )}
    </Panel>
  );
}
