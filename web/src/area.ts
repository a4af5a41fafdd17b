import type { Query } from "@tanstack/react-query";
import type { AnyRoute, LinkProps } from "@tanstack/react-router";
import type { Principal } from "./api/session";
import type { Change } from "./changes/connection";
import type { IconName } from "./ui/Icon";

/**
 * An area of the application: a folder whose area.ts declares what the first load needs of it. Pages are loaded when
 * they are opened, and texts with what shows them: those are in labels.ts of the folder.
 */
export interface Area<
  Routes extends readonly AnyRoute[] = readonly [],
  AdminRoutes extends readonly AnyRoute[] = readonly [],
> {
  /** Routes behind the sign-in. */
  routes: Routes;
  /** Routes below the administration. */
  adminRoutes?: AdminRoutes;
  navigation?: Destination;
  /** Pages that the palette offers besides the one of the navigation. */
  palette?: readonly PalettePage[];
  /** Tabs of the administration, which are in the palette too. */
  administration?: readonly AdministrationPage[];
  /** Queries to read again on changes, by the first member of their keys. */
  follows?: Readonly<Record<string, Follow>>;
}

export type AnyArea = Area<readonly AnyRoute[], readonly AnyRoute[]>;

/** Needs any of the access rules; without rules it is open to everybody. */
interface Guarded {
  rules?: readonly string[];
}

/** An entry of the navigation. */
export interface Destination extends Guarded {
  to: LinkProps["to"];
  search?: LinkProps["search"];
  label: string;
  icon: IconName;
  /** Synonyms that the palette finds it by. */
  words: string;
  /** Hook that counts what waits there. */
  useCount?: (me: Principal | undefined) => number;
}

export interface PalettePage extends Guarded {
  to: LinkProps["to"];
  label: string;
  words: string;
  /** The part of the application that it belongs to; the area's navigation entry unless said. */
  detail?: string;
  /** As that of the navigation entry unless said. */
  icon?: IconName;
}

export interface AdministrationPage {
  to: NonNullable<LinkProps["to"]>;
  label: string;
  /** Needs any of them. */
  rules: readonly string[];
  /** The tab that it follows; the last one unless said. */
  after?: LinkProps["to"];
}

export interface Follow {
  /** Whether a change concerns a query. Lost changes concern every one. */
  on: (change: Change, query: Query) => boolean;
  /** Whether what was read never changes again. */
  isFinal?: (data: unknown) => boolean;
  /** Forms edit it: it does not change while one is open. */
  hasForms?: true;
}

/** Texts of an area, in the labels.ts of its folder, and where the records are that they are about. */
export interface Labels {
  /** Names of modules, by the prefix of their tools and access rules. */
  modules?: Readonly<Record<string, string>>;
  /** Tools whose names do not read as sentences: a sentence that begins with a regular verb, or all forms. */
  tools?: Readonly<Record<string, string | ToolVerb>>;
  /** Objects of changes where the name of the tool does not tell: by tool, or by module. */
  nouns?: Readonly<Record<string, string>>;
  /** Labels of the buttons that apply a change, where the input decides. */
  decisions?: Readonly<Record<string, (payload: Readonly<Record<string, unknown>>) => string>>;
  /** Fields of proposals whose names say little by themselves. */
  fields?: Readonly<Record<string, string>>;
  /** Kinds of records with a page, or a place on one. */
  records?: Readonly<Record<string, RecordKind>>;
  /** Kind of the record that a tool changes, and the member of the payload with its id. */
  targets?: Readonly<Record<string, readonly [kind: string, member: string]>>;
  /** Kind of the record that a tool creates, and the member of the result that is the record; "" for the result itself. */
  results?: Readonly<Record<string, readonly [kind: string, member: string]>>;
}

export interface ToolVerb {
  running: string;
  done: string;
  plain: string;
}

/** Verb of a tool that proposes something. */
export const proposing = (what: string, plain: string): ToolVerb => ({
  running: `Preparing ${what}`,
  done: `Proposed ${what}`,
  plain,
});

export interface RecordKind {
  noun: string;
  /** Type of the object that grants name. */
  objectType?: string;
  link: (record: { id: string; name?: string }) => LinkProps;
}
