/** Ways to start Node that would show keys, run other code beside ours, or switch off the check of certificates. */

import type { Mode } from '../api/spec.ts';
import type { Env } from '../env.ts';
import { CliError } from '../errors.ts';

/** How this process was started, and for which mode. */
export interface Runtime {
  readonly env: Env;
  /** `process.execArgv`. */
  readonly execArgv: readonly string[];
  readonly mode: Mode;
}

// Prefixes of options, after underscores became dashes.
const unsafeOptions: readonly (readonly [prefix: string, reason: string])[] = [
  ['--inspect', 'a debugger could read the key'],
  ['--report-', 'a report file shows what the process holds'],
  ['--tls-keylog', 'the log of TLS keys opens the connection to others'],
  ['--tls-min-v1.0', 'TLS below 1.2 is not safe'],
  ['--tls-min-v1.1', 'TLS below 1.2 is not safe'],
  ['--require', 'it runs other code beside paydesk'],
  ['-r', 'it runs other code beside paydesk'],
  ['--import', 'it runs other code beside paydesk'],
  ['--loader', 'it runs other code beside paydesk'],
  ['--experimental-loader', 'it runs other code beside paydesk'],
  ['--heapsnapshot-', 'a snapshot of the memory shows the key'],
  ['--heap-prof', 'a profile of the memory may show the key'],
];

/**
 * Throws CliError 'refused' with the reason: in every mode when certificates are not checked, in production also for
 * debugging output, debuggers, reports and preloaded code.
 */
export function refuseUnsafeRuntime(runtime: Runtime): void {
  const { env, execArgv, mode } = runtime;
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    throw refusal('NODE_TLS_REJECT_UNAUTHORIZED=0', 'nobody would check who answers', [
      'unset NODE_TLS_REJECT_UNAUTHORIZED; for an authority of your own set NODE_EXTRA_CA_CERTS',
    ]);
  }
  if (mode !== 'production') return;
  for (const name of ['NODE_DEBUG', 'NODE_DEBUG_NATIVE']) {
    if ((env[name] ?? '') !== '') throw refusal(name, 'it prints requests with their key', [`unset ${name}`]);
  }
  const places = [
    ['on the command line of node', execArgv],
    ['in NODE_OPTIONS', words(env.NODE_OPTIONS ?? '')],
  ] as const;
  for (const [place, options] of places) {
    const found = options.map(unsafeOption).find((unsafe) => unsafe !== undefined);
    if (found !== undefined)
      throw refusal(`${found.option} ${place}`, found.reason, [`start paydesk without ${found.option}`]);
  }
}

function unsafeOption(word: string): { option: string; reason: string } | undefined {
  // Node reads `--tls_keylog` as `--tls-keylog`; the value after `=` is not ours to show.
  const option = (word.split('=')[0] ?? '').replaceAll('_', '-');
  const found = unsafeOptions.find(([prefix]) =>
    prefix.startsWith('--') ? option.startsWith(prefix) : option === prefix,
  );
  return found === undefined ? undefined : { option, reason: found[1] };
}

// NODE_OPTIONS separates by spaces; quotes only group, so a quote before an option must not hide it.
function words(text: string): readonly string[] {
  return text.split(/[\s"]+/).filter((word) => word !== '');
}

function refusal(what: string, why: string, now: readonly string[]): CliError {
  return new CliError('refused', `${what} is set: ${why}`, { certain: 'nothing was sent', now });
}
