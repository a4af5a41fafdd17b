import { lazy, Suspense } from "react";
import type { CollectorKind, Kinds } from "../../api/health";
import { loaded } from "../../api/reach";
import { IconButton } from "../../ui/IconButton";
import { Skeleton } from "../../ui/Notice";
import { AssertionBuilder } from "../assertions/AssertionBuilder";
import { fieldsOf } from "../assertions/operators";
import type { FormSurroundings } from "../form/context";
import { below, type Issues } from "../form/issues";
import type { Schema } from "../form/schema";
import type { DraftCollector } from "./draft";

// The form library is only loaded with the editor.
const SchemaForm = lazy(() => loaded(() => import("../form/SchemaForm")));

interface CollectorEditorProps {
  collector: DraftCollector;
  kind: CollectorKind | undefined;
  operators: Kinds["operators"];
  surroundings: Omit<FormSurroundings, "issues" | "name">;
  issues: Issues;
  /** Its result in the last draft run. */
  sample?: Record<string, unknown>;
  onChange: (collector: DraftCollector) => void;
  /** Undefined for the last one. */
  onRemove?: () => void;
}

/** Settings of one collector and the assertions on its result. */
export function CollectorEditor(props: CollectorEditorProps) {
  const { collector, kind, operators, surroundings, issues, sample, onChange, onRemove } = props;
  const result = (kind?.resultSchema ?? {}) as Schema;
  return (
    <section className="rounded-xl border bg-card shadow-raised" data-testid="collector">
      <header className="flex min-h-13 items-center justify-between gap-3 border-b px-4 py-2">
        <div className="min-w-0">
          <h2 className="text-sm font-semibold">{kind?.name ?? collector.collectorId}</h2>
          {kind && <p className="text-xs text-muted-foreground">{kind.description}</p>}
        </div>
        {onRemove && (
          <IconButton icon="trash" label={`Remove ${kind?.name ?? collector.collectorId}`} onClick={onRemove} />
        )}
      </header>
      <div className="flex flex-col gap-5 p-4">
        {issues.get("") && <p className="text-sm text-danger">{issues.get("")}</p>}
        {issues.get("collectorId") && <p className="text-sm text-danger">{issues.get("collectorId")}</p>}
        <Suspense fallback={<Skeleton className="h-24 w-full" />}>
          <SchemaForm
            {...surroundings}
            issues={below(issues, "config")}
            name={`collector-${collector.id}`}
            onChange={(config) => onChange({ ...collector, config })}
            schema={(kind?.configSchema ?? {}) as Schema}
            value={collector.config}
          />
        </Suspense>
        {below(issues, "config").get("") && <p className="text-sm text-danger">{below(issues, "config").get("")}</p>}
        <div className="flex flex-col gap-2">
          <h3 className="text-sm font-medium">Assertions</h3>
          <AssertionBuilder
            assertions={collector.assertions}
            fields={fieldsOf(result)}
            issues={issues}
            needs={kind?.needsAssertions}
            onChange={(assertions) => onChange({ ...collector, assertions })}
            operators={operators}
            sample={sample}
          />
        </div>
      </div>
    </section>
  );
}
