import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Dialog } from "./Dialog";
import { ListPage, wholeList } from "./ListPage";
import { Row } from "./Rows";

interface Thing {
  id: string;
  name: string;
}

const things: Thing[] = [
  { id: "1", name: "Orders" },
  { id: "2", name: "Payments" },
];

/** A list from which deleted things go. */
function Things({ first }: { first: Thing[] | undefined }) {
  const [items, setItems] = useState(first);
  return (
    <ListPage
      create={(close) => (
        <Dialog onClose={close} title="New thing">
          New
        </Dialog>
      )}
      description="Things."
      edit={({ name }, close) => (
        <Dialog onClose={close} title={`About ${name}`}>
          {name}
        </Dialog>
      )}
      itemKey={({ id }) => id}
      list={wholeList({ data: items, error: null, refetch: () => {} })}
      name={({ name }) => name}
      noun="thing"
      removable={({ name }) => name !== "Payments"}
      remove={{
        send: async ({ id }) => setItems((now) => now?.filter((thing) => thing.id !== id)),
        invalidates: [],
        warning: ({ name }) => `${name} will be gone.`,
      }}
      row={({ name }, actions) => <Row actions={actions} title={name} />}
      title="Things"
    />
  );
}

/** A list of two pages. */
function Pages() {
  const [read, setRead] = useState(false);
  return (
    <ListPage
      description="Things."
      itemKey={({ id }: Thing) => id}
      list={{
        ...wholeList({ data: read ? things : things.slice(0, 1), error: null, refetch: () => {} }),
        more: read ? undefined : { busy: false, read: () => setRead(true) },
      }}
      name={({ name }) => name}
      noun="thing"
      row={({ name }) => <Row title={name} />}
      title="Things"
    />
  );
}

function show(first: Thing[] | undefined) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Things first={first} />
    </QueryClientProvider>,
  );
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("a list page", () => {
  it("says that it is loading, and when there is nothing", () => {
    show(undefined);
    expect(screen.getByRole("status", { name: "Loading" })).toBeTruthy();
    show([]);
    expect(screen.getByTestId("empty-state").textContent).toContain("No things yet");
  });

  it("hands the focus to the list when there is no more to show", async () => {
    render(
      <QueryClientProvider client={new QueryClient()}>
        <Pages />
      </QueryClientProvider>,
    );
    await userEvent.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(document.activeElement).not.toBe(document.body));
    expect(document.activeElement?.textContent).toContain("Payments");
  });

  it("does not say that there is nothing when what may be there could not be read", () => {
    const list = wholeList({ data: [] as Thing[], error: new Error("Away"), refetch: () => {} });
    const page = (more: { busy: boolean; read: () => void } | undefined) => (
      <QueryClientProvider client={new QueryClient()}>
        <ListPage
          description="Things."
          itemKey={({ id }: Thing) => id}
          list={{ ...list, more }}
          name={({ name }) => name}
          noun="thing"
          row={({ name }) => <Row title={name} />}
          title="Things"
        />
      </QueryClientProvider>
    );
    const { rerender } = render(page({ busy: false, read: () => {} }));
    expect(screen.getByTestId("error")).toBeTruthy();
    expect(screen.queryByTestId("empty-state")).toBeNull();
    rerender(page(undefined));
    expect(screen.getByTestId("empty-state")).toBeTruthy();
  });

  it("shows a long list that is there at once, as when somebody comes back to it", async () => {
    // jsdom has no layout: a page of 800 pixels, and rows of 66.
    vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(800);
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(66);
    vi.stubGlobal(
      "ResizeObserver",
      class {
        observe() {}
        unobserve() {}
        disconnect() {}
      },
    );
    show(Array.from({ length: 150 }, (_, index) => ({ id: `${index}`, name: `Thing ${index}` })));
    expect(await screen.findByText("Thing 0")).toBeTruthy();
    expect(screen.queryByText("Thing 149")).toBeNull();
  });

  it("offers for each item what may be done with it", () => {
    show(things);
    const rows = [...screen.getByLabelText("Things").children];
    const buttons = rows.map((row) =>
      [...row.querySelectorAll("button")].map((button) => button.getAttribute("aria-label")),
    );
    expect(buttons).toEqual([["Edit Orders", "Delete Orders"], ["Edit Payments"]]);
  });

  it("opens the form of a new item, and gives the focus back", async () => {
    show(things);
    await userEvent.click(screen.getByTestId("new-thing"));
    expect(await screen.findByText("New thing", { selector: "h2" })).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("new-thing")));
  });

  it("opens the form of an item", async () => {
    show(things);
    await userEvent.click(screen.getByLabelText("Edit Payments"));
    expect(await screen.findByText("About Payments")).toBeTruthy();
  });

  it("asks before it deletes an item; the focus goes on to the button for a new one", async () => {
    show(things);
    await userEvent.click(screen.getByLabelText("Delete Orders"));
    const question = await screen.findByTestId("confirm-dialog");
    expect(question.getAttribute("role")).toBe("alertdialog");
    expect(question.textContent).toContain("Orders will be gone.");
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Cancel"));
    await userEvent.click(screen.getByTestId("confirm-dialog-confirm"));
    await waitFor(() => expect(screen.queryByText("Orders")).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("new-thing")));
  });
});
