import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ImportedCheck, ImportReport } from "../../api/health";
import { Badge, type Tone } from "../../ui/Badge";
import { Panel } from "../../ui/Page";

const outcomes: Record<ImportedCheck["outcome"], { before: string; after: string; tone: Tone }> = {
  created: { before: "is created", after: "created", tone: "success" },
  updated: { before: "is changed", after: "changed", tone: "primary" },
  unchanged: { before: "stays", after: "stayed", tone: "neutral" },
  refused: { before: "is refused", after: "refused", tone: "danger" },
};

interface ReportProps {
  report: ImportReport;
  done: boolean;
  actions: ReactNode;
  children: ReactNode;
}

/** Effect of an import, check by check. */
export function Report({ report, done, actions, children }: ReportProps) {
  const { created, updated, unchanged, checks, valid } = report;
  const sum = [`${created} created`, `${updated} changed`, `${unchanged} unchanged`].join(", ");
  return (
    <Panel title={done ? "Import results" : "Preview"}>
      {children}
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm" data-testid="import-sum" role="status">
          {valid ? `${sum}.` : "Nothing is imported while a check is refused."}
        </p>
        {actions}
      </div>
      <ul aria-label="Checks of the document" className="-mx-4 -mb-4 divide-y border-t">
        {checks.map((check) => (
          <Outcome check={check} done={done} key={check.name} />
        ))}
      </ul>
    </Panel>
  );
}

function Outcome({ check, done }: { check: ImportedCheck; done: boolean }) {
  const { name, id, outcome, changes, errors, assignments, idle, line } = check;
  const words = outcomes[outcome];
  return (
    <li className="px-4 py-2.5 text-sm" data-outcome={outcome} data-testid="imported-check">
      <div className="flex flex-wrap items-center gap-2">
        {id ? (
          <Link
            className="font-medium wrap-anywhere hover:text-primary"
            params={{ checkId: id }}
            to="/health/checks/$checkId"
          >
            {name}
          </Link>
        ) : (
          <span className="font-medium wrap-anywhere">{name}</span>
        )}
        <Badge tone={words.tone}>{done ? words.after : words.before}</Badge>
        {line && <span className="text-xs text-muted-foreground">Line {line}</span>}
      </div>
      {changes.length > 0 && <p className="text-muted-foreground">Changes: {changes.join(", ")}.</p>}
      {assignments.length > 0 && (
        <p className="text-muted-foreground wrap-anywhere">For {assignments.map(({ system }) => system).join(", ")}</p>
      )}
      {idle && <p className="text-warning">Assigned to no system: it does not run.</p>}
      {errors.length > 0 && (
        <ul className="list-disc pl-5 text-danger">
          {errors.map(({ path, message }) => (
            <li className="wrap-anywhere" key={`${path} ${message}`}>
              <code className="font-mono text-xs">{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
