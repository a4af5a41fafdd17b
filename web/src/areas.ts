import { adminArea } from "./admin/area";
import { agentsArea } from "./agents/area";
import type { AnyArea } from "./area";
import { automationsArea } from "./automations/area";
import { catalogArea } from "./catalog/area";
import { chatArea } from "./chat/area";
import { docsArea } from "./docs/area";
import { healthArea } from "./health/area";
import { incidentsArea } from "./incidents/area";
import { intakeArea } from "./intake/area";
import { inspectorArea } from "./inspector/area";
import { maintenancesArea } from "./maintenances/area";
import { memoryArea } from "./memory/area";
import { notificationsArea } from "./notifications/area";
import { onCallArea } from "./oncall/area";
import { proposalsArea } from "./proposals/area";
import { scriptsArea } from "./scripts/area";
import { sharedArea } from "./shared/area";
import { shellArea } from "./shell/area";
import { skillsArea } from "./skills/area";
import { spendArea } from "./spend/area";

/** The areas in the order of the navigation. A new one is one line here. */
const all = [
  chatArea,
  sharedArea,
  proposalsArea,
  healthArea,
  incidentsArea,
  maintenancesArea,
  onCallArea,
  automationsArea,
  catalogArea,
  memoryArea,
  skillsArea,
  agentsArea,
  scriptsArea,
  docsArea,
  adminArea,
  intakeArea,
  inspectorArea,
  spendArea,
  notificationsArea,
  shellArea,
] as const satisfies readonly AnyArea[];

export const areas: readonly AnyArea[] = all;

type RoutesOf<Areas extends readonly AnyArea[], Kind extends "routes" | "adminRoutes"> = Areas extends readonly [
  infer First extends AnyArea,
  ...infer Rest extends readonly AnyArea[],
]
  ? [...Exclude<First[Kind], undefined>, ...RoutesOf<Rest, Kind>]
  : [];

/** The routes of all areas, with the types that links are checked by. */
export const areaRoutes = areas.flatMap(({ routes }) => routes) as unknown as RoutesOf<typeof all, "routes">;

export const areaAdminRoutes = areas.flatMap(({ adminRoutes = [] }) => adminRoutes) as unknown as RoutesOf<
  typeof all,
  "adminRoutes"
>;
