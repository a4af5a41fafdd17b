import { createRoute } from "@tanstack/react-router";
import { skillQuery, skillsKey, skillsQuery } from "../api/skills";
import type { Area } from "../area";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";
import type { SkillFilter } from "./filter";

const skillsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/skills",
  validateSearch: (search): SkillFilter => ({
    target: search.target === "chat" || search.target === "ai_analyze" ? search.target : undefined,
    source: search.source === "builtin" || search.source === "own" ? search.source : undefined,
    query: searchText(search.query),
  }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(skillsQuery),
  component: lazyPage(() => import("./SkillsPage"), "SkillsPage"),
});

const skillRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/skills/$skillId",
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(skillQuery(params.skillId)),
  component: lazyPage(() => import("./SkillPage"), "SkillPage"),
});

const routes = [skillsRoute, skillRoute] as const;

export const skillsArea: Area<typeof routes> = {
  routes,
  navigation: { to: "/skills", label: "Skills", icon: "skill", rules: ["ai.skill.read"], words: "prompts templates" },
  follows: { [skillsKey[0]]: { on: ({ type }) => type === "ai.skill", hasForms: true } },
};
