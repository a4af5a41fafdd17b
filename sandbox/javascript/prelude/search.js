// URLSearchParams: a list of pairs, in the encoding of forms.
const fromForm = (text) => unescapeBytes(text.replaceAll('+', ' '));
const toForm = (text) =>
  encodeURIComponent(wellFormed(text)).replace(/%20/g, '+').replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const parseForm = (text) =>
  text.split('&').filter((pair) => pair !== '').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [fromForm(pair), ''] : [fromForm(pair.slice(0, at)), fromForm(pair.slice(at + 1))];
  });
const pairsOf = (init) => {
  if (init === undefined || init === null) return [];
  if (typeof init !== 'object') return parseForm(textOf(init).replace(/^\?/, ''));
  if (typeof init[Symbol.iterator] !== 'function') return Object.entries(init).map(([k, v]) => [textOf(k), textOf(v)]);
  return [...init].map((pair) => {
    const [k, v, ...more] = pair;
    if (more.length > 0 || [...pair].length !== 2) throw new TypeError('Each pair must have a name and a value');
    return [textOf(k), textOf(v)];
  });
};
const fillParams = (params, query) => {
  stateOf(params, URLSearchParams).pairs = parseForm(query);
};
const paramsOf = (url) => {
  const params = new URLSearchParams(url.query ?? '');
  stateOf(params, URLSearchParams).url = url;
  return params;
};
const changed = (params) => {
  const { url } = stateOf(params, URLSearchParams);
  if (url) url.query = params.size === 0 ? null : textOf(params);
};
class URLSearchParams {
  constructor(init) {
    hidden.set(this, { of: URLSearchParams, pairs: pairsOf(init).map((pair) => pair.map(wellFormed)), url: null });
  }
  get #pairs() { return stateOf(this, URLSearchParams).pairs; }
  set #pairs(pairs) {
    stateOf(this, URLSearchParams).pairs = pairs;
    changed(this);
  }
  get size() { return this.#pairs.length; }
  append(name, value) { this.#pairs = [...this.#pairs, [wellFormed(textOf(name)), wellFormed(textOf(value))]]; }
  delete(name, value) { this.#pairs = this.#pairs.filter(([k, v]) => k !== textOf(name) || (value !== undefined && v !== textOf(value))); }
  get(name) { return this.#pairs.find(([k]) => k === textOf(name))?.[1] ?? null; }
  getAll(name) { return this.#pairs.filter(([k]) => k === textOf(name)).map(([, v]) => v); }
  has(name, value) { return this.#pairs.some(([k, v]) => k === textOf(name) && (value === undefined || v === textOf(value))); }
  set(name, value) {
    const pairs = this.#pairs;
    const at = pairs.findIndex(([k]) => k === textOf(name));
    if (at < 0) this.append(name, value);
    else
      this.#pairs = pairs
        .filter(([k], i) => i <= at || k !== textOf(name))
        .map((pair, i) => (i === at ? [pair[0], wellFormed(textOf(value))] : pair));
  }
  sort() { this.#pairs = this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); }
  forEach(callback, self) { for (const [k, v] of this) callback.call(self, v, k, this); }
  *entries() { for (let i = 0; i < this.#pairs.length; i++) yield [...this.#pairs[i]]; }
  *keys() { for (const [k] of this) yield k; }
  *values() { for (const [, v] of this) yield v; }
  [Symbol.iterator]() { return this.entries(); }
  toString() { return this.#pairs.map(([k, v]) => `${toForm(k)}=${toForm(v)}`).join('&'); }
}
tag(URLSearchParams, 'URLSearchParams');
expose('URLSearchParams', URLSearchParams);
