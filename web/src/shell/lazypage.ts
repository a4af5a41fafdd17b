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

/**
 * The loader of a route whose queries only its pages need: they stay out of the first load, and a hovered link starts them as
 * those of others. A failure is left to the page, which needs the same files.
 */
export function lazyLoader<Module extends Record<Name, (context: never) => void>, Name extends string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return (context: Parameters<Module[Name]>[0]): void =>
    void loaded(load).then(
      (module) => module[name](context as never),
      () => {},
    );
}
