import { withoutIds } from "../api/problem";

const count = (digits: string, one: string, many: string) =>
  digits === "1" ? `1 ${one}` : `${Number(digits).toLocaleString("en")} ${many}`;

/** Schema errors of the API, in the words of a form. */
const found: [RegExp, (...parts: string[]) => string][] = [
  [/^expected length >= 1$/, () => "Fill this in."],
  [/^expected required property .* to be present$/, () => "Fill this in."],
  [/^expected length >= (\d+)$/, (least = "") => `At least ${count(least, "character", "characters")}.`],
  [/^expected length <= (\d+)$/, (most = "") => `At most ${count(most, "character", "characters")}.`],
  [/^expected array length >= (\d+)$/, (least = "") => `At least ${count(least, "entry", "entries")}.`],
  [/^expected array length <= (\d+)$/, (most = "") => `At most ${count(most, "entry", "entries")}.`],
  [/^expected array items to be unique$/, () => "Each entry once."],
  [/^expected number >= (-?[\d.]+)$/, (least = "") => `At least ${Number(least).toLocaleString("en")}.`],
  [/^expected number <= (-?[\d.]+)$/, (most = "") => `At most ${Number(most).toLocaleString("en")}.`],
  [/^expected (number|integer)$/, () => "Enter a number."],
  [/^expected string to be RFC 5322 email/, () => "Enter an e-mail address."],
  [/^expected string to be RFC 3986 uri/, () => "Enter an address that begins with https://."],
  [/^expected string to be RFC 4122 uuid/, () => "Choose one from the list."],
  [/^expected value to be one of "(.*)"$/, (values = "") => `One of these: ${values}.`],
  [/^expected string to match pattern /, () => "Contains a character that is not allowed."],
];

/** Server's issue, as it reads beside the field. */
export function issueWords(message: string): string {
  return schemaWords(message) ?? sentence(withoutIds(message));
}

/** The same where it stands alone, with the field that it is about. */
export function namedIssueWords({ path, message }: { path: string; message: string }): string {
  const name = pathWords(path);
  const words = schemaWords(message);
  if (name === "") return words ?? sentence(withoutIds(message));
  return words ? `${name}: ${words}` : sentence(`${name} ${withoutIds(message)}`);
}

/** "body.contacts[0].userId" as "Contacts 1, user". */
export function pathWords(path: string): string {
  const parts = path
    .replace(/^\/|^body\./, "")
    .replaceAll(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`)
    .split(/[./]/)
    .map((part) => part.replace(/Ids?(?= |$)/, "").replaceAll(/([a-z])([A-Z])/g, "$1 $2"))
    .filter((part) => part.trim() !== "");
  const words = parts.join(", ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function schemaWords(message: string): string | undefined {
  for (const [pattern, words] of found) {
    const match = pattern.exec(message);
    if (match) return words(...match.slice(1));
  }
  return undefined;
}

/** "is too long" as it reads on its own. */
function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
