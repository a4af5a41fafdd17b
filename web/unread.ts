import type { Plugin } from "vite";

/** Names of functions that read by a schema. */
const reads = /^(?:(?:safe)?(?:parse|encode|decode)|toJSONSchema)/i;

/** Stub module: builders of schemas build nothing, and readers throw. */
const code = (names: string[]) => `
const reads = ${reads};
const unread = () => {
  throw new Error("The AI SDK reads nothing by a schema in this application: see web/unread.ts.");
};
const none = new Proxy(() => none, {
  get: (_, name) => (name === "then" ? undefined : reads.test(String(name)) ? unread : none),
  has: () => true,
});
export { ${names.map((name) => `${reads.test(name) ? "unread" : "none"} as ${name}`).join(", ")} };
`;

/**
 * Leaves zod out of the build, by which the AI SDK would read the stream: 24 kB for each opened chat. The stream comes
 * from this application's own server, whose types the build checks, and is read without it (src/chat/transport.ts).
 */
export const unread: Plugin = {
  name: "unread",
  apply: "build",
  enforce: "pre",
  resolveId: (source, importer) =>
    source.startsWith("zod/") && /\/node_modules\/(?:ai|@ai-sdk\/[\w-]+)\//.test(importer ?? "")
      ? `\0unread:${source}`
      : undefined,
  async load(id) {
    if (!id.startsWith("\0unread:")) return;
    const module = (await import(id.slice("\0unread:".length))) as object;
    return code(Object.keys(module));
  },
};
