/** Kind of a piece of a script, for its color. */
export type Kind = "plain" | "comment" | "string" | "keyword" | "number" | "variable";

export interface Token {
  kind: Kind;
  text: string;
}

export type Language = "typescript" | "shell";

const words: Record<Language, ReadonlySet<string>> = {
  typescript: new Set(
    (
      "abstract any as async await boolean break case catch class const continue declare default delete do " +
      "else enum export extends false finally for from function if implements import in instanceof " +
      "interface is keyof let namespace never new null number object of private protected public readonly " +
      "return satisfies static string super switch this throw true try type typeof undefined unknown var " +
      "void while yield"
    ).split(" "),
  ),
  shell: new Set(
    (
      "break case continue do done elif else esac exit export fi for function if in local readonly return " +
      "set shift then trap until unset while"
    ).split(" "),
  ),
};

// Each alternative is one kind. A regular expression of the script follows something that a value cannot follow, and is looked
// for no further than a little way, so that a long line without its end takes no time.
const patterns: Record<Language, RegExp> = {
  typescript:
    /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\[^]|[^`\\])*`?|(?<=[(,=:[!&|?{};\n]\s{0,8}|\breturn )\/(?:\\.|\[(?:\\.|[^\]\\\n]){0,80}\]|[^/\\\n[]){1,80}\/[a-z]*)|(?<number>(?<![\w$])\d[\w.]*)|(?<word>[A-Za-z_$][\w$]*)/g,
  shell:
    /(?<comment>(?<=^|[\s;(])#[^\n]*)|(?<string>"(?:\\[^]|[^"\\])*"?|'[^']*'?)|(?<variable>\$\{[^}\n]*\}?|\$(?:\w+|[?#@*!$-]))|(?<number>(?<![\w.$/-])\d+(?![\w./-]))|(?<word>[A-Za-z_][\w-]*)/g,
};

/** The lines of a script in colored pieces. It is a look only: whatever is not known is plain. */
export function highlight(source: string, language: Language): Token[][] {
  const lines: Token[][] = [[]];
  const add = (kind: Kind, text: string) => {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ kind, text: part });
    }
  };
  const text = source.replaceAll("\r\n", "\n");
  let after = 0;
  for (const match of text.matchAll(patterns[language])) {
    const kind = kindOf(match, language);
    if (kind === "plain") continue;
    add("plain", text.slice(after, match.index));
    add(kind, match[0]);
    after = match.index + match[0].length;
  }
  add("plain", text.slice(after));
  return lines;
}

function kindOf({ groups = {} }: RegExpMatchArray, language: Language): Kind {
  if (groups.word !== undefined) return words[language].has(groups.word) ? "keyword" : "plain";
  for (const kind of ["comment", "string", "variable", "number"] as const) {
    if (groups[kind] !== undefined) return kind;
  }
  return "plain";
}
