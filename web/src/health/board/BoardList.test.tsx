import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect, useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { healthKey, type BoardRow } from "../../api/health";
import { Page } from "../../ui/Page";
import type { Status } from "../status";
import { BoardList } from "./BoardList";
import { entriesOf } from "./sections";

const rows = (count: number, statusOf: (at: number) => Status = () => "healthy"): BoardRow[] =>
  Array.from({ length: count }, (_, at) => ({
    systemId: `s${at}`,
    systemName: `System ${at}`,
    status: statusOf(at),
    reason: "",
    checks: 1,
  }));

// jsdom has no layout: the page is as high as ten rows.
beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(700);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1_000);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(70);
});

/** A list, and a function that replaces its systems. */
async function show(first: BoardRow[], more?: () => void) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  for (const { systemId } of first) client.setQueryData([...healthKey, "past", systemId], null);
  const shown: { replace?: (list: BoardRow[]) => void } = {};
  function Board() {
    const [list, setList] = useState(first);
    useEffect(() => {
      shown.replace = setList;
    }, []);
    return (
      <Page title="Health">
        <button type="button">Elsewhere</button>
        <div data-board>
          <BoardList
            complete={!more}
            entries={entriesOf(list, [], undefined, new Set())}
            more={more}
            now={0}
            onToggle={() => {}}
            outdated={false}
          />
        </div>
      </Page>
    );
  }
  const router = createRouter({
    history: createMemoryHistory({ initialEntries: ["/"] }),
    routeTree: createRootRoute({ component: Board }),
  });
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByRole("link", { name: "System 0" });
  return (list: BoardRow[]) => act(() => shown.replace?.(list));
}

const names = () => screen.getAllByRole("link").map(({ textContent }) => textContent);
const worse = (first: BoardRow[]) => {
  const last = first.at(-1) as BoardRow;
  return [{ ...last, status: "unhealthy" as const }, ...first.slice(0, -1)];
};

it("The worst comes first as soon as it changes, while nobody is in the list", async () => {
  const list = rows(3);
  const replace = await show(list);
  replace(worse(list));
  expect(names()).toEqual(["System 2", "System 0", "System 1"]);
  expect(screen.queryByTestId("board-moved")).toBeNull();
});

it("No row moves under the pointer, and each says how it is now", async () => {
  const user = userEvent.setup();
  const list = rows(3);
  const replace = await show(list);
  await user.hover(screen.getByRole("link", { name: "System 1" }));
  replace(worse(list));
  expect(names()).toEqual(["System 0", "System 1", "System 2"]);
  expect(screen.getAllByTestId("board-row")[2]?.dataset.status).toBe("unhealthy");
  screen.getByText("The order has changed");
  replace(list.slice(0, 2));
  screen.getByText("No longer in this selection.");
  replace(worse(list));
  await user.hover(screen.getByRole("button", { name: "Elsewhere" }));
  expect(names()).toEqual(["System 2", "System 0", "System 1"]);
  expect(screen.queryByTestId("board-moved")).toBeNull();
});

it("The focus stays on its system, and sorting again is for whom has it", async () => {
  const user = userEvent.setup();
  const list = rows(3);
  const replace = await show(list);
  act(() => screen.getByRole("link", { name: "System 1" }).focus());
  replace(worse(list));
  expect(names()).toEqual(["System 0", "System 1", "System 2"]);
  expect(document.activeElement?.textContent).toBe("System 1");
  await user.click(screen.getByRole("button", { name: "Sort again" }));
  expect(names()).toEqual(["System 2", "System 0", "System 1"]);
});

it("The arrow keys, Home and End go through all systems, of which few are in the document", async () => {
  const user = userEvent.setup();
  await show(rows(1_000));
  expect(screen.getAllByTestId("board-row").length).toBeLessThan(60);
  act(() => screen.getByRole("link", { name: "System 0" }).focus());
  await user.keyboard("{ArrowDown}{ArrowDown}");
  expect(document.activeElement?.textContent).toBe("System 2");
  await user.keyboard("{ArrowUp}");
  expect(document.activeElement?.textContent).toBe("System 1");
  await user.keyboard("{End}");
  expect(document.activeElement?.textContent).toBe("System 999");
  const last = document.activeElement?.closest("li");
  expect(last?.getAttribute("aria-posinset")).toBe("1000");
  expect(last?.getAttribute("aria-setsize")).toBe("1000");
  await user.keyboard("{Home}");
  expect(document.activeElement?.textContent).toBe("System 0");
  expect(screen.getAllByTestId("board-row").length).toBeLessThan(60);
});

it("More is read when the end is near", async () => {
  const more = vi.fn<() => void>();
  await show(rows(1_000), more);
  expect(more).not.toHaveBeenCalled();
  await show(rows(40), more);
  expect(more).toHaveBeenCalled();
});
