import type { DefinitionIssue } from "../api/automations";
import { Badge } from "../ui/Badge";

interface IssuesProps {
  verdict: { valid: boolean; issues: DefinitionIssue[] };
  onGo: (line: number, column: number) => void;
}

/** The issues of a definition, with their places. */
export function Issues({ verdict: { valid, issues }, onGo }: IssuesProps) {
  return (
    <div className="flex w-full flex-col gap-2" data-testid="verdict" data-valid={valid}>
      <p className={`text-sm ${valid ? "text-success" : "text-danger"}`}>
        {valid ? "The definition can be saved." : "The definition cannot be saved yet."}
      </p>
      {issues.length > 0 && (
        <ul aria-label="Issues" className="flex flex-col gap-2">
          {issues.map(({ path, message, nearest, line, column = 1, warning }) => (
            <li
              className="flex flex-wrap items-baseline gap-x-2 rounded-lg border px-3 py-2 text-sm"
              data-testid="issue"
              key={`${path} ${line} ${column} ${message}`}
            >
              {line !== undefined && line > 0 && (
                <button
                  className="text-primary underline underline-offset-2 tabular-nums"
                  onClick={() => onGo(line, column)}
                  type="button"
                >
                  Line {line}, column {column}
                </button>
              )}
              {warning && <Badge tone="warning">Warning</Badge>}
              {path && <code className="font-mono text-xs wrap-anywhere">{path}</code>}
              <span className="min-w-0 wrap-anywhere">
                {message}
                {nearest && ` Did you mean ${nearest}?`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
