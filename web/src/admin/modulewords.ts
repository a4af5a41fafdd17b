import { merged } from "../labels";

/** Display names of the modules, by the prefix of their tools and access rules. */
const words = merged("modules");

export function moduleWords(module: string): string {
  return words[module] ?? module.charAt(0).toUpperCase() + module.slice(1);
}

export interface ModuleGroup<Item> {
  module: string;
  title: string;
  items: Item[];
}

/** Items by the part of the product that they belong to, both in the order of their words. */
export function byModule<Item>(items: readonly Item[], nameOf: (item: Item) => string): ModuleGroup<Item>[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const [module = ""] = nameOf(item).split(".");
    groups.set(module, [...(groups.get(module) ?? []), item]);
  }
  return [...groups]
    .map(([module, found]) => ({ module, title: moduleWords(module), items: found }))
    .toSorted((a, b) => a.title.localeCompare(b.title, "en"));
}

/** Whether a text contains every word of a search. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
