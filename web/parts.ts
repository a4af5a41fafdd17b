import type { Plugin } from "vite";

/** The module of Vite's by which built files import parts of the app. */
const preloadHelper = "\0vite/preload-helper.js";

/** A dynamic import as the build writes it, and any. */
const written = /(\basync)?\(\)=>(\{let\{[^}]*\}=await )?import\((`\.\/[^`]+\.js`)\)/g;
const any = /.{0,60}\bimport\(\s*["'`]\.\/.{0,60}/;

/**
 * Has each dynamic import of the build call src/api/part.ts, which fetches what the part needs before it is imported, and chooses
 * the address of the import: after a failure, some browsers need another one.
 */
export const parts: Plugin = {
  name: "parts",
  apply: "build",
  enforce: "pre",
  load: (id) => (id === preloadHelper ? 'export { part as __vitePreload } from "/src/api/part.ts";' : undefined),
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        file.code = file.code.replaceAll(
          written,
          (_match, async: string | undefined, before: string | undefined, address: string) =>
            `${async ? "async " : ""}_a=>${before ?? ""}import(_a(${address}))`,
        );
        // A replacement that is no JavaScript would be found by the first reader of the page.
        this.parse(file.code);
        if (any.test(file.code))
          throw new Error(
            `${file.fileName} has a dynamic import that parts.ts does not know: ${any.exec(file.code)?.[0]}`,
          );
      }
    },
  },
};
