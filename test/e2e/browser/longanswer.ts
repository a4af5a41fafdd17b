const rows = (count: number, row: (n: number) => string) => Array.from({ length: count }, (_, n) => row(n)).join("\n");

/**
 * All kinds of content that answers contain. The prompt is shorter than the answer, as messages have a limit: the text
 * is repeated twice.
 */
const mixed = Array.from({ length: 31 }, (_, n) =>
  [
    `## Part ${n}`,
    "Some **words** about it, `code`, and a [link](https://example.org). ".repeat(6),
    `- one\n- two\n  - and ${n}`,
    "```go",
    'func main() { fmt.Println("ready", 42) }\n'.repeat(3).trimEnd(),
    "```",
    "| name | value |\n|---|---|\n| one | two |\n| three | four |",
  ].join("\n\n"),
)
  .join("\n\n")
  .concat("\n\n");

const table = `| name | value | note |\n|---|---|---|\n${rows(420, (n) => `| system-${n} | ${n * 7} | a \`note\` about **${n}** |`)}\n`;

const list = `${rows(270, (n) => `- item ${n} with **bold**, \`code\` and [a link](https://example.org/${n})`)}\n`;

const short = `${Array.from({ length: 1_200 }, (_, n) => `Line ${n} **b**.`).join("\n\n")}\n\n`;

/** Halves of answers of about 40 kB. */
export const halves = { mixed, table, list, short };

export const writeTwice = (half: string, pace: string) => `${pace} repeat=2 text=${JSON.stringify(half)}`;

/** Half a kilobyte or a few kilobytes at a time, as fast as it goes; or a few letters, as models do. */
export const atOnce = "chunk=1500 delay_token=1us";
export const inLetters = "chunk=4";
