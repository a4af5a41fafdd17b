import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import { z } from "zod";
import { governedQuery } from "../api/governed";
import { Problem } from "../api/problem";
import { Button } from "./Button";
import { DetailPage } from "./DetailPage";
import { TextField } from "./Field";
import { FormPage } from "./FormPage";
import { useRecordForm } from "./recordform";

interface Thing {
  name: string;
  revision: number;
}

const schema = z.object({ name: z.string() });
const missing = () =>
  new Problem({ status: 404, code: "not_found", detail: "No thing has the id 7. List the things to see what exists." });

function ThingForm({ thing, onClose }: { thing: Thing; onClose: () => void }) {
  const form = useRecordForm({
    schema,
    item: thing,
    values: (now) => ({ name: now?.name ?? "" }),
    send: async () => {
      throw missing();
    },
    invalidates: [["thing"]],
    onSaved: onClose,
  });
  return (
    <FormPage form={form} onClose={onClose} submitLabel="Save" title="Edit the thing">
      <TextField label="Name" {...form.field("name")} />
    </FormPage>
  );
}

/** A section with a form of its own. */
function Section({ thing }: { thing: Thing }) {
  const [changes, setChanges] = useState(false);
  return (
    <section aria-label="Parts">
      <Button onClick={() => setChanges(true)}>Change parts</Button>
      {changes && <ThingForm onClose={() => setChanges(false)} thing={thing} />}
    </section>
  );
}

/** Page of a thing, and a function that deletes it elsewhere. */
async function open(send: () => Promise<void> = async () => {}) {
  let there = true;
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  client.setQueryData(governedQuery.queryKey, []);
  const read = async (): Promise<Thing> => {
    if (!there) throw missing();
    return { name: "Ledger", revision: 1 };
  };
  function ThingPage() {
    const query = useQuery({ queryKey: ["thing"], queryFn: read });
    return (
      <DetailPage
        badges={() => query.isError && "It could not be read again"}
        description={() => "All accounts"}
        edit={(thing, close) => <ThingForm onClose={close} thing={thing} />}
        name={({ name }) => name}
        noun="thing"
        query={query}
        remove={{
          send: async () => {
            there = false;
            await client.invalidateQueries({ queryKey: ["thing"] });
            return send();
          },
          invalidates: [],
          warning: "It goes.",
        }}
        trail={[{ label: "Things", link: { to: "/" } }]}
      >
        {(thing) => <Section thing={thing} />}
      </DetailPage>
    );
  }
  const router = createRouter({ routeTree: createRootRoute({ component: ThingPage }), history: createMemoryHistory() });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { name: "Ledger" });
  return {
    vanish: (gone = true) => {
      there = !gone;
      return act(() => client.invalidateQueries({ queryKey: ["thing"] }));
    },
  };
}

it("says that somebody else has deleted what it is about, and leads to the list", async () => {
  const { vanish } = await open();
  expect(screen.getByRole("region", { name: "Parts" })).toBeTruthy();
  await vanish();
  await screen.findByRole("heading", { name: "Ledger is no longer there" });
  expect(screen.getByRole("alert").textContent).toBe("This thing was deleted, or you no longer have access.");
  expect(screen.getByRole("link", { name: "Go to: Things" })).toBeTruthy();
  for (const stale of ["edit-thing", "delete-thing", "ask-about"]) expect(screen.queryByTestId(stale)).toBeNull();
  expect(screen.queryByText("All accounts")).toBeNull();
  expect(screen.queryByRole("region", { name: "Parts" })).toBeNull();
  // It may come back.
  await vanish(false);
  await screen.findByRole("heading", { name: "Ledger" });
  expect(screen.getByRole("region", { name: "Parts" })).toBeTruthy();
});

it.each(["Edit", "Change parts"])(
  "keeps what is typed into the form of %s, whose save says why it fails",
  async (which) => {
    const { vanish } = await open();
    await userEvent.click(screen.getByRole("button", { name: which }));
    const name = await screen.findByLabelText<HTMLInputElement>("Name");
    await waitFor(() => expect(document.activeElement).toBe(name));
    await userEvent.type(name, " of the shop");
    await vanish();
    await screen.findByTestId("gone");
    expect(screen.getByLabelText("Name")).toBe(name);
    expect(name.value).toBe("Ledger of the shop");
    await userEvent.click(screen.getByTestId("form-submit"));
    expect((await screen.findByTestId("error")).textContent).toContain("No thing has the id 7.");
    expect(name.value).toBe("Ledger of the shop");
  },
);

it("tells whoever deletes it here of nothing else than that", async () => {
  await open(() => new Promise(() => {}));
  await userEvent.click(screen.getByTestId("delete-thing"));
  await userEvent.click(await screen.findByTestId("confirm-dialog-confirm"));
  await screen.findByText("It could not be read again");
  expect(screen.queryByTestId("gone")).toBeNull();
  // A user who does not wait for the answer sees the known state.
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await screen.findByTestId("gone");
});
