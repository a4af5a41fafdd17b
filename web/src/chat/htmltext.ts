/** As much of a tree of Markdown as is looked at. */
interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
}

const lineBreak = /^<br\s*\/?>$/i;
const blocks = new Set(["root", "blockquote", "listItem", "footnoteDefinition"]);
const comment = /^<!--[\s\S]*?-->$/;

/**
 * HTML in a Markdown is not read: it is shown as it was written, as the library does with it when nothing reads it. What models write
 * most of it is understood all the same: the end of a line, for which a cell of a table has no other way, and what is not meant to be seen.
 */
export function htmlText() {
  return understood;
}

function understood(node: MarkdownNode): void {
  node.children = node.children?.flatMap((child) => {
    if (child.type !== "html") {
      understood(child);
      return child;
    }
    const html = child.value?.trim() ?? "";
    if (comment.test(html)) return [];
    if (blocks.has(node.type)) return { type: "paragraph", children: [child] };
    return lineBreak.test(html) ? { type: "break" } : child;
  });
}
