import { lazy, Suspense, useState } from "react";
import type { ToolDiagnostic } from "../../api/agents";
import { loaded } from "../../api/reach";
import type { Schema } from "../../health/form/schema";
import { Skeleton } from "../../ui/Notice";
import { Panel } from "../../ui/Page";
import { ArgumentsTable } from "../tools/ArgumentsTable";
import type { Parsed } from "./draft";

const CodeField = lazy(() => loaded(() => import("../../health/form/CodeField")));

interface ArgumentsFieldProps {
  text: string;
  parsed: Parsed;
  /** Issues that the server has found in the schema. */
  issues: readonly ToolDiagnostic[];
  writable: boolean;
  onChange: (text: string) => void;
}

/** The schema of the arguments as JSON, and its members as a table. */
export function ArgumentsField({ text, parsed, issues, writable, onChange }: ArgumentsFieldProps) {
  // The editor holds its own text: one that comes from elsewhere needs another editor.
  const [held, setHeld] = useState({ text, round: 0 });
  if (held.text !== text) setHeld({ text, round: held.round + 1 });
  const change = (next: string) => {
    setHeld({ text: next, round: held.round });
    onChange(next);
  };
  return (
    <Panel title="Arguments">
      <div className="flex flex-col gap-3">
        {writable && (
          <>
            <Suspense fallback={<Skeleton className="h-72 w-full" />}>
              <CodeField
                declarations=""
                id="args-schema"
                key={held.round}
                label="JSON schema of the arguments"
                language="json"
                name="args-schema"
                onChange={change}
                value={text}
              />
            </Suspense>
            {parsed.issue && (
              <p className="text-sm text-danger" data-testid="schema-issue" role="alert">
                {parsed.issue}
              </p>
            )}
            {issues.map(({ code, message, hint }) => (
              <p className="text-sm text-danger" data-testid="schema-issue" key={`${code} ${message}`}>
                {message}
                {hint && <span className="block text-muted-foreground">{hint}</span>}
              </p>
            ))}
          </>
        )}
        {parsed.value && <ArgumentsTable schema={parsed.value as Schema} />}
      </div>
    </Panel>
  );
}
