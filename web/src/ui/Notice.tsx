import type { ReactNode } from "react";
import { explain, Problem } from "../api/problem";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { namedIssueWords } from "./issuewords";

interface ErrorNoticeProps {
  error: unknown;
  onRetry?: () => void;
  className?: string;
}

/** Shows why something failed in the server's own words. Renders nothing without an error. */
export function ErrorNotice({ error, onRetry, className = "" }: ErrorNoticeProps) {
  if (!error) return null;
  const document = error instanceof Problem ? error.document : undefined;
  const issues = document?.issues ?? [];
  // Which name them, in the words of the API.
  const repeats = issues.length > 0 && /^(The request is not valid|Please correct):/.test(document?.detail ?? "");
  return (
    <div
      className={`flex items-start gap-2.5 rounded-lg bg-danger-soft px-3 py-2.5 text-sm text-danger ${className}`}
      data-testid="error"
      role="alert"
    >
      <Icon className="mt-0.5" name="alert" size={16} />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">{repeats ? "Parts of this are unusable:" : explain(error)}</p>
        {issues.length > 0 && (
          <ul className="mt-1 list-disc pl-4">
            {issues.map((issue) => (
              <li className="wrap-anywhere" key={`${issue.path} ${issue.message}`}>
                {namedIssueWords(issue)}
              </li>
            ))}
          </ul>
        )}
        {document?.missingRules && document.missingRules.length > 0 && (
          <p className="mt-1">
            Missing: <code className="font-mono text-xs">{document.missingRules.join(", ")}</code>
          </p>
        )}
      </div>
      {onRetry && (
        <Button className="-my-1 min-h-8" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div
      className="flex flex-col items-center rounded-xl border border-dashed px-6 py-12 text-center"
      data-testid="empty-state"
    >
      <p className="font-medium">{title}</p>
      {children && <p className="mt-1 max-w-md text-sm text-muted-foreground">{children}</p>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}

export function Skeleton({ className = "" }: { className?: string }) {
  return <div aria-hidden="true" className={`animate-pulse rounded-md bg-muted ${className}`} />;
}

/** Placeholder lines for a list that is being read. */
export function SkeletonRows({ rows = 4 }: { rows?: number }) {
  return (
    <div aria-label="Loading" className="flex flex-col gap-2" role="status">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton className="h-14 w-full" key={row} />
      ))}
    </div>
  );
}
