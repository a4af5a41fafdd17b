// The globals of the script sandbox beside those of the language. There is no DOM, no Node.js and no file system.

/** Writes lines to the log of the run. Values that are not strings are written as JSON where possible. */
interface Console {
  debug(...values: unknown[]): void;
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  dir(value: unknown): void;
  /** Writes an error unless the first value is truthy. */
  assert(ok: unknown, ...values: unknown[]): void;
}
declare var console: Console;

/** Calls a function once after some milliseconds. The time of the run goes on meanwhile. */
declare function setTimeout<A extends unknown[]>(callback: (...args: A) => void, milliseconds?: number, ...args: A): number;
declare function setTimeout(callback: (_: void) => void, milliseconds?: number): number;
declare function clearTimeout(timer: number | undefined): void;
/** Calls a function again and again until it is cleared or the run ends. */
declare function setInterval<A extends unknown[]>(callback: (...args: A) => void, milliseconds?: number, ...args: A): number;
declare function setInterval(callback: (_: void) => void, milliseconds?: number): number;
declare function clearInterval(timer: number | undefined): void;
declare function queueMicrotask(callback: () => void): void;

/** Copies a value deeply. Functions cannot be copied. */
declare function structuredClone<T>(value: T): T;
/** Decodes Base64 to a string of bytes. */
declare function atob(base64: string): string;
/** Encodes a string of bytes as Base64. */
declare function btoa(bytes: string): string;

interface Performance {
  /** Milliseconds since the run began. */
  now(): number;
  /** When the run began, in milliseconds since 1970. */
  readonly timeOrigin: number;
}
declare var performance: Performance;

interface Crypto {
  /** A random UUID of version 4. */
  randomUUID(): string;
  /** Fills an array of integers with random values, at most 65,536 bytes, and returns it. */
  getRandomValues<
    T extends
      | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array
      | Int32Array | Uint32Array | BigInt64Array | BigUint64Array,
  >(array: T): T;
}
declare var crypto: Crypto;

interface TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: {
  new(): TextEncoder;
};

interface TextDecoder {
  readonly encoding: "utf-8";
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  /** Knows UTF-8 only. */
  new(label?: "utf-8" | "utf8", options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

interface URL {
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
declare var URL: {
  new(url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};

interface URLSearchParams {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}
declare var URLSearchParams: {
  new(init?: string | Record<string, string> | Iterable<readonly [string, string]>): URLSearchParams;
};

interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly bubbles: boolean;
  readonly timeStamp: number;
  readonly cancelable: boolean;
  readonly defaultPrevented: boolean;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
declare var Event: {
  new(type: string, options?: { bubbles?: boolean; cancelable?: boolean }): Event;
};

interface EventTarget {
  addEventListener(
    type: string,
    listener: ((event: Event) => void) | { handleEvent(event: Event): void } | null,
    options?: boolean | { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: string, listener: ((event: Event) => void) | { handleEvent(event: Event): void } | null): void;
  dispatchEvent(event: Event): boolean;
}
declare var EventTarget: {
  new(): EventTarget;
};

/** The error of an aborted signal, by its name: AbortError or TimeoutError. */
interface DOMException extends Error {
  readonly code: number;
}
declare var DOMException: {
  new(message?: string, name?: string): DOMException;
};

/** Says that something shall stop. */
interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => void) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  readonly prototype: AbortSignal;
  /** A signal that aborts by itself. */
  timeout(milliseconds: number): AbortSignal;
  /** A signal that is aborted already. */
  abort(reason?: unknown): AbortSignal;
  /** A signal that aborts when one of others does. */
  any(signals: Iterable<AbortSignal>): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: {
  new(): AbortController;
};

type HeadersInit = Headers | Record<string, string> | Iterable<readonly [string, string]>;

interface Headers {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, name: string, headers: Headers) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var Headers: {
  new(init?: HeadersInit): Headers;
};

type BodyInit = string | URLSearchParams | ArrayBuffer | ArrayBufferView;

interface RequestInit {
  /** GET unless said otherwise. */
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  /** Gives the request up. The run's own time ends it in any case. */
  signal?: AbortSignal | null;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Redirects are never followed. */
  readonly redirect: "manual";
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  clone(): Request;
}
declare var Request: {
  new(input: string | URL | Request, init?: RequestInit): Request;
};

interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}

interface Response {
  /** True for a status from 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly type: "basic" | "default";
  readonly redirected: boolean;
  readonly url: string;
  readonly headers: Headers;
  readonly bodyUsed: boolean;
  /** The body can be read once. */
  text(): Promise<string>;
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  clone(): Response;
}
declare var Response: {
  new(body?: BodyInit | null, init?: ResponseInit): Response;
  json(value: unknown, init?: ResponseInit): Response;
};

/**
 * Makes an HTTP request under the network policy of the sandbox. It rejects when the policy refuses the address or the
 * request fails. Redirects are not followed: the answer has a status of 3xx and a `location` header.
 */
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
