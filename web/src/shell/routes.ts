import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { signInsQuery } from "../api/account";
import { appRoute, rootRoute } from "./root";
import { localPath } from "./searchparams";

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search): { next?: string } => ({ next: localPath(search.next) }),
  component: lazyRouteComponent(() => import("./SignInPage"), "SignInPage"),
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
  loader: ({ context }) => void context.queryClient.prefetchQuery(signInsQuery),
  component: lazyRouteComponent(() => import("./AccountPage"), "AccountPage"),
});

export const shellRoutes = [homeRoute, accountRoute] as const;
