import type { ScriptFrame } from "../api/scripts";

const most = 8;

/** The innermost frames of a stack; a recursion is one of them. */
export function foldFrames(stack: readonly ScriptFrame[]): {
  frames: { frame: ScriptFrame; times: number }[];
  left: number;
} {
  const folded: { frame: ScriptFrame; times: number }[] = [];
  for (const frame of stack) {
    const last = folded.at(-1);
    if (
      last &&
      last.frame.line === frame.line &&
      last.frame.column === frame.column &&
      last.frame.function === frame.function
    )
      last.times++;
    else folded.push({ frame, times: 1 });
  }
  return { frames: folded.slice(0, most), left: Math.max(0, folded.length - most) };
}
