import { type HtmlNode, tagged } from "./tablecells";

/** A page of the documentation, with or without a section. */
const page = /^\/?docs\/[\w/-]+?(?:\.md)?\/?(?:#[\w%.-]*)?$/;

/**
 * Where a link of an answer leads in the documentation of this application, "" when it leads elsewhere. Models write addresses in full, as
 * names of files, and without the slash at their beginning.
 */
export function docLink(href: string | undefined, origin: string = window.location.origin): string {
  if (!href) return "";
  const path = href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
  if (!page.test(path)) return "";
  const [slug = "", section] = path.split("#");
  const clean = slug.replace(/^\/?docs\//, "").replace(/(?:\.md)?\/?$/, "");
  return `/docs/${clean}${section ? `#${section}` : ""}`;
}

/** Has links into the documentation be what the pages are called here, before links that lead nowhere are taken away. */
export function docLinks() {
  return (tree: HtmlNode) => {
    for (const link of tagged(tree, "a")) {
      const { href } = link.properties ?? {};
      const local = docLink(typeof href === "string" ? href : undefined);
      if (local) link.properties = { ...link.properties, href: local };
    }
  };
}
