import { expect, test } from 'vitest';
import { refuseUnsafeRuntime } from '../../src/profiles/unsafe-runtime.ts';

test.each([
  ['NODE_DEBUG', { NODE_DEBUG: 'http,net' }, []],
  ['NODE_DEBUG_NATIVE', { NODE_DEBUG_NATIVE: 'tls' }, []],
  ['--inspect', {}, ['--inspect']],
  ['--inspect-brk', {}, ['--inspect-brk=0.0.0.0:9229']],
  ['--report-on-signal', {}, ['--report-on-signal']],
  ['--report-on-signal', { NODE_OPTIONS: '--max-old-space-size=200 --report_on_signal' }, []],
  ['--tls-keylog', { NODE_OPTIONS: '--tls-keylog=/tmp/keys' }, []],
  ['--require', { NODE_OPTIONS: '--require ./spy.js' }, []],
  ['--require', { NODE_OPTIONS: '"--require" "./my spy.js"' }, []],
  ['-r', { NODE_OPTIONS: '-r ./spy.js' }, []],
  ['--import', {}, ['--import', './spy.js']],
  ['--inspect', { NODE_OPTIONS: '"\\--inspect"' }, []],
  ['--ins', { NODE_OPTIONS: '--ins""pect' }, []],
  ['--use-env-proxy', { NODE_OPTIONS: '--use-env-proxy' }, []],
  ['--an-option-of-the-future', {}, ['--an-option-of-the-future']],
  ['--warnings-to', {}, ['--warnings-to=x']],
  ['NODE_USE_ENV_PROXY', { NODE_USE_ENV_PROXY: '1' }, []],
  ['NODE_V8_COVERAGE', { NODE_V8_COVERAGE: '/tmp/x' }, []],
  ['SSLKEYLOGFILE', { SSLKEYLOGFILE: '/tmp/x' }, []],
  ['OPENSSL_CONF', { OPENSSL_CONF: '/tmp/x' }, []],
  ['ICU_TIMEZONE_FILES_DIR', { ICU_TIMEZONE_FILES_DIR: '/tmp/x' }, []],
  ['NODE_ICU_DATA', { NODE_ICU_DATA: '/tmp/x' }, []],
])('production refuses %s, with the reason', (option, env, execArgv) => {
  expect(() => refuseUnsafeRuntime({ env, execArgv, mode: 'production' })).toThrow(
    expect.objectContaining({ kind: 'refused', message: expect.stringContaining(option) }),
  );
  expect(() => refuseUnsafeRuntime({ env, execArgv, mode: 'sandbox' })).not.toThrow();
});

test.each(['sandbox', 'production'] as const)(
  'a run that checks no certificates is refused in %s',
  (mode) => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(() => refuseUnsafeRuntime({ env, execArgv: [], mode })).toThrow(
      expect.objectContaining({
        kind: 'refused',
        message: expect.stringContaining('certificate of the service'),
      }),
    );
  },
);

test('harmless options are accepted, and an empty variable counts as unset', () => {
  const env = {
    NODE_DEBUG: '',
    NODE_OPTIONS: '--max-old-space-size=200 --no-warnings --disable-proto=delete --enable-source-maps',
    TZ: 'Asia/Tokyo',
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    NODE_TLS_REJECT_UNAUTHORIZED: '1',
  };
  const execArgv = ['--stack_size=900', '--disable-warning', 'x', '--use-system-ca', '--tls-min-v1.3', '--'];
  expect(() => refuseUnsafeRuntime({ env, execArgv, mode: 'production' })).not.toThrow();
});
