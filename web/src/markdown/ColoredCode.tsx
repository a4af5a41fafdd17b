import { memo, useDeferredValue, useMemo } from "react";
import { markedLines, tokensOf } from "./highlight";

/** Streaming code is coloured up to this length, as each word means parsing all of it again. */
const growingCharacters = 8_000;
/** Longer code stays as it is: colours for it would hold everything else up. */
const mostCharacters = 50_000;

interface ColoredCodeProps {
  code: string;
  language: string;
  /** More of it may come. */
  growing: boolean;
}

/** Code in the colours of its language, as soon as the browser has nothing more urgent to do. */
export default function ColoredCode({ code, language, growing }: ColoredCodeProps) {
  const wanted = code.length > mostCharacters ? "" : growing ? wholeLines(code) : code;
  const colored = useDeferredValue(wanted, "");
  const lines = useMemo(() => (colored === "" ? null : markedLines(colored, language)), [colored, language]);
  if (!lines || !code.startsWith(colored)) return code;
  return (
    <>
      {lines.map((line, number) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line is what stands at its place
        <Line key={number} last={number === lines.length - 1} marked={line} />
      ))}
      {code.slice(colored.length)}
    </>
  );
}

function wholeLines(code: string): string {
  if (code.length <= growingCharacters) return code;
  return code.slice(0, code.lastIndexOf("\n", growingCharacters) + 1);
}

/** Drawn once for as long as it stays the same. */
const Line = memo(function Line({ marked, last }: { marked: string; last: boolean }) {
  return (
    <>
      {tokensOf(marked).map(({ kind, text }, place) =>
        kind === "" ? (
          text
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- a token is what stands at its place
          <span className={`code-${kind}`} key={place}>
            {text}
          </span>
        ),
      )}
      {last ? null : "\n"}
    </>
  );
});
