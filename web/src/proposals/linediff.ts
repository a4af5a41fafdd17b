export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Above this many comparisons the texts are shown as replaced as a whole. */
const comparisonLimit = 1_000_000;

/** Line difference by longest common subsequence; removals come before additions. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = before.split("\n");
  const fresh = after.split("\n");
  if (old.length * fresh.length > comparisonLimit) {
    return [...old.map(line("removed")), ...fresh.map(line("added"))];
  }

  // length[i][j] is the longest common subsequence of old[i..] and fresh[j..].
  const width = fresh.length + 1;
  const length = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      length[i * width + j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }

  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length && j < fresh.length) {
    if (old[i] === fresh[j]) {
      lines.push({ kind: "same", text: old[i++] ?? "" });
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ kind: "removed", text: old[i++] ?? "" });
    } else {
      lines.push({ kind: "added", text: fresh[j++] ?? "" });
    }
  }
  return [...lines, ...old.slice(i).map(line("removed")), ...fresh.slice(j).map(line("added"))];
}

function line(kind: DiffLine["kind"]): (text: string) => DiffLine {
  return (text) => ({ kind, text });
}
