import { QueryClient } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import { expect, it } from "vitest";
import type { Labels } from "./area";
import { areas } from "./areas";
import { areaLabels, merged } from "./labels";
import { createAppRouter } from "./router";

const repeated = (keys: string[]) => keys.filter((key, at) => keys.indexOf(key) !== at);

it("lists the area of every folder that declares one", () => {
  const declared = Object.values(import.meta.glob<object>("./*/area.ts", { eager: true }));
  const listed = declared.filter((module) => Object.values(module).some((area) => areas.includes(area)));
  expect(listed).toHaveLength(areas.length);
  expect(declared).toHaveLength(areas.length);
});

it("keeps the types by which links are checked", () => {
  // @ts-expect-error -- no page is at this address
  const nowhere: LinkProps["to"] = "/nowhere";
  expect(nowhere).toBe("/nowhere");
});

it("leads to pages that there are", () => {
  const { routesByPath } = createAppRouter(new QueryClient());
  const links = [
    ...areas.flatMap(({ navigation, palette = [] }) => (navigation ? [navigation, ...palette] : palette)),
    ...areas.flatMap(({ administration = [] }) => administration),
    ...Object.values(merged("records")).map(({ link }) => link({ id: "1", name: "One" })),
  ];
  for (const { to } of links) expect(Object.keys(routesByPath)).toContain(to);
});

it("follows the changes of a query in one place", () => {
  expect(repeated(areas.flatMap(({ follows = {} }) => Object.keys(follows)))).toEqual([]);
});

it.each<keyof Labels>(["modules", "tools", "nouns", "decisions", "fields", "records", "targets", "results"])(
  "has each of the %s in the labels of one area",
  (kind) => {
    expect(repeated(areaLabels.flatMap((labels) => Object.keys(labels[kind] ?? {})))).toEqual([]);
  },
);

it("knows the kind of every record that a proposal leads to", () => {
  const kinds = [...Object.values(merged("targets")), ...Object.values(merged("results"))].map(([kind]) => kind);
  for (const kind of kinds) expect(Object.keys(merged("records"))).toContain(kind);
});
