export default () => {
  const wrong = [];
  const same = (name, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push({ name, got, want }); };
  const fails = (name, f, want) => { let got = 'nothing'; try { f(); } catch (e) { got = e.name; } same(name, got, want); };
  const enc = new TextEncoder();
  const dec = new TextDecoder();
  for (const text of ['', 'abc', 'äöü', '€', '😀', 'a\0b', '\ufeffx'.slice(1), 'ÿĀ'.repeat(1000)]) {
    same(`round ${text.slice(0, 9)}`, dec.decode(enc.encode(text)), text);
  }
  same('bytes', [...enc.encode('aä€😀')], [97, 195, 164, 226, 130, 172, 240, 159, 152, 128]);
  same('surrogates', [...enc.encode('a\ud800b\udc00í')], [97, 239, 191, 189, 98, 239, 191, 189, 195, 173]);
  same('kept letters', dec.decode(enc.encode('\ud7ff\ue000한글')), '\ud7ff\ue000한글');
  const target = new Uint8Array(5);
  same('into', [enc.encodeInto('a€€', target), [...target]], [{ read: 2, written: 4 }, [97, 226, 130, 172, 0]]);
  for (const [bytes, want] of [
    [[0xff], '\ufffd'], [[0xc0, 0x80], '\ufffd\ufffd'], [[0xe2, 0x82], '\ufffd'], [[0xe2, 0x82, 0x41], '\ufffdA'], [[0xf0, 0x9f, 0x98], '\ufffd'],
    [[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'], [[0xf4, 0x90, 0x80, 0x80], '\ufffd\ufffd\ufffd\ufffd'], [[0x41, 0x80, 0x42], 'A\ufffdB'],
    [[0xef, 0xbb, 0xbf, 0x41], 'A'], [[0xf8, 0x41], '\ufffdA'], [[0xe2, 0x28, 0xa1], '\ufffd(\ufffd'],
  ]) same(`decode ${bytes}`, dec.decode(new Uint8Array(bytes)), want);
  fails('fatal', () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])), 'TypeError');
  same('bom', new TextDecoder('utf8', { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x41])), '\ufeffA');
  fails('label', () => new TextDecoder('latin-17'), 'RangeError');
  const s = new TextDecoder();
  let text = '';
  for (const b of enc.encode('a€😀ä')) text += s.decode(new Uint8Array([b]), { stream: true });
  same('stream', text + s.decode(), 'a€😀ä');
  same('view', dec.decode(new Uint8Array(enc.encode('abcdef').buffer, 2, 3)), 'cde');
  same('buffer', dec.decode(enc.encode('xyz').buffer), 'xyz');
  same('data view', dec.decode(new DataView(enc.encode('xyz').buffer, 1)), 'yz');
  same('names', [enc.encoding, dec.encoding, dec.fatal], ['utf-8', 'utf-8', false]);
  same('base64', [btoa('hello'), atob('aGVsbG8='), atob(' aGVs bG8 ')], ['aGVsbG8=', 'hello', 'hello']);
  fails('atob', () => atob('a'), 'InvalidCharacterError');
  fails('btoa', () => btoa('€'), 'InvalidCharacterError');
  const uuid = crypto.randomUUID();
  same('uuid', [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid), uuid === crypto.randomUUID()], [true, false]);
  const random = crypto.getRandomValues(new Uint32Array(64));
  same('random', [random.length, new Set(random).size > 60, crypto.getRandomValues(new Uint8Array(0)).length], [64, true, 0]);
  const some = new Uint8Array(8); crypto.getRandomValues(some.subarray(2, 4)); same('only the view', [some[0], some[1], some[4], some[7]], [0, 0, 0, 0]);
  fails('floats', () => crypto.getRandomValues(new Float32Array(1)), 'TypeMismatchError');
  fails('too many', () => crypto.getRandomValues(new Uint8Array(65537)), 'QuotaExceededError');
  same('big integers', crypto.getRandomValues(new BigInt64Array(1)).length, 1);
  return wrong;
};
