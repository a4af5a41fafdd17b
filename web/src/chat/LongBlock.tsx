import { createContext, memo, useContext, useMemo, type ElementType } from "react";
import { Block, type BlockProps } from "streamdown";
import { useBackward, type Pace } from "./paced";
import { piecesOf } from "./pieces";
import type { HtmlNode } from "./tablecells";

/** Leaves one kind of element of a tree, or what stands in it. */
function only({ names, whole }: { names: string[]; whole?: boolean }) {
  return (tree: HtmlNode) => {
    const found = firstOf(tree, names);
    tree.children = found ? (whole ? [found] : found.children) : [];
  };
}

function firstOf(node: HtmlNode, names: string[]): HtmlNode | undefined {
  for (const child of node.children ?? []) {
    const found = names.includes(child.tagName ?? "") ? child : firstOf(child, names);
    if (found) return found;
  }
  return undefined;
}

// The library tells what it has prepared by the name and the options of each plugin.
const head = { names: ["thead"], whole: true };
const rows = { names: ["tbody"] };
const items = { names: ["ul", "ol"] };

/** Which blocks of a Markdown are drawn: those from the first one on, and how those that are long themselves. */
export const Drawn = createContext<{ first: number; pace: Pace }>({ first: 0, pace: undefined });

/**
 * A block of a Markdown. A long table or list is read and drawn in pieces, between which whatever is more urgent goes first. It is
 * one table or list all the same.
 */
export const LongBlock = memo(function LongBlock(props: BlockProps) {
  const { content } = props;
  const { first } = useContext(Drawn);
  const pieces = useMemo(() => piecesOf(content), [content]);
  if (props.index < first) return null;
  if (!pieces) return <Block {...props} />;
  return pieces.kind === "table" ? (
    <LongTable {...props} texts={pieces.texts} />
  ) : (
    <LongList {...props} texts={pieces.texts} />
  );
});

type PiecesProps = BlockProps & { texts: string[] };

/** What prepares a block, and leaves a part of it. It has to stay the same while the block does. */
function useOnly({ rehypePlugins }: BlockProps, options: Parameters<typeof only>[0]) {
  return useMemo(
    (): BlockProps["rehypePlugins"] => [...(rehypePlugins ?? []), [only, options]],
    [rehypePlugins, options],
  );
}

const part = ({ components }: BlockProps, name: "table" | "tbody" | "ul" | "ol") =>
  (components?.[name] ?? name) as ElementType;

function LongTable({ texts, ...props }: PiecesProps) {
  const forHead = useOnly(props, head);
  const forRows = useOnly(props, rows);
  const first = useBackward(texts, useContext(Drawn).pace);
  const [Table, Body] = [part(props, "table"), part(props, "tbody")];
  const titles = useMemo(() => (texts[0] ?? "").split("\n", 2).join("\n"), [texts]);
  return (
    <Table role="table">
      <Block {...props} content={titles} isIncomplete={false} rehypePlugins={forHead} />
      <Body role="rowgroup">
        {texts.map((text, place) =>
          place < first ? null : (
            // oxlint-disable-next-line react/no-array-index-key -- a piece is what stands at its place
            <Block {...props} content={text} isIncomplete={false} key={place} rehypePlugins={forRows} />
          ),
        )}
      </Body>
    </Table>
  );
}

const task = /^\S+\s+\[[ xX]\]\s/m;

function LongList({ texts, ...props }: PiecesProps) {
  const forItems = useOnly(props, items);
  const first = useBackward(texts, useContext(Drawn).pace);
  const number = /^\d+/.exec(texts[0] ?? "")?.[0];
  const tasks = texts.some((text) => task.test(text));
  const name = number === undefined ? "ul" : "ol";
  const List = (props.components?.[name] ?? name) as ElementType;
  return (
    <List
      className={tasks ? "contains-task-list" : undefined}
      start={number && number !== "1" ? Number(number) : undefined}
    >
      {texts.map((text, place) =>
        place < first ? null : (
          <Block
            {...props}
            content={text}
            isIncomplete={props.isIncomplete && place === texts.length - 1}
            // oxlint-disable-next-line react/no-array-index-key -- a piece is what stands at its place
            key={place}
            rehypePlugins={forItems}
          />
        ),
      )}
    </List>
  );
}
