// Text and bytes. The host looks at the guest's memory in place.
class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(text = '') {
    return new Uint8Array(host.encode(textOf(text)));
  }
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const character of textOf(text)) {
      const bytes = this.encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += character.length;
    }
    return { read, written };
  }
}
tag(TextEncoder, 'TextEncoder');

// decodeBytes answers the text, with U+FFFD for what is malformed; undefined if fatal and malformed.
const decodeBytes = (bytes, fatal) => {
  if (bytes.byteLength === 0) return '';
  const whole = bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer ? bytes.buffer : bytes.slice().buffer;
  return host.decode(whole, fatal ? 'fatal' : '');
};

// unfinished counts the bytes at the end that begin a character and do not end it.
const unfinished = (bytes) => {
  for (let back = 1; back <= min(3, bytes.length); back++) {
    const b = bytes[bytes.length - back];
    if (b >= 0xc0) return back < (b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2) ? back : 0;
    if (b < 0x80) return 0;
  }
  return 0;
};

class TextDecoder {
  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!/^[\t\n\f\r ]*(utf-?8|unicode-1-1-utf-8|unicode11utf8|unicode20utf8|x-unicode20utf8)[\t\n\f\r ]*$/i.test(textOf(label))) {
      throw new RangeError(`The encoding ${label} is not supported, only utf-8`);
    }
    hidden.set(this, { of: TextDecoder, fatal: !!fatal, ignoreBOM: !!ignoreBOM, kept: new Uint8Array(0), begun: false });
  }
  get encoding() {
    return 'utf-8';
  }
  get fatal() {
    return stateOf(this, TextDecoder).fatal;
  }
  get ignoreBOM() {
    return stateOf(this, TextDecoder).ignoreBOM;
  }
  decode(data = new Uint8Array(0), { stream = false } = {}) {
    const state = stateOf(this, TextDecoder);
    let bytes = bytesOf(data);
    if (state.kept.length > 0) {
      const joined = new Uint8Array(state.kept.length + bytes.length);
      joined.set(state.kept);
      joined.set(bytes, state.kept.length);
      bytes = joined;
    }
    const left = stream ? unfinished(bytes) : 0;
    state.kept = left > 0 ? bytes.slice(bytes.length - left) : new Uint8Array(0);
    let text = decodeBytes(left > 0 ? bytes.subarray(0, bytes.length - left) : bytes, state.fatal);
    if (text === undefined) {
      state.kept = new Uint8Array(0);
      state.begun = false;
      throw new TypeError('The encoded data is not valid utf-8');
    }
    if (!state.begun && !state.ignoreBOM && text[0] === '\ufeff') text = sliceOf(text, 1);
    state.begun = stream && (state.begun || text !== '');
    return text;
  }
}
tag(TextDecoder, 'TextDecoder');
expose('TextEncoder', TextEncoder);
expose('TextDecoder', TextDecoder);

const isIntegers = (view) =>
  ArrayBuffer.isView(view) &&
  /^(Big)?(Int|Uint)\d+(Clamped)?Array$/.test(
    getPrototypeOf(view.constructor.prototype)[Symbol.toStringTag] ?? view[Symbol.toStringTag],
  );
class Crypto {
  getRandomValues(view) {
    if (!isIntegers(view)) throw new DOMException('The data must be an array of integers', 'TypeMismatchError');
    if (view.byteLength > 65536) throw new DOMException('At most 65536 bytes can be asked for', 'QuotaExceededError');
    bytesOf(view).set(new Uint8Array(host.random(textOf(view.byteLength))));
    return view;
  }
  randomUUID() {
    const b = new Uint8Array(host.random('16'));
    b[6] = (b[6] & 0x0f) | 0x40;
    b[8] = (b[8] & 0x3f) | 0x80;
    const hex = b.toHex();
    return `${sliceOf(hex, 0, 8)}-${sliceOf(hex, 8, 12)}-${sliceOf(hex, 12, 16)}-${sliceOf(hex, 16, 20)}-${sliceOf(hex, 20)}`;
  }
}
tag(Crypto, 'Crypto');
expose('crypto', new Crypto());
