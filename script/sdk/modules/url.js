// url: the classes of the web, which are globals, and the older parse and format.
const { URL: Url, URLSearchParams: Params } = globalThis;
export { Params as URLSearchParams, Url as URL };

export const format = (url) => {
  if (url instanceof Url) return url.href;
  if (typeof url === 'string') return new Url(url).href;
  const { protocol, auth, hostname, port, pathname, hash } = url;
  const host = url.host ?? (hostname ? hostname + (port ? `:${port}` : '') : '');
  const query = url.search ?? (url.query && typeof url.query === 'object' ? new Params(url.query).toString() : url.query);
  const scheme = protocol ? protocol.replace(/:?$/, ':') : '';
  const search = query ? (query.startsWith('?') ? query : `?${query}`) : '';
  const fragment = hash ? (hash.startsWith('#') ? hash : `#${hash}`) : '';
  return `${scheme}${host || url.slashes ? '//' : ''}${auth ? `${auth}@` : ''}${host}${pathname ?? url.path ?? ''}${search}${fragment}`;
};

export const parse = (text, parseQuery = false) => {
  const m = /^([a-z][a-z0-9+.-]*:)?(?:(\/\/)(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(String(text));
  const [, protocol = null, slashes, auth = null, host = null, pathname, search = null, hash = null] = m;
  const [, hostname = null, port = null] = host === null ? [] : (/^(.*?)(?::(\d*))?$/.exec(host) ?? []);
  const query = search === null ? null : search.slice(1);
  return {
    protocol: protocol?.toLowerCase() ?? null, slashes: slashes ? true : null, auth, host: host?.toLowerCase() ?? null, port: port || null,
    hostname: hostname?.toLowerCase() ?? null, hash, search, query: parseQuery ? Object.fromEntries(new Params(query ?? '')) : query,
    pathname: pathname || null, path: (pathname || '') + (search ?? '') || null, href: String(text),
  };
};
export const resolve = (from, to) => {
  const base = new Url(from, 'resolve://host/');
  const found = new Url(to, base);
  return found.protocol === 'resolve:' ? found.pathname + found.search + found.hash : found.href;
};
export const domainToASCII = (domain) => (Url.canParse(`https://${domain}`) ? new Url(`https://${domain}`).hostname : '');

export default { URL: Url, URLSearchParams: Params, format, parse, resolve, domainToASCII };
