import { Link } from "@tanstack/react-router";
import type { Finding, Verdict } from "../../api/agents";
import { Badge } from "../../ui/Badge";
import { toolOf } from "./findings";

interface FindingsProps {
  report: Pick<Verdict, "errors" | "warnings">;
  agentId: string;
  /** The number of the revision. */
  number: number;
}

/** Obstacles to freezing a revision, and warnings; each leads to its tool. */
export function Findings({ report, agentId, number }: FindingsProps) {
  const { errors, warnings } = report;
  if (errors.length === 0 && warnings.length === 0) return null;
  return (
    <ul aria-label="Findings" className="divide-y rounded-lg border text-sm" data-testid="findings">
      {[
        ...errors.map((finding) => ({ finding, error: true })),
        ...warnings.map((finding) => ({ finding, error: false })),
      ].map(({ finding, error }) => (
        <li
          className="flex flex-wrap items-start gap-2 px-3 py-2"
          data-code={finding.code}
          data-testid="finding"
          key={`${finding.pointer} ${finding.code} ${finding.message}`}
        >
          <Badge tone={error ? "danger" : "warning"}>{error ? "error" : "warning"}</Badge>
          <span className="min-w-0 flex-1 basis-40 wrap-anywhere">{finding.message}</span>
          <Where agentId={agentId} finding={finding} number={number} />
        </li>
      ))}
    </ul>
  );
}

/** Leads to the tool that a finding is about. */
function Where({ finding, agentId, number }: { finding: Finding; agentId: string; number: number }) {
  const tool = toolOf(finding);
  if (!tool) return null;
  return (
    <Link
      className="shrink-0 underline underline-offset-2"
      search={{ agent: agentId, revision: number, tool }}
      to="/agents/editor"
    >
      Open {tool}
    </Link>
  );
}
