// The modules of Node.js that custom tools have, as far as they have them. Bytes are Uint8Array; there is no Buffer.

declare module "node:crypto" {
  type Data = string | ArrayBuffer | ArrayBufferView;
  type TextEncoding = "utf8" | "utf-8" | "hex" | "base64" | "base64url" | "latin1" | "binary";
  /** md5, sha1, ripemd160, sha224, sha256, sha384, sha512, sha512-224, sha512-256, sha3-224, sha3-256, sha3-384, sha3-512. */
  type HashName = string;
  export interface Hash {
    update(data: Data, encoding?: TextEncoding): this;
    digest(): Uint8Array<ArrayBuffer>;
    digest(encoding: TextEncoding): string;
    copy(): Hash;
  }
  export type Hmac = Hash;
  export function createHash(name: HashName): Hash;
  export function createHmac(name: HashName, key: Data): Hmac;
  export function hash(name: HashName, data: Data, encoding?: TextEncoding): string;
  export function getHashes(): string[];
  export function pbkdf2Sync(password: Data, salt: Data, iterations: number, keylen: number, digest: HashName): Uint8Array<ArrayBuffer>;
  export function hkdfSync(digest: HashName, key: Data, salt: Data, info: Data, keylen: number): ArrayBuffer;
  /** Compares bytes in a time that does not depend on them. */
  export function timingSafeEqual(a: ArrayBuffer | ArrayBufferView, b: ArrayBuffer | ArrayBufferView): boolean;
  export function randomUUID(): string;
  export function randomBytes(size: number): Uint8Array<ArrayBuffer>;
  export function randomFillSync<T extends ArrayBufferView>(array: T): T;
  export function randomInt(max: number): number;
  export function randomInt(min: number, max: number): number;
  export function getRandomValues<
    T extends
      | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array
      | Int32Array | Uint32Array | BigInt64Array | BigUint64Array,
  >(array: T): T;
  const all: Omit<typeof import("node:crypto"), "default">;
  export default all;
}

declare module "node:path" {
  export interface ParsedPath {
    root: string;
    dir: string;
    base: string;
    ext: string;
    name: string;
  }
  export const sep: "/";
  export const delimiter: ":";
  export function basename(path: string, suffix?: string): string;
  export function dirname(path: string): string;
  export function extname(path: string): string;
  export function format(path: Partial<ParsedPath>): string;
  export function isAbsolute(path: string): boolean;
  export function join(...paths: string[]): string;
  export function normalize(path: string): string;
  export function parse(path: string): ParsedPath;
  export function relative(from: string, to: string): string;
  /** Relative paths begin at "/". */
  export function resolve(...paths: string[]): string;
  export const posix: Omit<typeof import("node:path"), "default" | "posix">;
  const all: Omit<typeof import("node:path"), "default">;
  export default all;
}

declare module "node:url" {
  const Url: typeof URL;
  const Params: typeof URLSearchParams;
  export { Url as URL, Params as URLSearchParams };
  export interface UrlObject {
    protocol?: string | null;
    slashes?: boolean | null;
    auth?: string | null;
    host?: string | null;
    hostname?: string | null;
    port?: string | number | null;
    pathname?: string | null;
    path?: string | null;
    search?: string | null;
    query?: string | null | Record<string, string>;
    hash?: string | null;
  }
  export interface ParsedUrl extends UrlObject {
    port: string | null;
    query: any;
    href: string;
  }
  export function format(url: URL | UrlObject | string): string;
  export function parse(text: string, parseQuery?: boolean): ParsedUrl;
  export function resolve(from: string, to: string): string;
  export function domainToASCII(domain: string): string;
  const all: Omit<typeof import("node:url"), "default">;
  export default all;
}

declare module "node:querystring" {
  type Query = Record<string, string | number | boolean | bigint | null | undefined | readonly (string | number | boolean | bigint)[]>;
  export function escape(text: string): string;
  export function unescape(text: string): string;
  export function stringify(object: Query, separator?: string, equals?: string): string;
  export function parse(text: string, separator?: string, equals?: string): Record<string, string | string[] | undefined>;
  export { parse as decode, stringify as encode };
  const all: Omit<typeof import("node:querystring"), "default">;
  export default all;
}

declare module "node:util" {
  const Encoder: typeof TextEncoder;
  const Decoder: typeof TextDecoder;
  export { Encoder as TextEncoder, Decoder as TextDecoder };
  export function inspect(value: unknown, options?: { depth?: number | null }): string;
  export function format(...values: unknown[]): string;
  export function isDeepStrictEqual(a: unknown, b: unknown): boolean;
  export function promisify<A extends unknown[], R>(
    f: (...args: [...A, (error: any, value: R) => void]) => void,
  ): (...args: A) => Promise<R>;
  export function callbackify<A extends unknown[], R>(
    f: (...args: A) => Promise<R>,
  ): (...args: [...A, (error: any, value?: R) => void]) => void;
  export function inherits(constructor: Function, parent: Function): void;
  export function deprecate<F extends (...args: any[]) => any>(f: F, message?: string): F;
  export function stripVTControlCharacters(text: string): string;
  export function toUSVString(text: string): string;
  export const types: Omit<typeof import("node:util/types"), "default">;
  const all: Omit<typeof import("node:util"), "default">;
  export default all;
}

declare module "node:util/types" {
  export function isDate(value: unknown): value is Date;
  export function isRegExp(value: unknown): value is RegExp;
  export function isMap(value: unknown): value is Map<unknown, unknown>;
  export function isSet(value: unknown): value is Set<unknown>;
  export function isWeakMap(value: unknown): value is WeakMap<WeakKey, unknown>;
  export function isWeakSet(value: unknown): value is WeakSet<WeakKey>;
  export function isPromise(value: unknown): value is Promise<unknown>;
  export function isNativeError(value: unknown): value is Error;
  export function isArrayBuffer(value: unknown): value is ArrayBuffer;
  export function isAnyArrayBuffer(value: unknown): value is ArrayBuffer;
  export function isArrayBufferView(value: unknown): value is ArrayBufferView;
  export function isDataView(value: unknown): value is DataView;
  export function isTypedArray(value: unknown): value is ArrayBufferView;
  export function isInt8Array(value: unknown): value is Int8Array;
  export function isUint8Array(value: unknown): value is Uint8Array;
  export function isUint8ClampedArray(value: unknown): value is Uint8ClampedArray;
  export function isInt16Array(value: unknown): value is Int16Array;
  export function isUint16Array(value: unknown): value is Uint16Array;
  export function isInt32Array(value: unknown): value is Int32Array;
  export function isUint32Array(value: unknown): value is Uint32Array;
  export function isFloat32Array(value: unknown): value is Float32Array;
  export function isFloat64Array(value: unknown): value is Float64Array;
  export function isBigInt64Array(value: unknown): value is BigInt64Array;
  export function isBigUint64Array(value: unknown): value is BigUint64Array;
  export function isAsyncFunction(value: unknown): boolean;
  export function isGeneratorFunction(value: unknown): boolean;
  export function isGeneratorObject(value: unknown): value is Generator;
  export function isMapIterator(value: unknown): boolean;
  export function isSetIterator(value: unknown): boolean;
  export function isNumberObject(value: unknown): value is Number;
  export function isStringObject(value: unknown): value is String;
  export function isBooleanObject(value: unknown): value is Boolean;
  export function isBigIntObject(value: unknown): value is BigInt;
  export function isSymbolObject(value: unknown): value is Symbol;
  export function isBoxedPrimitive(value: unknown): value is Number | String | Boolean | BigInt | Symbol;
  const all: Omit<typeof import("node:util/types"), "default">;
  export default all;
}

declare module "node:events" {
  type Listener = (...args: any[]) => void;
  export class EventEmitter {
    on(name: string | symbol, listener: Listener): this;
    once(name: string | symbol, listener: Listener): this;
    off(name: string | symbol, listener: Listener): this;
    addListener(name: string | symbol, listener: Listener): this;
    removeListener(name: string | symbol, listener: Listener): this;
    prependListener(name: string | symbol, listener: Listener): this;
    prependOnceListener(name: string | symbol, listener: Listener): this;
    removeAllListeners(name?: string | symbol): this;
    emit(name: string | symbol, ...args: any[]): boolean;
    listeners(name: string | symbol): Listener[];
    rawListeners(name: string | symbol): Listener[];
    listenerCount(name: string | symbol): number;
    eventNames(): (string | symbol)[];
    setMaxListeners(n: number): this;
    getMaxListeners(): number;
    static once(emitter: EventEmitter, name: string | symbol): Promise<any[]>;
    static EventEmitter: typeof EventEmitter;
  }
  export function once(emitter: EventEmitter, name: string | symbol): Promise<any[]>;
  export default EventEmitter;
}

declare module "node:assert" {
  type Expected = RegExp | (abstract new (...args: any[]) => unknown) | ((error: unknown) => boolean) | object;
  class AssertionError extends Error {
    constructor(options?: { message?: string; actual?: unknown; expected?: unknown; operator?: string });
    code: string;
    actual: unknown;
    expected: unknown;
  }
  function assert(value: unknown, message?: string | Error): asserts value;
  /** Comparisons are strict, as those of "node:assert/strict". */
  namespace assert {
    export { AssertionError, assert as ok, assert as strict };
    export function equal<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
    export function notEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    export function deepEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
    export function notDeepEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    export function strictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
    export function notStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    export function deepStrictEqual<T>(actual: unknown, expected: T, message?: string | Error): asserts actual is T;
    export function notDeepStrictEqual(actual: unknown, expected: unknown, message?: string | Error): void;
    export function match(text: string, pattern: RegExp, message?: string | Error): void;
    export function doesNotMatch(text: string, pattern: RegExp, message?: string | Error): void;
    export function fail(message?: string | Error): never;
    export function ifError(value: unknown): void;
    export function throws(f: () => unknown, expected?: Expected | string, message?: string | Error): void;
    export function doesNotThrow(f: () => unknown): void;
    export function rejects(
      promise: Promise<unknown> | (() => Promise<unknown>),
      expected?: Expected | string,
      message?: string | Error,
    ): Promise<void>;
    export function doesNotReject(promise: Promise<unknown> | (() => Promise<unknown>)): Promise<void>;
  }
  export = assert;
}

declare module "crypto" {
  export * from "node:crypto";
  export { default } from "node:crypto";
}
declare module "path" {
  export * from "node:path";
  export { default } from "node:path";
}
declare module "path/posix" {
  export * from "node:path";
  export { default } from "node:path";
}
declare module "node:path/posix" {
  export * from "node:path";
  export { default } from "node:path";
}
declare module "url" {
  export * from "node:url";
  export { default } from "node:url";
}
declare module "querystring" {
  export * from "node:querystring";
  export { default } from "node:querystring";
}
declare module "util" {
  export * from "node:util";
  export { default } from "node:util";
}
declare module "util/types" {
  export * from "node:util/types";
  export { default } from "node:util/types";
}
declare module "events" {
  export * from "node:events";
  export { default } from "node:events";
}
declare module "assert" {
  import assert = require("node:assert");
  export = assert;
}
declare module "assert/strict" {
  import assert = require("node:assert");
  export = assert;
}
declare module "node:assert/strict" {
  import assert = require("node:assert");
  export = assert;
}
