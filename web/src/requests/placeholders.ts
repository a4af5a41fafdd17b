/** A piece of a text: literal, or the name of a secret. */
export interface Piece {
  text: string;
  /** The secret whose value is filled in here, in words. */
  secret?: string;
}

const placeholder = /nonce_[0-9a-f]{32}/g;

/** A text with the places where secrets are filled in. names says which placeholder stands for which. */
export function piecesOf(text: string, names?: Readonly<Record<string, string>> | null): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(placeholder)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: match[0], secret: names?.[match[0]]?.replace(/^the secret /, "") ?? "a secret" });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
