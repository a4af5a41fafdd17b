/** A word with more characters may go on in the next line, after a mark in it. */
const longWord = 20;

/** The pieces of a text between which a line may end, besides at its spaces: long names have places where they may go on in the next. */
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
