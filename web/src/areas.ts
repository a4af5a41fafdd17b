import { adminArea } from "./admin/area";
import { agentsArea } from "./agents/area";
import type { Area } from "./area";
import { catalogArea } from "./catalog/area";
import { chatArea } from "./chat/area";
import { docsArea } from "./docs/area";
import { healthArea } from "./health/area";
import { inspectorArea } from "./inspector/area";
import { memoryArea } from "./memory/area";
import { proposalsArea } from "./proposals/area";
import { scriptsArea } from "./scripts/area";
import { sharedArea } from "./shared/area";
import { shellArea } from "./shell/area";
import { skillsArea } from "./skills/area";

/** The areas in the order of the navigation. A new one is one line here. */
const all = [
  chatArea,
  sharedArea,
  proposalsArea,
  healthArea,
  catalogArea,
  memoryArea,
  skillsArea,
  agentsArea,
  scriptsArea,
  docsArea,
  inspectorArea,
  adminArea,
  shellArea,
] as const satisfies readonly Area[];

type RoutesOf<Areas extends readonly Area[]> = Areas extends readonly [
  infer First extends Area,
  ...infer Rest extends readonly Area[],
]
  ? [...First["routes"], ...RoutesOf<Rest>]
  : [];

export const areas: readonly Area[] = all;

/** The routes of all areas, with the types that links are checked by. */
export const areaRoutes = areas.flatMap(({ routes }) => routes) as unknown as RoutesOf<typeof all>;
