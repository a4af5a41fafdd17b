import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { PlaceLink } from "./PlaceLink";
import type { Place } from "./places";

const places: [Place, string][] = [
  [{ kind: "system", id: "s1" }, "/catalog/systems/s1"],
  [{ kind: "group", id: "g1", name: "Shop" }, "/catalog/groups/g1"],
  [{ kind: "environment", id: "e1" }, "/catalog/environments/e1"],
  [{ kind: "team", id: "t1" }, "/catalog/teams/t1"],
  [{ kind: "user", id: "u1", name: "Ada Lovelace" }, "/admin/users?search=Ada+Lovelace"],
  [{ kind: "user", id: "u1" }, "/admin/users"],
];

it.each(places)("of %j leads to it, and not to a list in which it has to be looked for", async (place, href) => {
  const rootRoute = createRootRoute({ component: () => <PlaceLink place={place} testId="link" /> });
  const router = createRouter({ routeTree: rootRoute, history: createMemoryHistory() });
  render(<RouterProvider router={router as never} />);
  expect((await screen.findByTestId("link")).getAttribute("href")).toBe(href);
});
