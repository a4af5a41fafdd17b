import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { createAppRouter, fetchPage } from "./router";

it("fetches what the page at the address is made of, and nothing else", () => {
  window.history.pushState(null, "", "/catalog/systems?query=x");
  const router = createAppRouter(new QueryClient());
  const fetched: string[] = [];
  for (const { id, options } of Object.values(router.routesById)) {
    if (!options.component?.preload) continue;
    vi.spyOn(options.component, "preload").mockImplementation(async () => void fetched.push(id));
  }
  fetchPage(router);
  expect(fetched.toSorted()).toEqual(["/app", "/app/catalog", "/app/catalog/systems"]);
});
