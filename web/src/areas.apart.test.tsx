import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { moduleWords } from "./admin/modulewords";
import type { Principal } from "./api/session";
import type { AnyArea, Destination, Labels } from "./area";
import type * as areas from "./areas";
import { readAgain } from "./changes/follow";
import { describeAction, describeTool, objectOf } from "./chat/verbs";
import { typeLabel } from "./history/words";
import type * as labels from "./labels";
import { pages } from "./palette/commands";
import { fieldLabel } from "./proposals/fieldlabels";
import { PlaceLink } from "./proposals/PlaceLink";
import { resultOf, targetOf } from "./proposals/places";
import { createAppRouter } from "./router";
import { destinationsOf, pagesOf } from "./shell/destinations";

/** An address that the types of links do not know, as the area is added at run time. */
const added = vi.hoisted(() => (path: string) => path as Destination["to"]);

// The declarations of an added area: its area.ts with its line in areas.ts, and its labels.ts.
vi.mock("./areas", async (original) => {
  const real = await original<typeof areas>();
  const { createRoute } = await import("@tanstack/react-router");
  const { adminRoute, appRoute } = await import("./shell/root");
  const routes = [createRoute({ getParentRoute: () => appRoute, path: "/incidents" })];
  const adminRoutes = [createRoute({ getParentRoute: () => adminRoute, path: "incidents" })];
  const area: AnyArea = {
    routes,
    adminRoutes,
    administration: [
      {
        to: added("/admin/incidents") ?? "/",
        label: "Incident rules",
        rules: ["incident.rule.manage"],
        after: "/admin/users",
      },
    ],
    navigation: {
      to: added("/incidents"),
      label: "Incidents",
      icon: "alert",
      rules: ["incident.incident.read"],
      words: "outages",
    },
    palette: [
      { to: added("/incidents/new"), label: "New incident", words: "open", rules: ["incident.incident.manage"] },
    ],
    follows: { incidents: { on: ({ type }) => type === "incident.incident" } },
  };
  return {
    areas: [...real.areas, area],
    areaRoutes: [...real.areaRoutes, ...routes],
    areaAdminRoutes: [...real.areaAdminRoutes, ...adminRoutes],
  };
});

vi.mock("./labels", async (original) => {
  const real = await original<typeof labels>();
  const own: Labels = {
    modules: { incident: "Outages and incidents" },
    objects: { "incident.incident": "Incident" },
    tools: { "incident.open": "report an outage" },
    nouns: { incident: "incident" },
    fields: { sev: "Severity" },
    records: { incident: { noun: "incident", link: ({ id }) => ({ to: added(`/incidents/${id}`) }) } },
    targets: { "incident.resolve": ["incident", "id"] },
    results: { "incident.open": ["incident", "incident"] },
  };
  return { ...real, merged: (kind: keyof Labels) => real.merged(kind, [...real.areaLabels, own]) };
});

const person = (...rules: string[]) => ({ id: "ada", name: "Ada", kind: "user", rules }) as unknown as Principal;
const reader = person("incident.incident.read");
const entriesOf = (me: Principal) => pages(me).filter(({ href }) => href.startsWith("/incidents"));

it("gives an added area its routes", () => {
  const paths = Object.keys(createAppRouter(new QueryClient()).routesByPath);
  expect(paths).toEqual(expect.arrayContaining(["/incidents", "/admin/incidents"]));
});

it("has its tab in the administration, behind the one that it names", () => {
  expect(pagesOf(person("*")).map(({ label }) => label)).toContain("Incident rules");
  expect(
    pagesOf(person("incident.rule.manage", "auth.roles.manage", "auth.users.manage")).map(({ label }) => label),
  ).toEqual(["Users", "Incident rules", "Roles"]);
});

it("has it in the navigation of those who may open it", () => {
  expect(destinationsOf(reader).map(({ label }) => label)).toContain("Incidents");
  expect(destinationsOf(person("ai.skill.read")).map(({ label }) => label)).not.toContain("Incidents");
});

it("offers its pages in the palette", () => {
  expect(entriesOf(reader)).toMatchObject([{ label: "Incidents", words: "outages", icon: "alert" }]);
  expect(entriesOf(person("*"))[1]).toMatchObject({ label: "New incident", detail: "Incidents", icon: "alert" });
});

it("reads it again when it changes", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const queryKey = ["incidents", "list"];
  client.setQueryData(queryKey, 0);
  let reads = 0;
  const stop = new QueryObserver(client, { queryKey, queryFn: () => ++reads }).subscribe(() => {});
  readAgain(client, [{ kind: "record", type: "catalog.system", id: "s1" }]);
  readAgain(client, [{ kind: "record", type: "incident.incident", id: "i1" }]);
  await vi.waitFor(() => expect(client.getQueryData(queryKey)).toBe(1));
  stop();
});

it("calls its tools, modules, objects and fields by its labels", () => {
  expect(describeTool("incident_open", "error")).toBe("Could not report an outage");
  expect(describeAction("incident.open")).toBe("Report an outage");
  expect(objectOf("incident.resolve")).toBe("incident");
  expect(moduleWords("incident")).toBe("Outages and incidents");
  expect(typeLabel("incident.incident")).toBe("Incident");
  expect(fieldLabel(["sev"], "incident.open")).toBe("Severity");
});

it("leads from its proposals to its records", async () => {
  const place = { kind: "incident", id: "i1", name: undefined };
  expect(targetOf({ toolName: "incident.resolve", payload: { id: "i1" } })).toEqual(place);
  const result = { incident: { id: "i1" } };
  expect(resultOf({ toolName: "incident.open", payload: {}, result })).toEqual(place);
  const routeTree = createRootRoute({ component: () => <PlaceLink place={place} testId="link" /> });
  render(<RouterProvider router={createRouter({ routeTree, history: createMemoryHistory() }) as never} />);
  const link = await screen.findByTestId("link");
  expect(link.textContent).toBe("Open the incident");
  expect(link.getAttribute("href")).toBe("/incidents/i1");
});
