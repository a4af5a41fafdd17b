import { QueryClient, QueryClientProvider, QueryObserver } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import type { ComponentType } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { moduleWords } from "./admin/modulewords";
import type { Principal } from "./api/session";
import type { AnyArea, Destination, Labels } from "./area";
import type * as areas from "./areas";
import { areaRoutes } from "./areas";
import { readAgain } from "./changes/follow";
import { describeAction, describeTool, objectOf } from "./chat/verbs";
import type * as labels from "./labels";
import { pages } from "./palette/commands";
import { fieldLabel } from "./proposals/fieldlabels";
import { PlaceLink } from "./proposals/PlaceLink";
import { resultOf, targetOf } from "./proposals/places";
import { createAppRouter } from "./router";
import { destinationsOf, pagesOf } from "./shell/destinations";

/** An address that the types of links do not know, as the area is added at run time. */
const added = vi.hoisted(() => (path: string) => path as Destination["to"]);

// The declarations of an added area: its area.ts with its line in areas.ts, and its labels.ts. It is that of the module
// in app/sample.
vi.mock("./areas", async (original) => {
  const real = await original<typeof areas>();
  const { createRoute } = await import("@tanstack/react-router");
  const { useQuery } = await import("@tanstack/react-query");
  const { adminRoute, appRoute } = await import("./shell/root");
  function BerthsPage() {
    const { data } = useQuery({
      queryKey: ["berths", "list"],
      queryFn: async () =>
        (await (await fetch(new Request(new URL("/api/harbor/berths", location.origin)))).json()) as Berths,
    });
    return (
      <ul aria-label="Berths">
        {data?.berths.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    );
  }
  const routes = [
    createRoute({ getParentRoute: () => appRoute, path: "/harbor", component: BerthsPage }),
    createRoute({ getParentRoute: () => appRoute, path: "/harbor/$berthId", component: BerthsPage }),
  ];
  const adminRoutes = [createRoute({ getParentRoute: () => adminRoute, path: "harbor" })];
  const area: AnyArea = {
    routes,
    adminRoutes,
    administration: [
      {
        to: added("/admin/harbor") ?? "/",
        label: "Harbor rules",
        rules: ["harbor.rule.manage"],
        after: "/admin/users",
      },
    ],
    navigation: {
      to: added("/harbor"),
      label: "Harbor",
      icon: "alert",
      rules: ["harbor.berth.read"],
      words: "ships",
    },
    palette: [{ to: added("/harbor/new"), label: "New berth", words: "make", rules: ["harbor.rule.manage"] }],
    follows: { berths: { on: ({ type }) => type === "harbor.berth" } },
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
    modules: { harbor: "Harbor and its berths" },
    tools: { "harbor.makeBerth": "make a berth" },
    nouns: { harbor: "berth" },
    fields: { systems: "Closes for" },
    records: { berth: { noun: "berth", link: ({ id }) => ({ to: added(`/harbor/${id}`) }) } },
    targets: { "harbor.closeBerth": ["berth", "id"] },
    results: { "harbor.makeBerth": ["berth", ""] },
  };
  return { ...real, merged: (kind: keyof Labels) => real.merged(kind, [...real.areaLabels, own]) };
});

interface Berths {
  berths: { id: string; name: string }[];
}

const person = (...rules: string[]) => ({ id: "ada", name: "Ada", kind: "user", rules }) as unknown as Principal;
const reader = person("harbor.berth.read");
const entriesOf = (me: Principal) => pages(me).filter(({ href }) => href.startsWith("/harbor"));

afterEach(() => vi.unstubAllGlobals());

it("gives an added area its routes", () => {
  const paths = Object.keys(createAppRouter(new QueryClient()).routesByPath);
  expect(paths).toEqual(expect.arrayContaining(["/harbor", "/harbor/$berthId", "/admin/harbor"]));
});

it("shows on its page what its module answers", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(new URL(request.url).pathname);
    return Response.json({ berths: [{ id: "b1", name: "East" }] });
  });
  const route = areaRoutes.find(({ options }) => (options as { path?: string }).path === "/harbor");
  const Page = route?.options.component as ComponentType;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Page />
    </QueryClientProvider>,
  );
  expect((await screen.findByRole("listitem")).textContent).toBe("East");
  expect(asked).toEqual(["/api/harbor/berths"]);
});

it("has its tab in the administration, behind the one that it names", () => {
  expect(pagesOf(person("*")).map(({ label }) => label)).toContain("Harbor rules");
  expect(
    pagesOf(person("harbor.rule.manage", "auth.roles.manage", "auth.users.manage")).map(({ label }) => label),
  ).toEqual(["Users", "Harbor rules", "Roles"]);
});

it("has it in the navigation of those who may open it", () => {
  expect(destinationsOf(reader).map(({ label }) => label)).toContain("Harbor");
  expect(destinationsOf(person("ai.skill.read")).map(({ label }) => label)).not.toContain("Harbor");
});

it("offers its pages in the palette", () => {
  expect(entriesOf(reader)).toMatchObject([{ label: "Harbor", words: "ships", icon: "alert" }]);
  expect(entriesOf(person("*"))[1]).toMatchObject({ label: "New berth", detail: "Harbor", icon: "alert" });
});

it("reads it again when it changes", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const queryKey = ["berths", "list"];
  client.setQueryData(queryKey, 0);
  let reads = 0;
  const stop = new QueryObserver(client, { queryKey, queryFn: () => ++reads }).subscribe(() => {});
  readAgain(client, [{ kind: "record", type: "catalog.system", id: "s1" }]);
  readAgain(client, [{ kind: "record", type: "harbor.berth", id: "b1" }]);
  await vi.waitFor(() => expect(client.getQueryData(queryKey)).toBe(1));
  stop();
});

it("calls its tools, modules, objects and fields by its labels", () => {
  expect(describeTool("harbor_makeBerth", "error")).toBe("Could not make a berth");
  expect(describeAction("harbor.makeBerth")).toBe("Make a berth");
  expect(objectOf("harbor.closeBerth")).toBe("berth");
  expect(moduleWords("harbor")).toBe("Harbor and its berths");
  expect(fieldLabel(["systems"], "harbor.closeBerth")).toBe("Closes for");
});

it("leads from its proposals to its records", async () => {
  const place = { kind: "berth", id: "b1", name: undefined };
  expect(targetOf({ toolName: "harbor.closeBerth", payload: { id: "b1" } })).toEqual(place);
  const result = { id: "b1" };
  expect(resultOf({ toolName: "harbor.makeBerth", payload: {}, result })).toEqual(place);
  const routeTree = createRootRoute({ component: () => <PlaceLink place={place} testId="link" /> });
  render(<RouterProvider router={createRouter({ routeTree, history: createMemoryHistory() }) as never} />);
  const link = await screen.findByTestId("link");
  expect(link.textContent).toBe("Open the berth");
  expect(link.getAttribute("href")).toBe("/harbor/b1");
});
