import type { AdministrationPage, Destination } from "../area";
import { areas } from "../areas";
import { holds, type Principal } from "../api/session";

/** Whether a person may open what needs any of some rules. */
export const isOpen = (me: Principal | undefined, { rules }: { rules?: readonly string[] }): boolean =>
  rules === undefined || rules.some((rule) => holds(me, rule));

const administration: Destination = {
  to: "/admin",
  label: "Admin",
  icon: "admin",
  words: "administration settings",
};

/** The parts of the application that a person may see, in the order of the navigation. */
export function destinationsOf(me: Principal | undefined): Destination[] {
  const open = areas.flatMap(({ navigation }) => (navigation && isOpen(me, navigation) ? [navigation] : []));
  return administers(me) ? [...open, administration] : open;
}

/** The pages of the administration that a person may open, in the order of their tabs. */
export function pagesOf(me: Principal | undefined): AdministrationPage[] {
  const pages: AdministrationPage[] = [];
  for (const page of areas.flatMap((area) => area.administration ?? [])) {
    const before = pages.findIndex(({ to }) => to === page.after);
    pages.splice(before < 0 ? pages.length : before + 1, 0, page);
  }
  return pages.filter((page) => isOpen(me, page));
}

export const administers = (me: Principal | undefined): boolean => pagesOf(me).length > 0;
