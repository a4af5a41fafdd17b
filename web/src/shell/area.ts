import { createRoute, redirect } from "@tanstack/react-router";
import { chatTokensQuery, signInsQuery, signInWaysQuery } from "../api/account";
import { presence } from "../api/presence";
import { ownProgramsQuery } from "../api/programs";
import type { Area } from "../area";
import { lazyPage } from "./lazypage";
import { NotFound } from "./RouteError";
import { appRoute, rootRoute, signedIn } from "./root";
import { localPath, searchText } from "./searchparams";

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string; failed?: string } => ({
    next: localPath(search.next),
    failed: searchText(search.failed),
  }),
  beforeLoad: () => presence.end(),
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInWaysQuery),
  component: lazyPage(() => import("./SignInPage"), "SignInPage"),
});

export const ownPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/own-password",
  validateSearch: (search): { next?: string } => ({ next: localPath(search.next) }),
  beforeLoad: async ({ context, search }) => {
    const me = await signedIn(context.queryClient, search.next ?? "/chat");
    if (!me.mustChangePassword) throw redirect({ href: search.next ?? "/chat" });
  },
  component: lazyPage(() => import("./OwnPasswordPage"), "OwnPasswordPage"),
});

export const consentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/oauth/consent",
  validateSearch: (search): { request?: string } => ({ request: searchText(search.request) }),
  beforeLoad: async ({ context, location }) => {
    const me = await signedIn(context.queryClient, location.href);
    if (me.mustChangePassword) throw redirect({ to: "/own-password", search: { next: location.href } });
  },
  component: lazyPage(() => import("./ConsentPage"), "ConsentPage"),
});

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/chat", search: { last: true } });
  },
});

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/account",
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(signInsQuery);
    void queryClient.prefetchInfiniteQuery(ownProgramsQuery);
    void queryClient.prefetchQuery(chatTokensQuery);
  },
  component: lazyPage(() => import("./AccountPage"), "AccountPage"),
});

/** An address that is none: the way to all others stays beside it. */
const unknownRoute = createRoute({ getParentRoute: () => appRoute, path: "$", component: NotFound });

const routes = [homeRoute, accountRoute, unknownRoute] as const;

export const shellArea: Area<typeof routes> = {
  routes,
  palette: [{ to: "/account", label: "My account", words: "password sessions tokens programs profile", icon: "admin" }],
};
