// crypto: hashes, HMAC, key derivation and random values, as in Node.js, with Uint8Array for Buffer.
import {
  hkdf, hmac, md5, pbkdf2, ripemd160, sha1, sha224, sha256, sha384, sha3_224, sha3_256, sha3_384, sha3_512, sha512, sha512_224, sha512_256,
} from 'vendor:hashes';
import { decode, encode } from 'internal:bytes';

const { crypto: web } = globalThis;
const hashes = {
  __proto__: null, md5, sha1, sha224, sha256, sha384, sha512, ripemd160, rmd160: ripemd160,
  'sha512-224': sha512_224, 'sha512-256': sha512_256,
  'sha3-224': sha3_224, 'sha3-256': sha3_256, 'sha3-384': sha3_384, 'sha3-512': sha3_512,
};
const hashOf = (name) => {
  const lower = String(name).toLowerCase();
  const hash = hashes[lower] ?? hashes[lower.replace(/^rsa-/, '')] ?? hashes[lower.replace(/^sha-/, 'sha')];
  if (hash === undefined) throw new Error(`Digest method not supported: ${name}`);
  return hash;
};

class Digest {
  #state;
  #done = false;
  constructor(state) {
    this.#state = state;
  }
  update(data, encoding) {
    if (this.#done) throw new Error('Digest already called');
    this.#state.update(decode(data, encoding));
    return this;
  }
  digest(encoding) {
    if (this.#done) throw new Error('Digest already called');
    this.#done = true;
    return encode(this.#state.digest(), encoding);
  }
  copy() {
    if (this.#done) throw new Error('Digest already called');
    return new this.constructor(this.#state.clone());
  }
}
export class Hash extends Digest {}
export class Hmac extends Digest {}

export const createHash = (name) => new Hash(hashOf(name).create());
export const createHmac = (name, key) => new Hmac(hmac.create(hashOf(name), decode(key)));
export const hash = (name, data, encoding = 'hex') => createHash(name).update(data).digest(encoding);
export const getHashes = () => Object.keys(hashes);
export const pbkdf2Sync = (password, salt, iterations, keylen, digest) =>
  pbkdf2(hashOf(digest), decode(password), decode(salt), { c: iterations, dkLen: keylen });
export const hkdfSync = (digest, key, salt, info, keylen) => hkdf(hashOf(digest), decode(key), decode(salt), decode(info), keylen).buffer;

export const timingSafeEqual = (a, b) => {
  const x = decode(a);
  const y = decode(b);
  if (typeof a === 'string' || typeof b === 'string') throw new TypeError('timingSafeEqual compares bytes, not texts');
  if (x.length !== y.length) throw new RangeError('Input buffers must have the same byte length');
  let different = 0;
  for (let i = 0; i < x.length; i++) different |= x[i] ^ y[i];
  return different === 0;
};

export const randomUUID = () => web.randomUUID();
export const getRandomValues = (array) => web.getRandomValues(array);
export const randomBytes = (size) => {
  if (!Number.isInteger(size) || size < 0 || size > 1 << 20) throw new RangeError('size must be a whole number up to 1 MiB');
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i += 65536) web.getRandomValues(bytes.subarray(i, i + 65536));
  return bytes;
};
export const randomFillSync = (array) => {
  randomBytes(array.byteLength).forEach((byte, i) => { new Uint8Array(array.buffer, array.byteOffset)[i] = byte; });
  return array;
};
export const randomInt = (min, max) => {
  const [low, high] = max === undefined ? [0, min] : [min, max];
  const range = high - low;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || range <= 0 || range > 2 ** 48 - 1)
    throw new RangeError('the range must be of whole numbers and smaller than 2 ** 48');
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const n = randomBytes(6).reduce((sum, byte) => sum * 256 + byte, 0);
    if (n < limit) return low + (n % range);
  }
};

export default {
  Hash, Hmac, createHash, createHmac, hash, getHashes, pbkdf2Sync, hkdfSync, timingSafeEqual, randomUUID,
  getRandomValues, randomBytes, randomFillSync, randomInt,
};
