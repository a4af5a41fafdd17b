/** A page of the documentation, with or without a section. */
const pages = /^\/?docs\/[\w/-]+?(?:\.md)?\/?(?:#[\w%.-]*)?$/;

/**
 * Where a link of an answer leads in the documentation of this application, "" when it leads elsewhere. Models write addresses in full, as
 * names of files, and without the slash at their beginning.
 */
export function docLink(href: string, origin: string = window.location.origin): string {
  const path = href.startsWith(`${origin}/`) ? href.slice(origin.length) : href;
  if (!pages.test(path)) return "";
  const [slug = "", section] = path.split("#");
  const clean = slug.replace(/^\/?docs\//, "").replace(/(?:\.md)?\/?$/, "");
  return `/docs/${clean}${section ? `#${section}` : ""}`;
}

const schemes = new Set(["https:", "http:", "mailto:", "tel:"]);

/** Target of an answer's link: the path of a page of this app, a full URL for others, "" when it is not opened. */
export function linkAddress(href: string, origin: string = window.location.origin): string {
  const page = docLink(href, origin);
  if (page) return page;
  // A link without a scheme is ambiguous: its base is unknown.
  if (!/^(?:[a-z][a-z+.-]*:|[/\\])/i.test(href)) return "";
  let url: URL;
  try {
    url = new URL(href, origin);
  } catch {
    return "";
  }
  if (!schemes.has(url.protocol)) return "";
  // A path that begins so would be the address of another site.
  const local = url.origin === origin && !url.pathname.startsWith("//");
  return local ? url.pathname + url.search + url.hash : url.href;
}
