import { createRoute } from "@tanstack/react-router";
import { memoriesKey, memoriesQuery } from "../api/memories";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { parseFilter } from "./filter";

const memoryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/memory",
  validateSearch: parseFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(memoriesQuery(deps)),
  component: lazyPage(() => import("./MemoryPage"), "MemoryPage"),
});

const routes = [memoryRoute] as const;

export const memoryArea: Area<typeof routes> = {
  routes,
  navigation: { to: "/memory", label: "Memory", icon: "memory", rules: ["ai.memory.read"], words: "remember notes" },
  follows: { [memoriesKey[0]]: { on: ({ type }) => type === "ai.memory", hasForms: true } },
};
