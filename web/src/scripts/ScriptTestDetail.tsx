import { useMemo } from "react";
import { Json } from "../proposals/ChangeView";
import { buttonShape } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { mergeProblems, problemsOf, thrownAt } from "./problems";
import { Report } from "./Report";
import { handOver } from "./handover";
import type { ScriptTestCall } from "./scripttest";
import { SourceView } from "./SourceView";

/** A test of the assistant, to read: the script with what is wrong in it, and how the run went. */
export function ScriptTestDetail({ test }: { test: ScriptTestCall }) {
  const { place, source, outcome, given } = test;
  const problems = useMemo(() => {
    const thrown = thrownAt(outcome, source);
    return mergeProblems(problemsOf(outcome.diagnostics, source), thrown ? [thrown] : []);
  }, [outcome, source]);
  return (
    <div className="flex flex-col gap-3" data-testid="script-test">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-xs text-muted-foreground">{place.label}</p>
        <a
          className={`${buttonShape} min-h-8 border-transparent px-2 text-muted-foreground hover:bg-muted hover:text-foreground`}
          data-testid="script-handover"
          href={`/scripts?context=${place.id}`}
          onClick={() => handOver(test)}
        >
          <Icon name="script" size={15} /> Open in the playground
        </a>
      </div>
      <SourceView language={place.language} problems={problems} source={source} />
      {Object.keys(given).length > 0 && (
        <details>
          <summary className="text-xs text-muted-foreground">Run context</summary>
          <div className="mt-1">
            <Json value={given} />
          </div>
        </details>
      )}
      <Report area={place.area} language={place.language} outcome={outcome} />
    </div>
  );
}
