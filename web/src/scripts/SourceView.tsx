import { useMemo, useState } from "react";
import { Button } from "../ui/Button";
import { Copy } from "./Blocks";
import { highlight, type Kind, type Language } from "./highlight";
import type { Problem } from "./problems";

const mostLines = 200;

const colors: Record<Kind, string> = {
  plain: "",
  comment: "text-muted-foreground italic",
  string: "text-success",
  keyword: "text-primary",
  number: "text-warning",
  variable: "text-warning",
};

interface SourceViewProps {
  source: string;
  language: Language;
  /** Each is shown below its line. */
  problems: readonly Problem[];
}

/** A script to read. */
export function SourceView({ source, language, problems }: SourceViewProps) {
  const [whole, setWhole] = useState(false);
  const lines = useMemo(() => highlight(source.replace(/\n+$/, ""), language), [source, language]);
  const shown = whole ? lines : lines.slice(0, mostLines);
  return (
    <div className="relative">
      {/* Scrolls, so that a keyboard has to reach it. */}
      <pre
        aria-label="Script"
        className="max-h-96 overflow-auto rounded-lg border bg-background py-2 font-mono text-xs leading-5"
        data-testid="script-source"
        role="group"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
      >
        {shown.map((tokens, at) => {
          const here = problems.filter(({ line }) => line === at + 1);
          return (
            // oxlint-disable-next-line react/no-array-index-key -- lines never move
            <span className="block" key={at}>
              <span className={`flex pr-10 ${here.length > 0 ? "bg-danger-soft" : ""}`}>
                <span aria-hidden="true" className="w-10 shrink-0 pr-3 text-right text-muted-foreground select-none">
                  {at + 1}
                </span>
                <code className="min-w-0 whitespace-pre-wrap wrap-anywhere">
                  {tokens.map((token, part) => (
                    // oxlint-disable-next-line react/no-array-index-key -- tokens never move
                    <span className={colors[token.kind]} key={part}>
                      {token.text}
                    </span>
                  ))}
                  {"\n"}
                </code>
              </span>
              {here.map(({ column, code, message, severity }) => (
                <span
                  className={
                    "block py-0.5 pr-2 pl-10 whitespace-pre-wrap wrap-anywhere " +
                    (severity === "error" ? "text-danger" : "text-warning")
                  }
                  data-testid="script-source-problem"
                  key={`${column} ${code} ${message}`}
                >
                  {code ? `${code}: ` : ""}
                  {message}
                </span>
              ))}
            </span>
          );
        })}
      </pre>
      <Copy className="absolute top-1 right-1 size-7 bg-background" label="Copy script" text={source} />
      {lines.length > shown.length && (
        <Button onClick={() => setWhole(true)} variant="quiet">
          Show {(lines.length - shown.length).toLocaleString("en")} more lines
        </Button>
      )}
    </div>
  );
}
