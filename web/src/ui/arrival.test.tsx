import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
  useNavigate,
} from "@tanstack/react-router";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { leadOn } from "./arrival";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { ListPage, wholeList } from "./ListPage";
import { Page } from "./Page";

/** A list from which a dialog leads to the page of what it has made, saying so or not. */
function open(says: boolean) {
  function List() {
    const navigate = useNavigate();
    const made = () => {
      if (says) leadOn();
      void navigate({ to: "/thing" as never });
    };
    return (
      <ListPage
        create={(close) => (
          <Dialog onClose={close} title="New thing">
            <Button onClick={made}>Create</Button>
          </Dialog>
        )}
        description="Things."
        itemKey={({ id }: { id: string }) => id}
        list={wholeList({ data: [], error: null, refetch: () => {} })}
        name={({ id }) => id}
        noun="thing"
        row={({ id }) => id}
        title="Things"
      />
    );
  }
  const root = createRootRoute();
  const list = createRoute({ getParentRoute: () => root, path: "/", component: List });
  const thing = createRoute({
    getParentRoute: () => root,
    path: "/thing",
    component: () => <Page title="Orders">Its sections</Page>,
  });
  const router = createRouter({
    routeTree: root.addChildren([list, thing]),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  render(<RouterProvider router={router as never} />);
}

const make = async () => {
  await userEvent.click(await screen.findByRole("button", { name: "New thing" }));
  await userEvent.click(await screen.findByRole("button", { name: "Create" }));
  return screen.findByRole("heading", { name: "Orders" });
};

it("gives the focus to the heading of the page of what was made", async () => {
  open(true);
  const heading = await make();
  await waitFor(() => expect(document.activeElement).toBe(heading));
});

it("gives it to no heading of a page to which nobody was led", async () => {
  open(false);
  const heading = await make();
  await screen.findByText("Its sections");
  expect(document.activeElement).not.toBe(heading);
});
