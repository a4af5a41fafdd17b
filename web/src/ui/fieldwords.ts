/** Name of a field in the form: its label, or the legend of its choices. */
export function labelOf(form: HTMLFormElement | null, name: string): string {
  const field = fieldOf(form, name);
  if (field instanceof HTMLFieldSetElement) return field.querySelector("legend")?.textContent || name;
  return (field && "labels" in field && (field as HTMLInputElement).labels?.[0]?.textContent) || name;
}

/** Value of a field, as the form would show it. */
export function wordsOf(form: HTMLFormElement | null, name: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => wordsOf(form, name, one)).join(", ");
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "object") {
    const parts = Object.values(value).filter((part) => typeof part === "string" && part !== "");
    return parts.join(" · ");
  }
  const text = String(value);
  const field = fieldOf(form, name);
  if (field instanceof HTMLSelectElement) return optionOf(field, text) ?? text;
  if (field instanceof HTMLFieldSetElement) return choiceOf(field, text) ?? text;
  return text;
}

const fieldOf = (form: HTMLFormElement | null, name: string) => form?.elements.namedItem(name) ?? null;

const optionOf = (field: HTMLSelectElement, value: string) =>
  [...field.options].find((option) => option.value === value)?.text;

const choiceOf = (field: HTMLFieldSetElement, value: string) =>
  [...field.querySelectorAll("input")].find((input) => input.value === value)?.labels?.[0]?.firstChild?.textContent;
