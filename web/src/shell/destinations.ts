import type { Destination } from "../area";
import { areas } from "../areas";
import { holds, type Principal } from "../api/session";

/** Whether a person may open what needs any of some rules. */
export const isOpen = (me: Principal | undefined, { rules }: { rules?: readonly string[] }): boolean =>
  rules === undefined || rules.some((rule) => holds(me, rule));

/** The parts of the application that a person may see, in the order of the navigation. */
export function destinationsOf(me: Principal | undefined): Destination[] {
  return areas.flatMap(({ navigation }) => (navigation && isOpen(me, navigation) ? [navigation] : []));
}
