/** Refuses to run if Node was started in a way that would leak keys, run other code, or change who is trusted. */

import type { Mode } from '../api/spec.ts';
import { type CliError, refused } from '../errors.ts';
import { type Env, variable } from '../io.ts';

/** How this process was started, and for which mode. */
interface Runtime {
  readonly env: Env;
  readonly execArgv: readonly string[];
  readonly mode: Mode;
}

/**
 * Throws CliError 'refused' if certificates are not checked. In production also for variables that show or redirect what is sent,
 * and for Node options not known to be harmless.
 */
export function refuseUnsafeRuntime({ env, execArgv, mode }: Runtime): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw refusal('NODE_TLS_REJECT_UNAUTHORIZED=0', 'the certificate of the service would not be checked', [
      'unset NODE_TLS_REJECT_UNAUTHORIZED; for an authority of your own set NODE_EXTRA_CA_CERTS',
    ]);
  }
  if (mode !== 'production') return;
  for (const [name, reason] of unsafeVariables) {
    if (variable(env, name) !== undefined) throw refusal(name, reason, [`unset ${name}`]);
  }
  const places = [
    ['on the command line of node', execArgv.filter((word) => word.startsWith('-')).map(optionOf)],
    ['in NODE_OPTIONS', optionsIn(env.NODE_OPTIONS ?? '')],
  ] as const;
  for (const [place, options] of places) {
    const found = options.find((option) => !harmlessOptions.test(option));
    if (found !== undefined)
      throw refusal(`${found} ${place}`, reasonOf(found), [`start paydesk without ${found}`]);
  }
}

// NODE_EXTRA_CA_CERTS and --use-system-ca are allowed: many companies have their own certificate authority.
const unsafeVariables: readonly (readonly [name: string, reason: string])[] = [
  ['NODE_DEBUG', 'it prints requests with their key'],
  ['NODE_DEBUG_NATIVE', 'it prints requests with their key'],
  ['NODE_USE_ENV_PROXY', 'Node would choose proxies itself; paydesk uses HTTPS_PROXY without it'],
  ['NODE_V8_COVERAGE', 'Node would write down what runs'],
  ['SSLKEYLOGFILE', 'a log of TLS keys lets others read the connection'],
  ['ICU_TIMEZONE_FILES_DIR', 'it changes the time in a zone, and so the hours of the policy'],
  ['ICU_DATA', 'it changes the time in a zone, and so the hours of the policy'],
  ['NODE_ICU_DATA', 'it changes the time in a zone, and so the hours of the policy'],
  ['OPENSSL_CONF', 'it changes who is trusted, and loads other code'],
  ['OPENSSL_MODULES', 'it loads other code beside paydesk'],
  ['OPENSSL_ENGINES', 'it loads other code beside paydesk'],
];

// Options about memory, warnings, the network, stricter TLS and fewer rights. Each Node release adds options, so any option not
// listed here is refused. `--` alone is allowed: it only ends the options.
const harmlessOptions = new RegExp(
  `^--(?:(?:no-)?(?:${[
    'max-old-space-size(?:-percentage)?|(?:max|min)-semi-space-size|semi-space-growth-factor',
    'max-heap-size|initial-(?:heap|old-space)-size|stack-size|stack-trace-limit|v8-pool-size|optimize-for-size',
    'warnings|deprecation|(?:throw|trace|pending)-deprecation|trace-warnings|disable-warning|enable-source-maps',
    'dns-result-order|network-family-autoselection(?:-attempt-timeout)?|max-http-header-size',
    'tls-(?:min|max)-v1\\.[23]|use-(?:bundled|system)-ca|secure-heap(?:-min)?|(?:enable|force)-fips',
    'disable-proto|disable-sigusr1|permission|allow-[a-z-]+|(?:experimental-)?strip-types',
  ].join('|')}))?$`,
);

// Why an option with this prefix is refused.
const reasons: readonly (readonly [prefix: string, reason: string])[] = [
  ['--inspect', 'a debugger could read the key'],
  ['--report-', 'a report file shows keys in memory'],
  ['--diagnostic-dir', 'reports written there show keys in memory'],
  ['--tls-keylog', 'a log of TLS keys lets others read the connection'],
  ['--trace-tls', 'it prints what TLS does'],
  ['--tls-', 'TLS below 1.2, or with other ciphers, is not safe'],
  ['--require', 'it runs other code beside paydesk'],
  ['-r', 'it runs other code beside paydesk'],
  ['--import', 'it runs other code beside paydesk'],
  ['--loader', 'it runs other code beside paydesk'],
  ['--experimental-loader', 'it runs other code beside paydesk'],
  ['--env-file', 'it sets variables from a file'],
  ['--heapsnapshot-', 'a snapshot of the memory contains the key'],
  ['--heap-prof', 'a profile of the memory may contain the key'],
  ['--cpu-prof', 'it writes a record of what runs to a file'],
  ['--openssl-', 'it changes who is trusted, and loads other code'],
  ['--use-openssl-ca', 'variables and files of the system would decide who is trusted'],
  ['--use-env-proxy', 'Node would choose proxies itself; paydesk uses HTTPS_PROXY without it'],
];

function reasonOf(option: string): string {
  const known = reasons.find(([prefix]) =>
    prefix.startsWith('--') ? option.startsWith(prefix) : option === prefix,
  );
  return known?.[1] ?? 'paydesk does not know whether it keeps keys safe';
}

// Node reads `--tls_keylog` as `--tls-keylog`. The value after `=` could be private, so it is not shown.
function optionOf(word: string): string {
  return (word.split('=')[0] ?? '').replaceAll('_', '-');
}

// In NODE_OPTIONS spaces separate options, quotes keep words together, and `\` escapes. None of these may hide an option.
function optionsIn(text: string): readonly string[] {
  const words = text.replaceAll('\\', '').split(/[\s"]+/);
  return words.filter((word) => word.startsWith('-')).map(optionOf);
}

function refusal(what: string, why: string, now: readonly string[]): CliError {
  return refused(`${what} is set: ${why}`, now);
}
