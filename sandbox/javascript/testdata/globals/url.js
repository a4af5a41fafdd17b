// Each row: input, base or undefined, href or null if it is not a URL.
const rows = [
  ['http://example.com', undefined, 'http://example.com/'],
  ['HTTP://User:Pa%20ss@EXAMPLE.com:80/a/./b/../c?x=1#y', undefined, 'http://User:Pa%20ss@example.com/a/c?x=1#y'],
  ['https://example.com:8443/', undefined, 'https://example.com:8443/'],
  ['https://example.com:443', undefined, 'https://example.com/'],
  ['  http://example.com/\n', undefined, 'http://example.com/'],
  ['http://ex\tample.com/a\nb', undefined, 'http://example.com/ab'],
  ['//other/path', 'https://example.com/x', 'https://other/path'],
  ['/path', 'https://example.com/x/y?q', 'https://example.com/path'],
  ['z', 'https://example.com/x/y?q#f', 'https://example.com/x/z'],
  ['?n', 'https://example.com/x/y?q#f', 'https://example.com/x/y?n'],
  ['#n', 'https://example.com/x/y?q#f', 'https://example.com/x/y?q#n'],
  ['', 'https://example.com/x/y?q#f', 'https://example.com/x/y?q'],
  ['../../../z', 'https://example.com/x/y/', 'https://example.com/z'],
  ['..', 'https://example.com/x/y/w', 'https://example.com/x/'],
  ['.', 'https://example.com/x/y/w', 'https://example.com/x/y/'],
  ['https:foo', 'https://example.com/x/y', 'https://example.com/x/foo'],
  ['http:foo', 'https://example.com/x/y', 'http://foo/'],
  ['http:\\\\example.com\\a\\b', undefined, 'http://example.com/a/b'],
  ['http:///example.com', undefined, 'http://example.com/'],
  ['http://example.com/ä ö?ü=ß#é', undefined, 'http://example.com/%C3%A4%20%C3%B6?%C3%BC=%C3%9F#%C3%A9'],
  ['http://example.com/%2e%2E/a%2fb', undefined, 'http://example.com/a%2fb'],
  ["http://example.com/?q='\"<> `", undefined, 'http://example.com/?q=%27%22%3C%3E%20`'],
  ['http://münchen.de/', undefined, 'http://xn--mnchen-3ya.de/'],
  ['http://日本語.jp/', undefined, 'http://xn--wgv71a119e.jp/'],
  ['http://faß.de/', undefined, 'http://xn--fa-hia.de/'],
  ['http://GO%6Fgle.com', undefined, 'http://google.com/'],
  ['http://1.2.3', undefined, 'http://1.2.0.3/'],
  ['http://0x7f.1', undefined, 'http://127.0.0.1/'],
  ['http://0177.0.0.1', undefined, 'http://127.0.0.1/'],
  ['http://2130706433', undefined, 'http://127.0.0.1/'],
  ['http://１２７.0.0.1', undefined, 'http://127.0.0.1/'],
  ['http://256.1.1.1', undefined, null],
  ['http://1.2.3.4.5', undefined, null],
  ['http://1.2.3.08', undefined, null],
  ['http://foo.0x4', undefined, null],
  ['http://[::1]:80/', undefined, 'http://[::1]/'],
  ['http://[2001:DB8:0:0:1:0:0:1]', undefined, 'http://[2001:db8::1:0:0:1]/'],
  ['http://[::ffff:1.2.3.4]', undefined, 'http://[::ffff:102:304]/'],
  ['http://[1:2:3]', undefined, null],
  ['http://[::1', undefined, null],
  ['http://[1::2::3]', undefined, null],
  ['http://', undefined, null],
  ['http://:80', undefined, null],
  ['http://user@', undefined, null],
  ['http://a b/', undefined, null],
  ['http://a%00b/', undefined, null],
  ['http://a<b', undefined, null],
  ['http://example.com:99999', undefined, null],
  ['http://example.com:8x', undefined, null],
  ['http://example.com:', undefined, 'http://example.com/'],
  ['http://a@b@c/', undefined, 'http://a%40b@c/'],
  ['foo', undefined, null],
  ['/foo', undefined, null],
  ['', undefined, null],
  ['1http://x', undefined, null],
  ['mailto:a@b.c', undefined, 'mailto:a@b.c'],
  ['data:text/plain,a b#c', undefined, 'data:text/plain,a b#c'],
  ['javascript:alert(1)', undefined, 'javascript:alert(1)'],
  ['x', 'mailto:a@b.c', null],
  ['#f', 'mailto:a@b.c', 'mailto:a@b.c#f'],
  ['foo://host:0080/a/../b', undefined, 'foo://host:80/b'],
  ['foo://', undefined, 'foo://'],
  ['foo:///p', undefined, 'foo:///p'],
  ['foo:/.//p', undefined, 'foo:/.//p'],
  ['foo://ho st/', undefined, null],
  ['foo://HOST%41/', undefined, 'foo://HOST%41/'],
  ['file:///etc/passwd', undefined, 'file:///etc/passwd'],
  ['file:C|/x', undefined, 'file:///C:/x'],
  ['file://localhost/x', undefined, 'file:///x'],
  ['file://host/x', undefined, 'file://host/x'],
  ['file:///C:/a/../..', undefined, 'file:///C:/'],
  ['x', 'file:///C:/a/b', 'file:///C:/a/x'],
  ['/x', 'file:///C:/a/b', 'file:///C:/x'],
  ['ws://x:80', undefined, 'ws://x/'],
  ['ftp://x:21/', undefined, 'ftp://x/'],
  ['http://x/\ud800', undefined, 'http://x/%EF%BF%BD'],
  ['http://x/a;b=c,d', undefined, 'http://x/a;b=c,d'],
];
export default () => {
  const wrong = [];
  const same = (name, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push({ name, got, want }); };
  for (const [text, base, want] of rows) {
    let got = null;
    try { got = new URL(text, base).href; } catch (e) { if (!(e instanceof TypeError)) got = String(e); }
    same(`${text} on ${base}`, got, want);
    same(`canParse ${text}`, URL.canParse(text, base), want !== null);
    if (got !== null) same(`again ${text}`, new URL(got).href, got);
  }
  const u = new URL('https://u:p@example.com:8080/a/b?x=1&y=2#h');
  same('parts', [u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash],
    ['https://example.com:8080', 'https:', 'u', 'p', 'example.com:8080', 'example.com', '8080', '/a/b', '?x=1&y=2', '#h']);
  u.port = '443'; u.hash = ''; u.pathname = 'c d'; u.searchParams.append('z', 'a b&'); u.username = 'ö'; u.password = '';
  same('set', u.href, 'https://%C3%B6@example.com/c%20d?x=1&y=2&z=a+b%26');
  u.search = '?only=1'; same('params follow', u.searchParams.get('only'), '1');
  u.searchParams.delete('only'); same('no query', u.href, 'https://%C3%B6@example.com/c%20d');
  u.protocol = 'http'; u.host = 'other:81'; same('host', u.href, 'http://%C3%B6@other:81/c%20d');
  u.hostname = 'third'; u.protocol = 'foo'; same('hostname', u.href, 'http://%C3%B6@third:81/c%20d');
  u.host = ''; u.port = 'x'; same('refused changes', u.href, 'http://%C3%B6@third:81/c%20d');
  u.href = 'http://new/'; same('href', String(u), 'http://new/'); same('json', JSON.stringify({ u }), '{"u":"http://new/"}');
  let threw = ''; try { u.href = 'nope'; } catch (e) { threw = e.name; } same('bad href', threw, 'TypeError');
  same('opaque origin', new URL('data:x').origin, 'null');
  same('tag', Object.prototype.toString.call(u), '[object URL]');
  const p = new URLSearchParams('?a=1&b=2&a=3&%C3%A4=%E2%82%AC&e&p=1+2&bad=%zz%ff');
  same('get', [p.get('a'), p.getAll('a'), p.get('ä'), p.get('e'), p.get('p'), p.get('none'), p.has('b'), p.has('b', '3'), p.size], ['1', ['1', '3'], '€', '', '1 2', null, true, false, 7]);
  same('bad', p.get('bad'), '%zz\ufffd');
  p.set('a', 'x'); p.delete('ä'); p.delete('bad'); p.append('q', "~!*()' \u{1f600}");
  same('text', p.toString(), 'a=x&b=2&e=&p=1+2&q=%7E%21*%28%29%27+%F0%9F%98%80');
  p.sort(); same('sorted', [...p.keys()], ['a', 'b', 'e', 'p', 'q']);
  same('inits', [new URLSearchParams({ a: 1, b: 2 }), new URLSearchParams([['x', 'y']]), new URLSearchParams(new Map([['k', 'v']])), new URLSearchParams()].map(String), ['a=1&b=2', 'x=y', 'k=v', '']);
  const seen = []; new URLSearchParams('a=1&b=2').forEach((v, k) => seen.push(k + v)); same('forEach', seen, ['a1', 'b2']);
  return wrong;
};
