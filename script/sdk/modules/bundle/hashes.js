export { hkdf } from '@noble/hashes/hkdf.js';
export { hmac } from '@noble/hashes/hmac.js';
export { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js';
export { pbkdf2 } from '@noble/hashes/pbkdf2.js';
export { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from '@noble/hashes/sha2.js';
export { sha3_224, sha3_256, sha3_384, sha3_512 } from '@noble/hashes/sha3.js';
