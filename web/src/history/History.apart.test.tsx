import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import type { ChangeEntry } from "../api/history";
import { HistoryPanel } from "./History";
import { itemLabel, itemPage } from "./objects";
import { actorLabel, fieldChange } from "./words";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/">{children}</a>,
}));

const change: ChangeEntry = {
  entry: 1,
  at: "2026-03-01T10:00:00Z",
  action: "changed",
  object: { type: "catalog.system", id: "s1", name: "Orders" },
  summary: "System changed",
  fields: [{ field: "name", from: "Order", to: "Orders" }, { field: "description" }],
  actor: { kind: "user", id: "u1", name: "Ada" },
  appliedBy: { kind: "user", id: "u2", name: "Bob" },
};

const types = [
  { type: "catalog.system", label: "System", plural: "Systems", page: "/catalog/systems/{id}" },
  { type: "ai.memory", label: "Memory", plural: "Memories" },
  { type: "auth.user", label: "Person", plural: "People" },
];
let typesAnswer = (): Promise<Response> | Response => Response.json({ types });

function serve(answers: (() => Response)[]) {
  vi.stubGlobal(
    "fetch",
    vi.fn(async (request: Request) => {
      if (request.url.endsWith("/api/ai/audit/types")) return typesAnswer();
      if (!request.url.includes("/api/history/"))
        return Response.json({ kind: "user", id: "u1", name: "Ada", rules: [], teams: [], roles: [] });
      return (answers.length > 1 ? answers.shift() : answers[0])?.() ?? Response.json({ changes: [] });
    }),
  );
}

const page = (changes: ChangeEntry[], nextCursor?: string) => () => Response.json({ changes, nextCursor });

function show() {
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <HistoryPanel of={{ type: "catalog.system", id: "s1" }} />
    </QueryClientProvider>,
  );
}

afterEach(() => vi.unstubAllGlobals());

test("a change says who asked and who applied, and values of harmless fields alone", async () => {
  serve([page([change])]);
  show();
  expect(screen.getByRole("status", { name: "Loading" })).toBeTruthy();
  const item = await screen.findByTestId("change");
  expect(item.textContent).toContain("asked by Ada, applied by Bob");
  expect(item.textContent).toContain("name Order → Orders");
  expect(item.querySelectorAll("li")[1]?.textContent?.trim()).toBe("description");
});

test("a change says through which programs people have acted", async () => {
  const actor = { ...change.actor, program: { id: "https://editor.example/client.json", name: "Editor" } };
  const appliedBy = { kind: "user", id: "u2", name: "", program: { id: "token", name: "" } } as const;
  const application = { kind: "application", id: "a1", name: "", program: { id: "a1", name: "Deploys" } } as const;
  serve([
    page([
      { ...change, actor, appliedBy },
      { ...change, entry: 2, actor: application, appliedBy: undefined },
    ]),
  ]);
  show();
  const [first, second] = await screen.findAllByTestId("change");
  expect(first?.textContent).toContain(
    "asked by Ada through “Editor”, applied by deleted user through the program token",
  );
  expect(second?.textContent).toContain("Deploys (deleted)");
  expect(second?.textContent).not.toContain("through");
});

test("an object to which nothing has happened says so", async () => {
  serve([page([])]);
  show();
  expect(await screen.findByText(/No recorded changes/)).toBeTruthy();
});

test("a failure is told, and can be tried again", async () => {
  serve([
    () =>
      Response.json(
        { type: "about:blank", title: "Unavailable", status: 503, code: "unavailable", detail: "Try again later." },
        { status: 503, headers: { "content-type": "application/problem+json" } },
      ),
    page([change]),
  ]);
  show();
  expect((await screen.findByRole("alert")).textContent).toContain("Try again later.");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByTestId("change")).toBeTruthy();
});

test("more is read when it is asked for", async () => {
  serve([page([change], "next"), page([{ ...change, entry: 2, summary: "System created" }])]);
  show();
  await userEvent.click(await screen.findByRole("button", { name: "Show more" }));
  expect(await screen.findByText("System created")).toBeTruthy();
});

test("no line is shown before the labels of its objects are there", async () => {
  const answer = typesAnswer;
  const late = Promise.withResolvers<Response>();
  typesAnswer = () => late.promise;
  serve([
    page([
      {
        ...change,
        object: { type: "catalog.group", id: "g1", name: "Shop" },
        subject: { type: "ai.memory", id: "m1", name: "" },
      },
    ]),
  ]);
  show();
  await vi.waitFor(() => expect(fetch).toHaveBeenCalledTimes(3));
  await vi.waitFor(() => expect(screen.getByRole("status", { name: "Loading" })).toBeTruthy());
  expect(screen.queryByTestId("change")).toBeNull();
  late.resolve(Response.json({ types }));
  expect((await screen.findByTestId("change")).textContent).toContain("Memory m1");
  typesAnswer = answer;
});

test("lines name objects by the ids of their types when the labels cannot be read", async () => {
  const answer = typesAnswer;
  typesAnswer = () => Response.json({ code: "unavailable", title: "Unavailable", status: 503 }, { status: 503 });
  serve([page([{ ...change, object: { type: "ai.memory", id: "m1", name: "" } }])]);
  show();
  expect((await screen.findByTestId("change")).textContent).toContain("ai.memory m1");
  typesAnswer = answer;
});

test("what has no name is told by its type", () => {
  const known = new Map(types.map((type) => [type.type, type]));
  expect(itemPage(known, change.object)).toBe("/catalog/systems/s1");
  expect(itemPage(known, { type: "ai.memory", id: "m1", name: "" })).toBeUndefined();
  expect(itemLabel(known, { type: "ai.memory", id: "0199aa00-0000-7000-8000-000000000001", name: "" })).toBe(
    "Memory 0199aa00…",
  );
  expect(itemLabel(known, { type: "auth.user", id: "", name: "" })).toBe("Person, unknown");
  expect(actorLabel({ actor: { kind: "service", id: "", name: "" }, action: "sign-in-failed" })).toBe("not signed in");
  expect(fieldChange({ field: "tags", from: "", to: "a, b" })).toBe("now a, b");
});

test("a call of a custom tool says which one ran, of which revision, and how it ended", async () => {
  const fields = [
    { field: "tool", from: "", to: "total-of-cart" },
    { field: "revision", from: "", to: "7" },
    { field: "argsHash", from: "", to: "0f3a" },
    { field: "ok", from: "", to: "false" },
  ];
  serve([page([{ ...change, action: "ran", summary: "A custom tool was called", fields }])]);
  show();
  const item = await screen.findByTestId("change");
  expect([...item.querySelectorAll("li")].map((line) => line.textContent)).toEqual([
    "tool total-of-cart",
    "revision 7",
    "hash of the arguments 0f3a",
    "succeeded no",
  ]);
  expect(fieldChange({ field: "live", from: "", to: "7" }, "changed")).toBe("now 7");
});
