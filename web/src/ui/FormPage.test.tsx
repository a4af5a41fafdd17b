import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Problem, type ProblemDocument } from "../api/problem";
import { TextField } from "./Field";
import { FormPage } from "./FormPage";
import { fieldOf, takenField, useRecordForm } from "./recordform";

interface Thing {
  name: string;
  note: string;
  revision: number;
}

const schema = z.object({ name: z.string().trim().min(1, "Fill this in."), note: z.string() });
const stored: Thing = { name: "Orders", note: "old", revision: 1 };

interface Fields {
  name: string;
  note: string;
}

/** A form for a thing that others change with `change`. */
async function open(send: (fields: Fields, began: Thing | undefined) => Promise<unknown> = async () => {}) {
  const onClose = vi.fn<() => void>();
  const onSaved = vi.fn<() => void>();
  const record = new QueryClient();
  record.setQueryData(["thing"], stored);
  function Form() {
    const { data: thing } = useQuery({
      queryKey: ["thing"],
      queryFn: () => stored,
      staleTime: Number.POSITIVE_INFINITY,
    });
    const form = useRecordForm({
      schema,
      item: thing,
      values: (now) => ({ name: now?.name ?? "", note: now?.note ?? "" }),
      send,
      invalidates: [],
      onSaved,
    });
    return (
      <FormPage form={form} onClose={onClose} submitLabel="Save" title="Edit the thing">
        <TextField label="Name" {...form.field("name")} />
        <TextField label="Note" {...form.field("note")} />
      </FormPage>
    );
  }
  const router = createRouter({
    routeTree: createRootRoute({ component: Form }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(
    <QueryClientProvider client={record}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  const name = await screen.findByLabelText<HTMLInputElement>("Name");
  await waitFor(() => expect(document.activeElement).toBe(name));
  return {
    name,
    note: screen.getByLabelText<HTMLInputElement>("Note"),
    onClose,
    onSaved,
    change: (thing: Thing) => record.setQueryData(["thing"], thing),
  };
}

const side = (field: HTMLElement | undefined, label: RegExp) =>
  within(field as HTMLElement).getByRole<HTMLInputElement>("radio", { name: label });

const refuse = (document: Partial<ProblemDocument>) => async () => {
  throw new Problem({ status: 422, ...document });
};

describe("a form", () => {
  it("says at a field what is wrong with it, and goes there", async () => {
    const send = vi.fn<() => Promise<void>>();
    const { name } = await open(send);
    await userEvent.clear(name);
    await userEvent.click(screen.getByTestId("form-submit"));
    expect(await screen.findByText("Fill this in.")).toBeTruthy();
    expect(name.getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(name);
    expect(send).not.toHaveBeenCalled();
  });

  it("is not sent again while it is being saved", async () => {
    const send = vi.fn<() => Promise<void>>(() => new Promise(() => {}));
    const { name } = await open(send);
    await userEvent.type(name, "!");
    const save = screen.getByTestId<HTMLButtonElement>("form-submit");
    await userEvent.click(save);
    await waitFor(() => expect(save.getAttribute("aria-busy")).toBe("true"));
    expect(document.activeElement).toBe(save);
    await userEvent.click(save);
    await userEvent.type(name, "{Enter}");
    fireEvent.submit(save);
    await waitFor(() => expect(send).toHaveBeenCalledTimes(1));
  });

  it("says at a field what the server found, and the rest below", async () => {
    const { note } = await open(
      refuse({
        detail: "Two things are wrong.",
        issues: [
          { path: "body.note", message: "is too long" },
          { path: "color", message: "is unknown" },
        ],
      }),
    );
    await userEvent.type(note, "!");
    await userEvent.click(screen.getByTestId("form-submit"));
    expect(await screen.findByText("Is too long.")).toBeTruthy();
    expect(note.getAttribute("aria-invalid")).toBe("true");
    const below = screen.getByTestId("error").textContent;
    expect(below).toContain("Two things are wrong.");
    expect(below).toContain("Color is unknown.");
    expect(below).not.toContain("too long");
  });

  it("says at a field what the schema of the API found, once", async () => {
    const { name, note } = await open(
      refuse({
        detail: "The request is not valid: note: expected length <= 3.",
        issues: [{ path: "body.note", message: "expected length <= 3" }],
      }),
    );
    await userEvent.type(note, "!");
    await userEvent.click(screen.getByTestId("form-submit"));
    expect(await screen.findByText("At most 3 characters.")).toBeTruthy();
    expect(screen.getByTestId("error").textContent).toBe("Nothing was saved. Correct the marked fields.");
    expect(name.getAttribute("aria-invalid")).toBeNull();
  });

  it("says at the field that a name is taken", async () => {
    const taken = 'A thing with the name "Orders API" exists already. Choose another name.';
    const { name } = await open(refuse({ status: 409, code: "conflict", detail: taken }));
    await userEvent.type(name, " API");
    await userEvent.click(screen.getByTestId("form-submit"));
    expect(await screen.findByText(taken)).toBeTruthy();
    expect(name.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getAllByText(taken)).toHaveLength(1);
  });

  it("sends what the schema makes of it, with the record that it began with", async () => {
    const send = vi.fn<(fields: Fields, began: Thing | undefined) => Promise<void>>(async () => {});
    const { name, onSaved } = await open(send);
    await userEvent.type(name, " API ");
    await userEvent.click(screen.getByTestId("form-submit"));
    await waitFor(() => expect(onSaved).toHaveBeenCalled());
    expect(send.mock.calls[0]?.slice(0, 2)).toEqual([{ name: "Orders API", note: "old" }, stored]);
  });

  it("closes at once when nothing was typed", async () => {
    const { onClose } = await open();
    await userEvent.keyboard("{Escape}");
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("asks before what was typed is lost", async () => {
    const { name, onClose } = await open();
    await userEvent.type(name, " API");
    await userEvent.keyboard("{Escape}");
    expect(await screen.findByTestId("discard-dialog")).toBeTruthy();
    await userEvent.click(screen.getByText("Keep editing"));
    expect(screen.queryByTestId("discard-dialog")).toBeNull();
    expect(name.value).toBe("Orders API");
    expect(onClose).not.toHaveBeenCalled();
    await userEvent.click(screen.getByText("Cancel"));
    await userEvent.click(await screen.findByTestId("discard-dialog-confirm"));
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("keeps what was typed when somebody else saves, shows the rest, and saves over what it has shown", async () => {
    const send = vi.fn<(fields: Fields, began: Thing | undefined) => Promise<void>>(async () => {});
    const { name, note, change } = await open(send);
    await userEvent.type(name, " API");
    change({ name: "Orders of the shop", note: "new", revision: 2 });
    const field = await screen.findByTestId("conflict-field");
    expect(field.textContent).toContain("Name");
    expect(field.textContent).toContain("MineOrders API");
    expect(field.textContent).toContain("Theirs (stored)Orders of the shop");
    expect(screen.getByTestId("form-conflict").textContent).not.toContain("Note");
    expect([name.value, note.value]).toEqual(["Orders API", "new"]);
    await userEvent.click(screen.getByTestId("form-submit"));
    await waitFor(() => expect(send).toHaveBeenCalled());
    expect(send.mock.calls[0]?.slice(0, 2)).toEqual([
      { name: "Orders API", note: "new" },
      { name: "Orders of the shop", note: "new", revision: 2 },
    ]);
  });

  it("saves of two changes the one that is chosen, field by field", async () => {
    const send = vi.fn<(fields: Fields, began: Thing | undefined) => Promise<void>>(async () => {});
    const { name, note, change } = await open(send);
    await userEvent.type(name, " API");
    await userEvent.type(note, "er");
    change({ name: "Orders of the shop", note: "new", revision: 2 });
    const [first, second] = await screen.findAllByTestId("conflict-field");
    expect(side(first, /^Mine/).checked).toBe(true);
    await userEvent.click(side(first, /^Theirs/));
    expect([name.value, note.value]).toEqual(["Orders of the shop", "older"]);
    // Text typed afterwards is not lost by looking at the other version.
    await userEvent.type(note, "!");
    await userEvent.click(side(second, /^Theirs/));
    expect(note.value).toBe("new");
    await userEvent.click(side(second, /^Mine/));
    expect(note.value).toBe("older!");
    await userEvent.click(screen.getByTestId("form-submit"));
    await waitFor(() => expect(send).toHaveBeenCalled());
    expect(send.mock.calls[0]?.slice(0, 2)).toEqual([
      { name: "Orders of the shop", note: "older!" },
      { name: "Orders of the shop", note: "new", revision: 2 },
    ]);
  });

  it("still asks about a field when another one is changed after it", async () => {
    const { name, note, change } = await open();
    await userEvent.type(name, " API");
    await userEvent.type(note, "er");
    change({ ...stored, name: "Orders of the shop", revision: 2 });
    await screen.findByTestId("conflict-field");
    change({ name: "Orders of the shop", note: "new", revision: 3 });
    await waitFor(() => expect(screen.getAllByTestId("conflict-field")).toHaveLength(2));
    expect([name.value, note.value]).toEqual(["Orders API", "older"]);
  });

  it("loads what is stored when the person prefers it", async () => {
    const { name, change } = await open();
    await userEvent.type(name, " API");
    change({ ...stored, name: "Orders of the shop", revision: 2 });
    await userEvent.click(await screen.findByTestId("take-stored"));
    expect(name.value).toBe("Orders of the shop");
    expect(screen.queryByTestId("form-conflict")).toBeNull();
  });

  it("follows the record in silence while nothing was typed", async () => {
    const { name, change } = await open();
    change({ ...stored, name: "Orders of the shop", revision: 2 });
    await waitFor(() => expect(name.value).toBe("Orders of the shop"));
    expect(screen.queryByTestId("form-conflict")).toBeNull();
  });
});

describe("the field of a path", () => {
  it.each([
    ["name", "name"],
    ["body.name", "name"],
    ["/name", "name"],
    ["tags[2]", "tags"],
    ["fields[0].key", "fields.0.key"],
    ["elsewhere", undefined],
    ["", undefined],
  ])("%s is %s", (path, field) => {
    expect(fieldOf(path, { name: "", tags: "a, b", fields: [{ key: "" }] })).toBe(field);
  });
});

describe("the field whose value is taken", () => {
  const values = { name: "Orders", email: "ada@example.org", note: "exists", tags: ["Orders"] };
  it.each([
    ['A role with the name "Orders" exists already. Choose another name.', "name"],
    ["A user with the e-mail address ada@example.org exists already. Choose another address.", "email"],
    ["There is a secret named Orders already. Replace its value, or choose another name.", "name"],
    ["The role Orders cannot be changed.", undefined],
    ["Somebody else was here already.", undefined],
  ])("%s", (detail, field) => expect(takenField(detail, values)).toBe(field));
});
