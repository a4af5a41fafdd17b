import { createRoute } from "@tanstack/react-router";
import { scriptContextQuery, type ScriptContextId } from "../api/scripts";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { scriptsPath } from "../shell/scripting";
import { places, scriptRules } from "./places";

const scriptsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: scriptsPath,
  validateSearch: (search): { context?: ScriptContextId } => ({
    context: places.find(({ id }) => id === search.context)?.id,
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    const place = places.find(({ id }) => id === deps.context);
    if (place) void queryClient.prefetchQuery(scriptContextQuery(place.area, place.id));
  },
  component: lazyPage(() => import("./ScriptsPage"), "ScriptsPage"),
});

const routes = [scriptsRoute] as const;

export const scriptsArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: scriptsPath,
    label: "Scripts",
    icon: "script",
    rules: Object.values(scriptRules),
    words: "playground typescript shell",
  },
};
