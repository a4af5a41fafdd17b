import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { Principal } from "../api/session";
import { createAppRouter } from "../router";
import { pages } from "./commands";

const person = (...rules: string[]) => ({ id: "ada", name: "Ada", kind: "user", rules }) as unknown as Principal;

/** Pages that need more than an address, or are nobody's to choose. */
const unnamed = new Set(["/", "/agents/editor", "/oauth/consent", "/own-password", "/sign-in"]);

it("names every page that has an address of its own, each once", () => {
  const routes = Object.keys(createAppRouter(new QueryClient()).routesByPath).filter((path) => !path.includes("$"));
  const named = pages(person("*")).map(({ href }) => href.split("?")[0] ?? "");
  expect(named.toSorted()).toEqual(routes.filter((path) => !unnamed.has(path)).toSorted());
});

it("names no page to people who could not do anything there", () => {
  const named = pages(person("ai.chat.read", "healthcheck.healthcheck.status.read")).map(({ href }) => href);
  expect(named).toContain("/health/systems");
  expect(named).toContain("/shared");
  for (const page of ["/health/editor", "/health/import", "/admin", "/admin/audit/changes"])
    expect(named).not.toContain(page);
});
