import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { chatTokensQuery, signInsQuery, signInWaysQuery } from "../api/account";
import { ownProgramsQuery } from "../api/programs";
import { appRoute, rootRoute, signedIn } from "./root";
import { localPath, searchText } from "./searchparams";

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string; failed?: string } => ({
    next: localPath(search.next),
    failed: searchText(search.failed),
  }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInWaysQuery),
  component: lazyRouteComponent(() => import("./SignInPage"), "SignInPage"),
});

export const ownPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/own-password",
  validateSearch: (search): { next?: string } => ({ next: localPath(search.next) }),
  beforeLoad: async ({ context, search }) => {
    const me = await signedIn(context.queryClient, search.next ?? "/chat");
    if (!me.mustChangePassword) throw redirect({ href: search.next ?? "/chat" });
  },
  component: lazyRouteComponent(() => import("./OwnPasswordPage"), "OwnPasswordPage"),
});

export const consentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/oauth/consent",
  validateSearch: (search): { request?: string } => ({ request: searchText(search.request) }),
  beforeLoad: async ({ context, location }) => {
    const me = await signedIn(context.queryClient, location.href);
    if (me.mustChangePassword) throw redirect({ to: "/own-password", search: { next: location.href } });
  },
  component: lazyRouteComponent(() => import("./ConsentPage"), "ConsentPage"),
});

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/chat" });
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
  component: lazyRouteComponent(() => import("./AccountPage"), "AccountPage"),
});

export const shellRoutes = [homeRoute, accountRoute] as const;
