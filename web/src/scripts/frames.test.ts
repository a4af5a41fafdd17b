import { expect, test } from "vitest";
import { foldFrames } from "./frames";

const frame = (line: number) => ({ function: "f", line, column: 1 });

test("A stack tells a recursion once, and ends where nobody reads on", () => {
  expect(foldFrames([frame(2), frame(2), frame(2), frame(5)])).toEqual({
    frames: [
      { frame: frame(2), times: 3 },
      { frame: frame(5), times: 1 },
    ],
    left: 0,
  });
  const deep = foldFrames(Array.from({ length: 50 }, (_, line) => frame(line)));
  expect([deep.frames.length, deep.left]).toEqual([8, 42]);
  expect(foldFrames([])).toEqual({ frames: [], left: 0 });
});
