/** Entry of the palette, by its key; keys of chats, systems and so on hold their ids. */
export interface Entry {
  key: string;
  label: string;
  /** Detail that tells it from others, such as its part of the application. */
  detail?: string;
  /** Other words that people look for it by. */
  words?: string;
}

/** How well a text fits an entry: 0 when it does not. Each of its words must be in a word of the entry, or nearly begin one. */
export function score({ label, words = "" }: Entry, text: string): number {
  const terms = wordsOf(text);
  if (terms.length === 0) return 1;
  const name = label.toLowerCase();
  const known = wordsOf(`${label} ${words}`);
  if (name === text.trim().toLowerCase()) return 100;
  let total = 0;
  for (const term of terms) {
    const best = Math.max(...known.map((word) => fit(word, term)));
    if (best <= 0) return 0;
    total += best;
  }
  return total / terms.length + (name.startsWith(terms[0] ?? "") ? 5 : 0);
}

function fit(word: string, term: string): number {
  if (word === term) return 40;
  if (word.startsWith(term)) return 30;
  if (term.length > 2 && word.includes(term)) return 15;
  return term.length > 3 && slips(word, term) ? 8 : 0;
}

const begins = (from: string, left: string) => left !== "" && from.startsWith(left);

/** Whether a word begins so but for one letter, not the last, that is added, left out, changed, or swapped with its neighbour. */
function slips(word: string, term: string): boolean {
  let at = 0;
  while (at < term.length && word[at] === term[at]) at++;
  return (
    begins(word.slice(at), term.slice(at + 1)) ||
    begins(word.slice(at + 1), term.slice(at)) ||
    begins(word.slice(at + 1), term.slice(at + 1)) ||
    (word[at] === term[at + 1] && word[at + 1] === term[at] && begins(word.slice(at + 2), term.slice(at + 2)))
  );
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** The entries that a text fits, the best first; of equal ones those that were chosen last, then in their order. */
export function ranked<E extends Entry>(entries: readonly E[], text: string, recent: readonly string[]): E[] {
  const age = (key: string) => {
    const at = recent.indexOf(key);
    return at < 0 ? recent.length : at;
  };
  return entries
    .map((entry) => ({ entry, fits: score(entry, text) }))
    .filter(({ fits }) => fits > 0)
    .toSorted((one, other) => other.fits - one.fits || age(one.entry.key) - age(other.entry.key))
    .map(({ entry }) => entry);
}
