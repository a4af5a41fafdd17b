import { areas } from "../areas";
import type { Principal } from "../api/session";
import { destinationsOf, isOpen, pagesOf } from "../shell/destinations";
import type { IconName } from "../ui/Icon";
import type { Entry } from "./rank";
import type { Place } from "./sources";

/** An entry that does something here. */
export interface Command extends Entry {
  icon: IconName;
  run: () => void;
}

/** The pages that a person may open: first those of the navigation. */
export function pages(me: Principal | undefined): Place[] {
  const open = areas.filter(({ navigation }) => !navigation || isOpen(me, navigation));
  const parts = destinationsOf(me).map(({ to, search, label, words, icon }) => ({
    key: `page ${to}`,
    label,
    words,
    icon,
    href: search ? `${to}?${new URLSearchParams(search as Record<string, string>)}` : String(to),
  }));
  const others = open.flatMap(({ navigation, palette = [] }) =>
    palette
      .filter((page) => isOpen(me, page))
      .map(({ to, label, words, detail = navigation?.label, icon = navigation?.icon ?? "list" }) => ({
        key: `page ${to}`,
        label,
        detail,
        words,
        icon,
        href: String(to),
      })),
  );
  const administration = pagesOf(me).map(({ to, label }) => ({
    key: `page ${to}`,
    label,
    detail: "Administration",
    words: "admin settings",
    icon: "admin" as const,
    href: to,
  }));
  return [...parts, ...others, ...administration];
}
