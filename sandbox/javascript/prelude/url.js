// URL and URLSearchParams, after the URL Standard. Hosts that are not ASCII are mapped by the host function `domain`.
const schemePorts = { __proto__: null, 'ftp:': '21', 'file:': '', 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' };
const isSpecial = (url) => url.protocol in schemePorts;
const set = (characters) => new Set(characters);
const fragmentSet = set(' "<>`');
const querySet = set(' "#<>');
const specialQuerySet = set(' "#<>\'');
const pathSet = set(' "#<>?`{}^');
const userinfoSet = set(' "#<>?`{}/:;=@[\\]^|');
const noSet = set('');
const forbiddenHost = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const forbiddenDomain = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;

const escape = (text, encoded) => {
  let out = '';
  for (const c of text) {
    if (c > '~') out += encodeURIComponent(c);
    else if (c < ' ' || encoded.has(c)) out += `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    else out += c;
  }
  return out.replaceAll('\x7f', '%7F');
};
const unescapeBytes = (text) => {
  const bytes = [];
  const raw = new Uint8Array(host.encode(text));
  for (let i = 0; i < raw.length; i++) {
    const hex = raw[i] === 37 ? textOf.fromCharCode(raw[i + 1] ?? 0, raw[i + 2] ?? 0) : '';
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      bytes.push(parseInt(hex, 16));
      i += 2;
    } else bytes.push(raw[i]);
  }
  return decodeBytes(new Uint8Array(bytes));
};

class Malformed extends Error {}
const refuse = () => {
  throw new Malformed();
};

const parseNumber = (text) => {
  if (text === '') return NaN;
  if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0 : parseInt(text, 16);
  if (/^0[0-7]*$/.test(text)) return parseInt(text, 8);
  return /^\d+$/.test(text) && text[0] !== '0' ? parseInt(text, 10) : NaN;
};
const endsInNumber = (text) => {
  const parts = text.split('.');
  if (parts.at(-1) === '' && parts.length > 1) parts.pop();
  return /^\d+$/.test(parts.at(-1)) || /^0x[0-9a-f]*$/i.test(parts.at(-1));
};
const parseIPv4 = (text) => {
  const parts = text.split('.');
  if (parts.at(-1) === '' && parts.length > 1) parts.pop();
  if (parts.length > 4) refuse();
  const numbers = parts.map(parseNumber);
  if (numbers.some(Number.isNaN) || numbers.slice(0, -1).some((n) => n > 255)) refuse();
  const last = numbers.pop();
  if (last >= 256 ** (4 - numbers.length)) refuse();
  const value = numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), last);
  return [24, 16, 8, 0].map((shift) => floor(value / 2 ** shift) % 256).join('.');
};
const parseIPv6 = (text) => {
  let pieces = text;
  const v4 = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (v4) {
    const bytes = v4.slice(2).map(Number);
    if (bytes.some((n) => n > 255) || v4.slice(2).some((n) => n.length > 1 && n[0] === '0')) refuse();
    pieces = `${v4[1]}${(bytes[0] * 256 + bytes[1]).toString(16)}:${(bytes[2] * 256 + bytes[3]).toString(16)}`;
  }
  const halves = pieces.split('::');
  if (halves.length > 2) refuse();
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  if ([...head, ...(tail ?? [])].some((p) => !/^[0-9a-f]{1,4}$/i.test(p))) refuse();
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) refuse();
  const all = [...head, ...new Array(missing).fill('0'), ...(tail ?? [])].map((p) => parseInt(p, 16));
  let best = { at: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (all[i + n] === 0) n++;
    if (n > best.length) best = { at: i, length: n };
  }
  const hex = (numbers) => numbers.map((n) => n.toString(16)).join(':');
  return best.at < 0 ? hex(all) : `${hex(all.slice(0, best.at))}::${hex(all.slice(best.at + best.length))}`;
};
const parseHost = (text, special) => {
  if (text[0] === '[') {
    if (text.at(-1) !== ']') refuse();
    return `[${parseIPv6(text.slice(1, -1))}]`;
  }
  if (!special) {
    if (forbiddenHost.test(text)) refuse();
    return escape(text, noSet);
  }
  let domain = unescapeBytes(text);
  if (/[^\0-\x7f]|(^|\.)xn--/i.test(domain)) domain = host.domain(domain);
  else domain = domain.toLowerCase();
  if (domain === '' || forbiddenDomain.test(domain)) refuse();
  return endsInNumber(domain) ? parseIPv4(domain) : domain;
};

const isDrive = (text) => /^[A-Za-z][:|]$/.test(text);
const startsWithDrive = (text) => /^[A-Za-z][:|]([/\\?#]|$)/.test(text);
const shorten = (url) => {
  if (url.protocol === 'file:' && url.path.length === 1 && /^[A-Za-z]:$/.test(url.path[0])) return;
  url.path.pop();
};
const pushPath = (url, text) => {
  const special = isSpecial(url);
  const parts = text.split(special ? /[/\\]/ : '/');
  for (const [i, part] of parts.entries()) {
    const last = i === parts.length - 1;
    const dots = part.replace(/%2e/gi, '.');
    if (dots === '..') {
      shorten(url);
      if (last) url.path.push('');
    } else if (dots === '.') {
      if (last) url.path.push('');
    } else {
      let piece = escape(part, pathSet);
      if (url.protocol === 'file:' && url.path.length === 0 && isDrive(piece)) piece = `${piece[0]}:`;
      url.path.push(piece);
    }
  }
};
const setAuthority = (url, text) => {
  const at = text.lastIndexOf('@');
  if (at >= 0) {
    const credentials = text.slice(0, at);
    const colon = credentials.indexOf(':');
    url.username = escape(colon < 0 ? credentials : credentials.slice(0, colon), userinfoSet);
    url.password = colon < 0 ? '' : escape(credentials.slice(colon + 1), userinfoSet);
    if (at === text.length - 1) refuse();
  }
  const rest = text.slice(at + 1);
  const port = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(rest) ?? refuse();
  if (port[1] === '' && (isSpecial(url) || port[2] !== undefined)) refuse();
  url.host = port[1] === '' ? '' : parseHost(port[1], isSpecial(url));
  if (port[2]) setPort(url, port[2]);
};
const setPort = (url, text) => {
  if (!/^\d+$/.test(text) || Number(text) > 65535) refuse();
  url.port = textOf(Number(text)) === schemePorts[url.protocol] ? '' : textOf(Number(text));
};
const inherit = (url, base, rest) => {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
  if (rest) url.path = [...base.path];
};
const parseFile = (url, base, text) => {
  if (/^[/\\]{2}/.test(text)) {
    const [, authority, path] = /^[/\\]{2}([^/\\]*)(.*)$/s.exec(text);
    if (isDrive(authority)) {
      url.host = '';
      pushPath(url, text.slice(2));
      return true;
    }
    url.host = authority === '' ? '' : parseHost(authority, true);
    if (url.host === 'localhost') url.host = '';
    pushPath(url, path.slice(1));
    return true;
  }
  url.host = base?.protocol === 'file:' ? base.host : '';
  const inherits = base?.protocol === 'file:';
  if (/^[/\\]/.test(text)) {
    if (inherits && !startsWithDrive(text.slice(1)) && /^[A-Za-z]:$/.test(base.path[0] ?? '')) url.path.push(base.path[0]);
    pushPath(url, text.slice(1));
    return true;
  }
  if (!inherits) {
    pushPath(url, text);
    return true;
  }
  if (text === '') {
    url.path = [...base.path];
    return false;
  }
  if (!startsWithDrive(text)) {
    url.path = [...base.path];
    shorten(url);
  }
  pushPath(url, text);
  return true;
};
// parsePath handles what comes after the scheme; it answers whether the query of the base does not apply.
const parseRest = (url, base, text, absolute) => {
  const special = isSpecial(url);
  if (url.protocol === 'file:') return parseFile(url, base, text);
  const slashes = special ? /^[/\\]{2}/ : /^\/\//;
  const sameBase = special && base?.protocol === url.protocol;
  if (slashes.test(text) || (special && absolute && !sameBase)) {
    const body = special ? text.replace(/^[/\\]+/, '') : text.slice(2);
    const end = body.search(special ? /[/\\]/ : /\//);
    setAuthority(url, end < 0 ? body : body.slice(0, end));
    if (end >= 0) pushPath(url, body.slice(end + 1));
    else if (special) url.path = [''];
    return true;
  }
  if (absolute && !sameBase) {
    if (text[0] === '/') pushPath(url, text.slice(1));
    else url.opaque = escape(text, noSet);
    return true;
  }
  inherit(url, base, false);
  if (special ? /^[/\\]/.test(text) : text[0] === '/') {
    pushPath(url, text.slice(1));
    return true;
  }
  url.path = [...base.path];
  if (text === '') return false;
  shorten(url);
  pushPath(url, text);
  return true;
};
const parseURL = (text, base) => {
  const url = { protocol: '', username: '', password: '', host: null, port: '', path: [], opaque: null, query: null, fragment: null };
  let rest = wellFormed(text).replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(rest);
  const hash = rest.indexOf('#');
  if (hash >= 0) {
    url.fragment = escape(rest.slice(hash + 1), fragmentSet);
    rest = rest.slice(0, hash);
  }
  if (scheme) rest = rest.slice(scheme[0].length);
  url.protocol = scheme ? `${scheme[1].toLowerCase()}:` : base?.protocol ?? refuse();
  const mark = rest.indexOf('?');
  if (mark >= 0) {
    url.query = escape(rest.slice(mark + 1), isSpecial(url) ? specialQuerySet : querySet);
    rest = rest.slice(0, mark);
  }
  if (!scheme && base.opaque !== null) {
    if (hash < 0 || rest !== '' || mark >= 0) refuse();
    return { ...base, path: [...base.path], fragment: url.fragment };
  }
  const fresh = parseRest(url, base, rest, scheme !== null);
  if (!fresh && mark < 0) url.query = base.query;
  return url;
};
const pathOf = (url) => url.opaque ?? url.path.map((p) => `/${p}`).join('');
const hostOf = (url) => (url.host ?? '') + (url.port === '' ? '' : `:${url.port}`);
const hrefOf = (url) => {
  let text = url.protocol;
  if (url.host !== null) {
    text += '//';
    if (url.username !== '' || url.password !== '') text += `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
    text += hostOf(url);
  } else if (url.opaque === null && url.path.length > 1 && url.path[0] === '') text += '/.';
  text += pathOf(url);
  if (url.query !== null) text += `?${url.query}`;
  return url.fragment === null ? text : `${text}#${url.fragment}`;
};

const attempt = (change) => {
  try {
    change();
  } catch (e) {
    if (!(e instanceof Malformed)) throw e;
  }
};
class URL {
  constructor(text, base) {
    hidden.set(this, { of: URL, url: URL.#parse(textOf(text), base), params: null });
  }
  static #parse(text, base) {
    try {
      return parseURL(text, base === undefined ? undefined : parseURL(textOf(base)));
    } catch (e) {
      if (!(e instanceof Malformed)) throw e;
      throw new TypeError(`Invalid URL: ${text}`);
    }
  }
  static canParse(text, base) { return URL.parse(text, base) !== null; }
  static parse(text, base) {
    try {
      return new URL(text, base);
    } catch {
      return null;
    }
  }
  get #url() { return stateOf(this, URL).url; }
  get href() { return hrefOf(this.#url); }
  set href(text) {
    const state = stateOf(this, URL);
    state.url = URL.#parse(textOf(text));
    if (state.params) fillParams(state.params, state.url.query ?? '');
  }
  get origin() {
    const url = this.#url;
    return isSpecial(url) && url.protocol !== 'file:' ? `${url.protocol}//${hostOf(url)}` : 'null';
  }
  get protocol() { return this.#url.protocol; }
  set protocol(text) {
    const url = this.#url;
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*)(:|$)/.exec(textOf(text));
    if (!scheme) return;
    const protocol = `${scheme[1].toLowerCase()}:`;
    if (protocol in schemePorts !== isSpecial(url) || (protocol === 'file:' && (url.username || url.password || url.port))) return;
    if (url.protocol === 'file:' && url.host === '') return;
    url.protocol = protocol;
    if (url.port === schemePorts[protocol]) url.port = '';
  }
  get username() { return this.#url.username; }
  set username(text) {
    if (this.#url.host && this.#url.protocol !== 'file:') this.#url.username = escape(wellFormed(textOf(text)), userinfoSet);
  }
  get password() { return this.#url.password; }
  set password(text) {
    if (this.#url.host && this.#url.protocol !== 'file:') this.#url.password = escape(wellFormed(textOf(text)), userinfoSet);
  }
  get host() { return hostOf(this.#url); }
  set host(text) {
    const url = this.#url;
    const match = /^(\[[^\]]*\]|[^:/\\?#]*)(?::(\d*))?/.exec(textOf(text));
    if (url.opaque !== null || (match[1] === '' && isSpecial(url) && url.protocol !== 'file:')) return;
    attempt(() => {
      url.host = match[1] === '' ? '' : parseHost(match[1], isSpecial(url));
      if (match[2]) setPort(url, match[2]);
    });
  }
  get hostname() { return this.#url.host ?? ''; }
  set hostname(text) {
    if (!/^(\[[^\]]*\]|[^:/\\?#]*)/.exec(textOf(text))[0].includes(':') || textOf(text)[0] === '[')
      this.host = textOf(text).replace(/^(\[[^\]]*\]|[^:]*):.*$/s, '$1');
  }
  get port() { return this.#url.port; }
  set port(text) {
    const url = this.#url;
    if (!url.host || url.protocol === 'file:') return;
    const digits = /^\d*/.exec(textOf(text))[0];
    if (textOf(text) === '') url.port = '';
    else if (digits !== '') attempt(() => setPort(url, digits));
  }
  get pathname() { return pathOf(this.#url); }
  set pathname(text) {
    const url = this.#url;
    if (url.opaque !== null) return;
    url.path = [];
    const path = wellFormed(textOf(text)).replace(/[\t\n\r]/g, '');
    pushPath(url, path.replace(isSpecial(url) ? /^[/\\]/ : /^\//, ''));
  }
  get search() { return this.#url.query ? `?${this.#url.query}` : ''; }
  set search(text) {
    const { url, params } = stateOf(this, URL);
    const query = wellFormed(textOf(text)).replace(/^\?/, '').replace(/[\t\n\r]/g, '');
    url.query = textOf(text) === '' ? null : escape(query, isSpecial(url) ? specialQuerySet : querySet);
    if (params) fillParams(params, query);
  }
  get searchParams() {
    const state = stateOf(this, URL);
    state.params ??= paramsOf(state.url);
    return state.params;
  }
  get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ''; }
  set hash(text) {
    const fragment = wellFormed(textOf(text)).replace(/^#/, '').replace(/[\t\n\r]/g, '');
    this.#url.fragment = textOf(text) === '' ? null : escape(fragment, fragmentSet);
  }
  toString() { return this.href; }
  toJSON() { return this.href; }
}
tag(URL, 'URL');
expose('URL', URL);
