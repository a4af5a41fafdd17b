/** As many rows of a table or items of a list as are drawn at a time. */
export interface Piece<T> {
  /** Source of the parts: the same source draws the same. */
  source: string;
  parts: T[];
}

/** Target length of a piece in characters; the last part may be shorter. */
const pieceCharacters = 2_000;

/** Cuts a long table or list into pieces, from its beginning: what comes at its end changes the last one. */
export function piecesOf<T>(parts: T[], sourceOf: (part: T) => string): Piece<T>[] {
  const pieces: Piece<T>[] = [];
  let last: Piece<T> | undefined;
  for (const part of parts) {
    if (!last || last.source.length >= pieceCharacters) pieces.push((last = { source: "", parts: [] }));
    last.source += `${sourceOf(part)}\n`;
    last.parts.push(part);
  }
  return pieces;
}
