// Bytes and texts, in the encodings that Node.js knows.
const hex = '0123456789abcdef';
const binary = (bytes) => {
  let text = '';
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return text;
};
const fromBinary = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0) & 255);

export const decode = (data, encoding = 'utf8') => {
  if (typeof data === 'string') {
    switch (String(encoding).toLowerCase()) {
      case 'hex': {
        const whole = /^(?:[0-9a-f]{2})*/i.exec(data)[0];
        return Uint8Array.from({ length: whole.length / 2 }, (_, i) => parseInt(whole.slice(2 * i, 2 * i + 2), 16));
      }
      case 'base64':
      case 'base64url': {
        const plain = data.replace(/-/g, '+').replace(/_/g, '/').replace(/[^A-Za-z0-9+/]/g, '');
        return fromBinary(atob(plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0))));
      }
      case 'latin1':
      case 'binary':
      case 'ascii':
        return fromBinary(data);
      case 'utf8':
      case 'utf-8':
        return new TextEncoder().encode(data);
      default:
        throw new TypeError(`Unknown encoding: ${encoding}`);
    }
  }
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new TypeError('The data must be a string, an ArrayBuffer or a view of one');
};

export const encode = (bytes, encoding) => {
  switch (encoding === undefined || encoding === null ? 'buffer' : String(encoding).toLowerCase()) {
    case 'buffer':
      return bytes;
    case 'hex': {
      let text = '';
      for (const byte of bytes) text += hex[byte >> 4] + hex[byte & 15];
      return text;
    }
    case 'base64':
      return btoa(binary(bytes));
    case 'base64url':
      return btoa(binary(bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
    case 'latin1':
    case 'binary':
      return binary(bytes);
    case 'utf8':
    case 'utf-8':
      return new TextDecoder().decode(bytes);
    default:
      throw new TypeError(`Unknown encoding: ${encoding}`);
  }
};
