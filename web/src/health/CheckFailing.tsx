import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { failingQuery, type Check } from "../api/health";
import { useNow } from "../ui/time";
import { Failing, FailureRow } from "./Failing";
import { useLive } from "./live";
import { useHealthPermission } from "./permission";

/** Where a check does not pass, before what it is. */
export function CheckFailing({ check }: { check: Check }) {
  const { status } = useHealthPermission();
  const now = useNow(10_000);
  const { data } = useQuery({ ...failingQuery(check.id), enabled: status, refetchInterval: useLive(status) });
  const worst = data?.targets[0];
  if (check.paused || !worst) return null;
  const { targets, more } = data;
  const systems = more
    ? `${targets.length} places and more`
    : targets.length === 1
      ? "1 place"
      : `${targets.length} places`;
  return (
    <Failing status={worst.status} title={`Does not pass in ${systems}`}>
      {targets.map((target) => (
        <FailureRow
          failure={target}
          key={target.id}
          name={
            <Link
              className="hover:text-primary"
              params={{ systemId: target.systemId }}
              search={{ target: target.id }}
              to="/health/systems/$systemId"
            >
              {target.systemName}
            </Link>
          }
          now={now}
        />
      ))}
    </Failing>
  );
}
