import type { DocRef } from "../api/docs";

/** The parts of the documentation in the order in which people need them; others follow. */
const known: [folder: string, title: string][] = [
  ["", "Start here"],
  ["concepts", "Concepts"],
  ["catalog", "Catalog"],
  ["how-to", "How-to"],
  ["operations", "Operations"],
  ["reference", "Reference"],
];

export interface DocSection {
  title: string;
  pages: DocRef[];
}

/** The pages by the part that they belong to; within a part by title, but what one reads first comes first. */
export function sectionsOf(pages: readonly DocRef[]): DocSection[] {
  const folders = new Map<string, DocRef[]>(known.map(([folder]) => [folder, []]));
  for (const page of pages) {
    const folder = page.slug.includes("/") ? page.slug.slice(0, page.slug.indexOf("/")) : "";
    folders.set(folder, [...(folders.get(folder) ?? []), page]);
  }
  const first = ["index", "getting-started"];
  const place = ({ slug }: DocRef) => (first.indexOf(slug) + first.length + 1) % (first.length + 1);
  return [...folders]
    .filter(([, list]) => list.length > 0)
    .map(([folder, list]) => ({
      title: known.find(([name]) => name === folder)?.[1] ?? folder,
      pages: list.toSorted((a, b) => place(a) - place(b) || a.title.localeCompare(b.title)),
    }));
}

/** A passage of a page as a line of text: without the marks of Markdown, and without the heading, which is said beside it. */
export function plainSnippet(markdown: string): string {
  return markdown
    .replaceAll(/^…?#{2,6} .*$/gm, "")
    .replaceAll(/^\|[ :|-]+\|$/gm, "")
    .replaceAll(/```\w*/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^\| *| *\|$/gm, "")
    .replaceAll(/ *\| */g, " · ")
    .replaceAll(/[*`]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
