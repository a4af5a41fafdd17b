import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { objectTypesQuery, type Item, type ObjectType } from "../api/history";

export type ObjectTypes = ReadonlyMap<string, ObjectType>;

const none: ObjectTypes = new Map();

/**
 * The types of objects, undefined until they are loaded, so that no page shows an id in place of a label meanwhile. After
 * an error pages show ids.
 */
export function useObjectTypes(): ObjectTypes | undefined {
  const { data, isError } = useQuery(objectTypesQuery);
  return data ?? (isError ? none : undefined);
}

/** Label of a type. An unknown one is shown as its id. */
export const typeLabel = (types: ObjectTypes, type: string) => types.get(type)?.label ?? type;

/** An object in words, also one without a name. */
export function itemLabel(types: ObjectTypes, { type, id, name }: Item): string {
  if (name) return name;
  if (!id) return `${typeLabel(types, type)}, unknown`;
  return `${typeLabel(types, type)} ${id.length > 12 ? `${id.slice(0, 8)}…` : id}`;
}

/** Address of the page of an object, if its type has pages. */
export function itemPage(types: ObjectTypes, { type, id }: Item): LinkProps["to"] | undefined {
  const page = types.get(type)?.page;
  return page && id ? (page.replace("{id}", encodeURIComponent(id)) as LinkProps["to"]) : undefined;
}
