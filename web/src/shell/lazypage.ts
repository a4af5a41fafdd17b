import { lazyRouteComponent } from "@tanstack/react-router";
import { loaded } from "../api/reach";

/**
 * The component of a route, loaded when it is opened. While the server is away the page that is open stays; the router would
 * have the browser load the document again, and so show a page of the browser's.
 */
export function lazyPage<
  // The exports of a module are arbitrary.
  // oxlint-disable-next-line typescript/no-explicit-any
  Module extends Record<string, any>,
  Name extends keyof Module,
>(load: () => Promise<Module>, name: Name) {
  return lazyRouteComponent<Module, Name>(() => loaded(load), name);
}
