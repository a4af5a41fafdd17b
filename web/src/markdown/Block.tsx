/* oxlint-disable react/no-array-index-key -- a part of a text is what stands at its place */
import { memo, useMemo, type ElementType, type ReactNode } from "react";
import type { MarkedToken, Token, Tokens } from "marked";
import { withoutComments } from "./blocks";
import { CodeBlock } from "./CodeBlock";
import { useBackward, type Pace } from "./paced";
import { type Piece, piecesOf } from "./pieces";
import { spans, textOf, type Look } from "./Spans";
import { Table, TableBody, TableCell, TableHead, TableRow, TableTitle } from "./Table";

interface BlockProps {
  token: MarkedToken;
  /** It stays the same object while what else a text means does. */
  look: Look;
  /** More of it may come. */
  growing?: boolean;
  /** How it is drawn when it is long. */
  pace?: Pace;
}

/** A block of a Markdown. It is drawn again when it is written otherwise. */
export const Block = memo(
  DrawnBlock,
  (before, after) =>
    before.token.raw === after.token.raw &&
    before.token.type === after.token.type &&
    before.look === after.look &&
    before.growing === after.growing &&
    before.pace === after.pace,
);

function DrawnBlock({ token, look, growing, pace }: BlockProps) {
  switch (token.type) {
    case "heading": {
      const level = `h${token.depth}`;
      const Heading: ElementType = (level === "h2" || level === "h3" ? look.parts[level] : undefined) ?? Title;
      return <Heading>{spans(token.tokens, look)}</Heading>;
    }
    case "code":
      return <CodeBlock code={token.text} growing={growing && isOpen(token.raw)} language={languageOf(token.lang)} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks growing={growing} look={look} tokens={token.tokens} />
        </blockquote>
      );
    case "hr":
      return <hr />;
    case "list":
      return <LongList growing={growing} look={look} pace={pace} token={token} />;
    case "table":
      return <LongTable look={look} pace={pace} token={token} />;
    case "html": {
      const html = withoutComments(token.raw);
      return html === "" ? null : <p>{html}</p>;
    }
    case "paragraph":
      return <p className={token.pre ? "whitespace-pre-wrap" : undefined}>{spans(token.tokens, look)}</p>;
    case "space":
    case "def":
      return null;
    default:
      return spans([token], look);
  }
}

interface BlocksProps extends Omit<BlockProps, "token"> {
  tokens: Token[];
}

/** Blocks that stand in another one. */
function Blocks({ tokens, growing, ...look }: BlocksProps) {
  return tokens.map((token, place) => (
    <Block {...look} growing={growing && place === tokens.length - 1} key={place} token={token as MarkedToken} />
  ));
}

/** A model may begin with any heading level. Levels are shifted to follow the answer's heading without a gap. */
function Title({ children }: { children: ReactNode }) {
  return <h3 className="font-semibold">{children}</h3>;
}

const languageOf = (lang: string | undefined) => /^[\w+#-]+/.exec(lang ?? "")?.[0] ?? "";

/** Says whether a code is without its end yet. */
function isOpen(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  return fence !== undefined && !(/\n {0,3}([`~]+)\s*$/.exec(raw)?.[1] ?? "").startsWith(fence);
}

/** Draws long things in pieces, between which whatever is more urgent goes first. */
function usePieces<T>(parts: T[], sourceOf: (part: T) => string, pace: Pace): (Piece<T> | null)[] {
  const pieces = useMemo(() => piecesOf(parts, sourceOf), [parts, sourceOf]);
  const sources = useMemo(() => pieces.map(({ source }) => source), [pieces]);
  const first = useBackward(sources, pace);
  return pieces.map((piece, place) => (place < first ? null : piece));
}

const itemSource = ({ raw }: Tokens.ListItem) => raw.trimEnd();

function LongList({ token, growing, look, pace }: BlockProps & { token: Tokens.List }) {
  const pieces = usePieces(token.items, itemSource, pace);
  const List = token.ordered ? "ol" : "ul";
  return (
    <List
      className={token.items.some(({ task }) => task) ? "contains-task-list" : undefined}
      start={token.ordered && token.start !== 1 ? Number(token.start) : undefined}
    >
      {pieces.map(
        (piece, place) =>
          piece && (
            <Items
              growing={growing && place === pieces.length - 1}
              key={place}
              look={look}
              loose={token.loose}
              piece={piece}
            />
          ),
      )}
    </List>
  );
}

interface ItemsProps {
  piece: Piece<Tokens.ListItem>;
  loose: boolean;
  look: Look;
  growing: boolean | undefined;
}

const Items = memo(
  ({ piece, look, growing }: ItemsProps) =>
    piece.parts.map((item, place) => (
      <li key={place}>
        <Blocks growing={growing && place === piece.parts.length - 1} look={look} tokens={item.tokens} />
      </li>
    )),
  (before, after) =>
    before.piece.source === after.piece.source &&
    before.loose === after.loose &&
    before.look === after.look &&
    before.growing === after.growing,
);

type Row = Tokens.TableCell[];

const rowSource = (row: Row) => row.map(({ text }) => text).join("\n");

/** Each cell knows the heading of its column, for when rows are read from top to bottom. */
function LongTable({ token, look, pace }: BlockProps & { token: Tokens.Table }) {
  const pieces = usePieces(token.rows, rowSource, pace);
  const narrow = useMemo(() => ({ ...look, narrow: true }), [look]);
  const titles = token.header.map(({ tokens }) => textOf(tokens).trim());
  return (
    <Table role="table">
      <TableHead role="rowgroup">
        <TableRow role="row">
          {token.header.map((cell, column) => (
            <TableTitle {...cellLook(cell)} key={column} role="columnheader">
              {spans(cell.tokens, narrow)}
            </TableTitle>
          ))}
        </TableRow>
      </TableHead>
      <TableBody role="rowgroup">
        {pieces.map(
          (piece, place) =>
            piece && <Rows head={headOf(token.raw)} key={place} look={narrow} piece={piece} titles={titles} />,
        )}
      </TableBody>
    </Table>
  );
}

/** The titles of a table, and where its columns stand. */
const headOf = (raw: string) => raw.split("\n", 2).join("\n");

interface RowsProps {
  piece: Piece<Row>;
  /** Source of the titles, and alignment of columns. */
  head: string;
  titles: string[];
  look: Look;
}

const Rows = memo(
  ({ piece, titles, look }: RowsProps) =>
    piece.parts.map((row, place) => (
      <TableRow key={place} role="row">
        {row.map((cell, column) => (
          <TableCell {...cellLook(cell)} data-title={titles[column] || undefined} key={column} role="cell">
            {spans(cell.tokens, look)}
          </TableCell>
        ))}
      </TableRow>
    )),
  (before, after) =>
    before.piece.source === after.piece.source && before.head === after.head && before.look === after.look,
);

/** A cell with more characters is a text, which asks for room to be read in, and not a word or a number. */
const longText = 48;

const cellLook = ({ tokens, align }: Tokens.TableCell) => ({
  "data-long": textOf(tokens).length > longText ? "" : undefined,
  style: align ? { textAlign: align } : undefined,
});
