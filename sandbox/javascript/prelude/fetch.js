// Headers, Request, Response and fetch. Bodies are whole: there are no streams.
const headerName = (name) => {
  const text = textOf(name).toLowerCase();
  if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(text)) throw new TypeError(`Invalid header name: ${text}`);
  return text;
};
const headerValue = (value) => {
  const text = textOf(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (/[\0\n\r]|[^\0-\xff]/.test(text)) throw new TypeError('Invalid header value');
  return text;
};
class Headers {
  constructor(init) {
    hidden.set(this, { of: Headers, map: new Map() });
    if (init === undefined || init === null) return;
    for (const [name, value] of init instanceof Headers ? init : pairsOf(init)) this.append(name, value);
  }
  get #map() { return stateOf(this, Headers).map; }
  append(name, value) {
    const key = headerName(name);
    this.#map.set(key, [...(this.#map.get(key) ?? []), headerValue(value)]);
  }
  delete(name) { this.#map.delete(headerName(name)); }
  get(name) { return this.#map.get(headerName(name))?.join(', ') ?? null; }
  getSetCookie() { return [...(this.#map.get('set-cookie') ?? [])]; }
  has(name) { return this.#map.has(headerName(name)); }
  set(name, value) { this.#map.set(headerName(name), [headerValue(value)]); }
  forEach(callback, self) { for (const [k, v] of this) callback.call(self, v, k, this); }
  *entries() {
    for (const key of [...this.#map.keys()].sort()) {
      if (key === 'set-cookie') for (const value of this.getSetCookie()) yield [key, value];
      else yield [key, this.get(key)];
    }
  }
  *keys() { for (const [k] of this) yield k; }
  *values() { for (const [, v] of this) yield v; }
  [Symbol.iterator]() { return this.entries(); }
}
tag(Headers, 'Headers');

// takeBody answers the bytes of a body, and the content type that it implies.
const takeBody = (body) => {
  if (body === undefined || body === null) return { bytes: null, type: null };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { bytes: bytesOf(body).slice(), type: null };
  const type = body instanceof URLSearchParams ? 'application/x-www-form-urlencoded;charset=UTF-8' : 'text/plain;charset=UTF-8';
  return { bytes: new Uint8Array(host.encode(textOf(body))), type };
};
const consume = (message) => {
  const state = hidden.get(message);
  if (state?.bytes === undefined) throw new TypeError('Illegal invocation');
  if (state.used) throw new TypeError('The body has already been read');
  state.used = state.bytes !== null;
  return state.bytes ?? new Uint8Array(0);
};
class Body {
  get body() { return null; }
  get bodyUsed() { return hidden.get(this)?.used; }
  get headers() { return hidden.get(this)?.headers; }
  async text() { return new TextDecoder().decode(consume(this)); }
  async json() { return parse(new TextDecoder().decode(consume(this))); }
  async bytes() { return consume(this).slice(); }
  async arrayBuffer() { return consume(this).slice().buffer; }
}
const hold = (object, of, body, headers, rest) => {
  const { bytes, type } = takeBody(body);
  const all = new Headers(headers);
  if (type !== null && !all.has('content-type')) all.set('content-type', type);
  hidden.set(object, { of, bytes, headers: all, used: false, ...rest });
};
const copy = (object, of) => {
  const state = stateOf(object, of);
  if (state.used) throw new TypeError('The body has already been read');
  const twin = Object.create(of.prototype);
  hidden.set(twin, { ...state, bytes: state.bytes?.slice() ?? null, headers: new Headers(state.headers) });
  return twin;
};

const methodOf = (method) => {
  const text = textOf(method);
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text) || /^(connect|trace|track)$/i.test(text)) throw new TypeError(`Invalid method: ${text}`);
  return /^(delete|get|head|options|post|put)$/i.test(text) ? text.toUpperCase() : text;
};
class Request extends Body {
  constructor(source, options) {
    super();
    const init = options ?? {};
    const from = source instanceof Request ? copy(source, Request) : null;
    const was = from ? hidden.get(from) : null;
    const url = was?.url ?? new URL(source).href;
    const method = init.method === undefined ? was?.method ?? 'GET' : methodOf(init.method);
    const body = init.body === undefined ? was?.bytes : init.body;
    if (body !== undefined && body !== null && (method === 'GET' || method === 'HEAD'))
      throw new TypeError(`A ${method} request has no body`);
    hold(this, Request, body, init.headers ?? was?.headers, { url, method, signal: init.signal ?? was?.signal ?? newSignal() });
  }
  get url() { return stateOf(this, Request).url; }
  get method() { return stateOf(this, Request).method; }
  get signal() { return stateOf(this, Request).signal; }
  get redirect() { return 'manual'; }
  clone() { return copy(this, Request); }
}
tag(Request, 'Request');

class Response extends Body {
  constructor(body, options) {
    super();
    const { status = 200, statusText = '', headers } = options ?? {};
    const code = Number(status);
    if (!(code >= 200 && code <= 599)) throw new RangeError('The status must be in the range 200 to 599');
    if (body !== undefined && body !== null && (code === 204 || code === 205 || code === 304))
      throw new TypeError(`A response with status ${code} has no body`);
    hold(this, Response, body, headers, { status: code, statusText: textOf(statusText), url: '', type: 'default' });
  }
  static json(value, options) {
    const text = stringify(value);
    if (text === undefined) throw new TypeError('The value has no JSON form');
    const response = new Response(text, options);
    if (!new Headers(options?.headers).has('content-type')) response.headers.set('content-type', 'application/json');
    return response;
  }
  get status() { return stateOf(this, Response).status; }
  get statusText() { return stateOf(this, Response).statusText; }
  get ok() { return this.status >= 200 && this.status <= 299; }
  get url() { return stateOf(this, Response).url; }
  get type() { return stateOf(this, Response).type; }
  get redirected() { return false; }
  clone() { return copy(this, Response); }
}
tag(Response, 'Response');

const pending = new Map();
let lastCall = 0;
expose('fetch', function fetch(source, options) {
  return new Promise((resolve, reject) => {
    const request = new Request(source, options);
    const { url, method, headers, signal, bytes } = stateOf(request, Request);
    if (!/^https?:/.test(url)) throw new TypeError(`fetch failed: ${new URL(url).protocol} is not supported`);
    signal.throwIfAborted();
    const id = textOf(++lastCall);
    const head = stringify({ url, method, headers: Object.fromEntries(headers) });
    const refusal = host.fetch(id, head, bytes === null ? undefined : bytes.buffer);
    if (refusal !== undefined) throw new TypeError(refusal);
    const cancel = () => {
      pending.delete(id);
      host.cancel(id);
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    pending.set(id, { url, resolve, reject, done: () => signal.removeEventListener('abort', cancel) });
  });
});
// settle is called by the host with the answer to a request: its head as JSON and its body, or a message.
const settle = (id, head, body) => {
  const call = pending.get(id);
  if (call === undefined) return;
  pending.delete(id);
  call.done();
  if (body === undefined) {
    call.reject(new TypeError(`fetch failed: ${head}`));
    return;
  }
  const { status, statusText, headers, setCookie = [] } = parse(head);
  const response = Object.create(Response.prototype);
  const bytes = body.byteLength === 0 && (status === 204 || status === 304) ? null : new Uint8Array(body);
  const all = new Headers();
  const add = (name, value) => {
    try {
      all.append(name, value);
    } catch { /* a header that the standard does not know */ }
  };
  for (const [name, value] of Object.entries(headers)) if (setCookie.length === 0 || name.toLowerCase() !== 'set-cookie') add(name, value);
  for (const value of setCookie) add('set-cookie', value);
  hidden.set(response, { of: Response, bytes, headers: all, used: false, status, statusText, url: call.url, type: 'basic' });
  call.resolve(response);
};
for (const c of [Headers, Request, Response]) expose(c.name, c);
