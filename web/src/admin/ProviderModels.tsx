import type { ModelsAnswer } from "../api/connections";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { ErrorNotice } from "../ui/Notice";
import { UseAddress } from "./ConnectionCheck";
import { outcomeTitles } from "./offeredmodels";

interface ProviderModelsProps {
  answer: ModelsAnswer | undefined;
  busy: boolean;
  error: Error | null;
  onAsk: () => void;
  /** Takes another base URL, at which the provider answers. */
  onCorrect: (url: string) => void;
}

/** Loads the provider's models and shows the result; names can also be typed. */
export function ProviderModels({ answer, busy, error, onAsk, onCorrect }: ProviderModelsProps) {
  return (
    <div className="flex flex-col items-start gap-2 sm:col-span-2">
      <Button busy={busy} data-testid="ask-models" onClick={onAsk}>
        Load models from the provider
      </Button>
      <div aria-live="polite" className="w-full empty:hidden" data-testid="models-answer">
        {answer?.outcome === "listed" && !busy && (
          <p className="text-sm text-muted-foreground">
            {answer.message} Choose from them in the fields above.
            {answer.leftOut ? ` ${answer.leftOut.toLocaleString("en")} more are not shown; type their names.` : ""}
          </p>
        )}
        {answer && answer.outcome !== "listed" && !busy && (
          <div className="flex items-start gap-2 rounded-lg bg-danger-soft px-3 py-2 text-sm text-danger">
            <Icon className="mt-0.5 shrink-0" name="alert" size={16} />
            <div className="min-w-0 wrap-anywhere">
              <p className="font-medium">{outcomeTitles[answer.outcome]}</p>
              <p className="whitespace-pre-wrap">{answer.message}</p>
            </div>
          </div>
        )}
        {!busy && <UseAddress onUse={onCorrect} url={answer?.correctedUrl} />}
        <ErrorNotice error={error} />
      </div>
    </div>
  );
}
