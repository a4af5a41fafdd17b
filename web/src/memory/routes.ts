import { createRoute } from "@tanstack/react-router";
import { memoriesQuery } from "../api/memories";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { parseFilter } from "./describe";

const memoryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/memory",
  validateSearch: parseFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(memoriesQuery(deps)),
  component: lazyPage(() => import("./MemoryPage"), "MemoryPage"),
});

export const memoryRoutes = [memoryRoute] as const;
