import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { presence } from "../api/presence";
import { Problem } from "../api/problem";
import { reach } from "../api/reach";
import { meQuery, settingsQuery, type Principal } from "../api/session";
import { lazyPage } from "./lazypage";
import { NotFound } from "./RouteError";
import { needsDocument } from "./scripting";

interface RouterContext {
  queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: () => (
    <main>
      <NotFound />
    </main>
  ),
});

/** Reads the signed-in person; others are redirected to the sign-in, and from there to the requested page. */
export async function signedIn(queryClient: QueryClient, next: string): Promise<Principal> {
  try {
    const me = await queryClient.ensureQueryData(meQuery);
    presence.begin(me);
    return me;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) throw redirect({ to: "/sign-in", search: { next } });
    throw error;
  }
}

/**
 * Everything behind sign-in: the parent of the routes of every area. Their loaders start reads and do not wait for them: a
 * hovered link is warm, and a clicked one shows its page with placeholders at once.
 */
export const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "app",
  beforeLoad: async ({ context, location, preload }) => {
    const me = await signedIn(context.queryClient, location.href);
    if (me.mustChangePassword) throw redirect({ to: "/own-password", search: { next: location.href } });
    if (preload || !needsDocument(location.pathname)) return;
    // While there is no server, the browser would show a page of its own instead.
    await reach.back();
    window.location.replace(location.href);
    // Nothing more happens in this document.
    await new Promise(() => {});
  },
  loader: ({ context }) => void context.queryClient.prefetchQuery(settingsQuery),
  component: lazyPage(() => import("./AppShell"), "AppShell"),
});

/** Parent of the pages of the administration. */
export const adminRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/admin",
  component: lazyPage(() => import("../admin/AdminLayout"), "AdminLayout"),
});
