import type { ScriptPosition } from "../api/scripts";

interface FrameLinkProps {
  at: ScriptPosition;
  /** The function that it is in. */
  name?: string;
  /** The engine's names for the body of a source, which mean nothing to its author. */
  nameless: ReadonlySet<string>;
  /** Leads to the place; without it, it is named only. */
  onGoTo?: (position: ScriptPosition) => void;
  testId: string;
}

/** One place of a stack. */
export function FrameLink({ at, name = "", nameless, onGoTo, testId }: FrameLinkProps) {
  const text = `${name === "" || nameless.has(name) ? "" : `${name}, `}line ${at.line}, column ${at.column}`;
  if (!onGoTo) return text;
  return (
    <button
      className="text-left underline underline-offset-2"
      data-testid={testId}
      onClick={() => onGoTo(at)}
      type="button"
    >
      {text}
    </button>
  );
}
