import { lazy, useEffect, type ComponentType } from "react";
import { loaded } from "../api/reach";

/**
 * A part that a page opens, such as a form, loaded beside the page and not before it. The hook starts that as soon as the person
 * is known to be able to open it.
 */
export function besidePage<Props>(load: () => Promise<ComponentType<Props>>) {
  const arrive = () => loaded(load);
  const Part = lazy(async () => ({ default: await arrive() }));
  const useAhead = (opens: boolean) =>
    useEffect(() => {
      if (opens) arrive().catch(() => {});
    }, [opens]);
  return [Part, useAhead] as const;
}
