import { createRoute, redirect } from "@tanstack/react-router";
import { meQuery } from "../api/session";
import { pagesOf } from "./destinations";
import { adminRoute } from "./root";

/** Leads to the first page of the administration that the person may open. */
export const adminHomeRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: "/",
  beforeLoad: async ({ context }) => {
    const [first] = pagesOf(await context.queryClient.ensureQueryData(meQuery));
    if (first) throw redirect({ to: first.to });
  },
});
