import type { CheckDefinition, FormerLocation, HealthTarget } from "../api/health";

/** Rules by which the status of a check follows from its locations. */
export const ruleWords: Record<NonNullable<CheckDefinition["locationRule"]>, string> = {
  any: "any of them",
  majority: "a majority of them",
  all: "all of them",
};

/** A target as it is from one of its locations, under the id that its runs have. */
export const fromLocation = (target: HealthTarget, id: number): HealthTarget | undefined => {
  const location = target.locations?.find((one) => one.id === id);
  return (
    location && {
      ...target,
      id: location.id,
      checkName: `${target.checkName} from ${location.name}`,
      status: location.status,
      reason: location.reason,
      lastRun: location.lastRun,
      locations: undefined,
    }
  );
};

/** Name of a location from which a target no longer runs. */
export const formerName = ({ name, removed }: FormerLocation) => `${name} (${removed ? "removed" : "earlier"})`;

/** A target as it was from a location that it has left, under the id that its runs have. */
const fromFormer = (target: HealthTarget, id: number): HealthTarget | undefined => {
  const location = target.formerLocations?.find((one) => one.id === id);
  return (
    location && {
      ...target,
      id: location.id,
      checkName: `${target.checkName} from ${formerName(location)}`,
      status: "unknown",
      reason: undefined,
      lastRun: undefined,
      locations: undefined,
      formerLocations: undefined,
    }
  );
};

/** The target with an id, which may be that of one of its locations, present or former. */
export function targetWith(targets: readonly HealthTarget[], id: number | undefined): HealthTarget | undefined {
  if (id === undefined) return undefined;
  return (
    targets.find((one) => one.id === id) ??
    targets.map((one) => fromLocation(one, id) ?? fromFormer(one, id)).find((found) => found !== undefined)
  );
}

/** The target whose runs are shown: a located one as it is from where it fails, or from its first location. */
export function withRuns(target: HealthTarget | undefined): HealthTarget | undefined {
  const locations = target?.locations ?? [];
  const of =
    locations.find(({ status }) => status === "unhealthy") ??
    locations.find(({ status }) => status === "degraded") ??
    locations[0];
  return target && of ? fromLocation(target, of.id) : target;
}
