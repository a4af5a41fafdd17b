/** As much of a tree of HTML elements as tables need. */
export interface HtmlNode {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: HtmlNode[];
}

/** A word with more characters may go on in the next line, after a mark in it. */
const longWord = 20;
/** A cell with more characters is a text, and not a word or a number. */
const longText = 48;

/**
 * Prepares tables for a narrow place: each cell knows the heading of its column, for when rows are read from top to
 * bottom; a text asks for room to be read in; and long names have places where a line may end.
 */
export function tableCells() {
  return (tree: HtmlNode) => {
    for (const table of tagged(tree, "table")) {
      mark(table);
      const rows = [...tagged(table, "tr")].map(({ children = [] }) => children.filter(isCell));
      const titles = rows[0]?.every(({ tagName }) => tagName === "th") ? rows[0].map(textOf) : [];
      for (const [number, cells] of rows.entries()) {
        for (const [column, cell] of cells.entries()) {
          const title = number > 0 ? titles[column]?.trim() : undefined;
          const long = textOf(cell).length > longText;
          cell.properties = { ...cell.properties, ...(title && { dataTitle: title }), ...(long && { dataLong: "" }) };
          soften(cell);
        }
      }
    }
  };
}

const roles: Record<string, string> = {
  table: "table",
  thead: "rowgroup",
  tbody: "rowgroup",
  tr: "row",
  th: "columnheader",
  td: "cell",
};

/** What a part of a table is does not depend on how it is laid out. */
function mark(node: HtmlNode): void {
  const role = roles[node.tagName ?? ""];
  if (role) node.properties = { ...node.properties, role };
  for (const child of node.children ?? []) mark(child);
}

const isCell = ({ tagName }: HtmlNode) => tagName === "td" || tagName === "th";

export function* tagged(node: HtmlNode, name: string): Generator<HtmlNode> {
  for (const child of node.children ?? []) {
    if (child.tagName === name) yield child;
    else yield* tagged(child, name);
  }
}

function textOf(node: HtmlNode): string {
  return node.type === "text" ? (node.value ?? "") : (node.children ?? []).map(textOf).join("");
}

const wordBreak: HtmlNode = { type: "element", tagName: "wbr", properties: {}, children: [] };

function soften(node: HtmlNode): void {
  node.children = node.children?.flatMap((child) => {
    if (child.type !== "text") {
      soften(child);
      return child;
    }
    const pieces = softened(child.value ?? "").flatMap((value) => [wordBreak, { type: "text", value }]);
    return pieces.slice(1);
  });
}

/** The pieces of a text between which a line may end, besides at its spaces. */
export function softened(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const word of text.split(/(\s+)/)) {
    const [first = "", ...rest] =
      word.length > longWord ? word.split(/(?<=[/._=&?,:;@-])(?=[^/._=&?,:;@-])|(?<=[a-z\d])(?=[A-Z])/) : [word];
    piece += first;
    for (const next of rest) {
      pieces.push(piece);
      piece = next;
    }
  }
  return [...pieces, piece];
}
