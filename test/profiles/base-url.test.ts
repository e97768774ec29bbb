import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goodBaseUrl, readBaseUrl } from '../../src/profiles/base-url.ts';

test.each([
  ['https://api.example.com', 'https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/pay/v1//', 'https://api.example.com/pay/v1', 'https://api.example.com'],
  ['HTTPS://API.Example.com:443/x', 'https://api.example.com/x', 'https://api.example.com'],
  ['https://api.example.com:8443', 'https://api.example.com:8443', 'https://api.example.com:8443'],
  ['http://localhost:3000/', 'http://localhost:3000', 'http://localhost:3000'],
  ['http://127.9.8.7', 'http://127.9.8.7', 'http://127.9.8.7'],
  ['http://[::1]:80/a', 'http://[::1]/a', 'http://[::1]'],
  ['https://api.example.com/@team', 'https://api.example.com/@team', 'https://api.example.com'],
])('%s is used', (text, baseUrl, origin) => {
  expect(readBaseUrl(text)).toEqual({ baseUrl, origin });
});

test.each([
  ['http://api.example.com', 'refused'],
  ['http://localhost.example.com', 'refused'],
  ['http://127.0.0.1.example.com', 'refused'],
  ['http://127.0.0.1:80@example.com', 'refused'],
  ['http://0.0.0.0', 'refused'],
  ['http://192.168.1.4', 'refused'],
  ['http://[::ffff:127.0.0.1]', 'refused'],
  ['http://[::2]', 'refused'],
  ['https://api.example.com.', 'refused'],
  ['http://localhost.', 'refused'],
  ['https://user@api.example.com', 'refused'],
  ['https://user:pass@api.example.com', 'refused'],
  ['https://@api.example.com', 'refused'],
  ['https://api.example.com?', 'refused'],
  ['https://api.example.com/?a=b', 'refused'],
  ['https://api.example.com/#', 'refused'],
  ['https://api.example.com/a b', 'refused'],
  ['https://api.exam\tple.com', 'refused'],
  ['https://api.example.com\\@evil.example', 'refused'],
  ['https://\u0430pi.example.com', 'refused'],
  ['ftp://api.example.com', 'usage'],
  ['https:api.example.com', 'usage'],
  ['https:///api.example.com', 'usage'],
  ['api.example.com', 'usage'],
  ['https://', 'usage'],
  [' https://api.example.com', 'usage'],
  ['', 'usage'],
])('%j is not used', (text, kind) => {
  expect(readBaseUrl(text)).toMatchObject({ kind });
});

test('an error about a bad base URL never repeats it', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const text = url.replace('://', '://someone:secret_word@');
      try {
        goodBaseUrl(text, 'of a test');
        return false;
      } catch (error) {
        return error instanceof Error && !error.message.includes('secret_word');
      }
    }),
  );
});

test('a base URL that is used has no user, query, fragment or dot at the end, and is https or loopback', () => {
  const part = fc.stringMatching(/^[a-z0-9.@:?#/\\[\]%-]{0,12}$/);
  fc.assert(
    fc.property(fc.constantFrom('http', 'https', 'HTTP', 'ws'), part, part, part, (scheme, a, b, c) => {
      const reading = readBaseUrl(`${scheme}://${a}${b}/${c}`);
      if ('problem' in reading) return;
      const url = new URL(reading.baseUrl);
      expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', '']);
      expect(url.origin).toBe(reading.origin);
      expect(url.hostname.endsWith('.')).toBe(false);
      expect(reading.baseUrl.endsWith('/')).toBe(false);
      if (url.protocol === 'http:') expect(url.hostname).toMatch(/^(localhost|\[::1\]|127(\.\d+){3})$/);
    }),
    { numRuns: 2000 },
  );
});

test('to read a base URL that was read before changes nothing', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'] }), (url) => {
      const once = readBaseUrl(url);
      if ('problem' in once) return;
      expect(readBaseUrl(once.baseUrl)).toEqual(once);
    }),
  );
});
