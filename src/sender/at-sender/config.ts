/** The file of a sender: where it listens, which certificate it shows, and whose accounts it serves. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CliError, systemReason } from '../../errors.ts';
import { type FileRules, readOwnFile, writeOwnFile } from '../../profiles/profiles.ts';
import { accountNamePattern } from '../wire.ts';

const configForm = v.strictObject({
  version: v.literal(1),
  listen: v.strictObject({
    host: v.string(),
    port: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535)),
  }),
  /** The address that desks use; it stands in invitations. */
  address: v.pipe(v.string(), v.url()),
  /** Files of the certificate and its key. Absent: no TLS, which is for loopback only. */
  tls: v.optional(v.strictObject({ cert: v.string(), key: v.string() })),
  /** A proxy on this machine does TLS, and says in X-Forwarded-For who asks. */
  behind_proxy: v.optional(v.literal(true)),
  /** Names of this user's profiles. */
  accounts: v.pipe(v.array(v.pipe(v.string(), v.regex(accountNamePattern))), v.minLength(1)),
  /** Requests per second to each service, of all desks together. Absent: no limit. */
  max_per_second: v.optional(v.pipe(v.number(), v.minValue(0.1))),
});
/** The file of a sender. */
export type SenderConfig = v.InferOutput<typeof configForm>;

/** Where the file of a sender is. */
export function configFileIn(configFolder: string): string {
  return join(configFolder, 'sender.json');
}

/** Reads the file. Throws CliError 'refused' when there is none, when it cannot be read, or when others can read it. */
export function readConfig(path: string, rules: FileRules): SenderConfig {
  refuseReadable(path, rules);
  const text = readOwnFile(path, rules);
  if (text === undefined)
    throw new CliError('refused', `there is no sender on this machine: ${path} is not there`, {
      certain: 'nothing was started',
      now: [
        'at a desk, name its profile: paydesk -p NAME sender limits',
        'to make one here: paydesk sender init',
      ],
    });
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), configForm), text);
  if (!read.success) {
    const [issue] = read.issues;
    throw new CliError(
      'refused',
      `${path} is not the file of a sender: ${v.getDotPath(issue) ?? 'it is no JSON object'}`,
      {
        certain: 'nothing was started',
        now: ['correct it by hand, or make a new one: paydesk sender init --yes'],
      },
    );
  }
  checkConfig(read.output);
  return read.output;
}

/** Writes the file, which only this user can read. */
export function writeConfig(path: string, config: SenderConfig, rules: FileRules): void {
  checkConfig(config);
  writeOwnFile(path, `${JSON.stringify(config, undefined, 2)}\n`, rules);
}

/** Whether there is such a file. */
export function hasConfig(path: string): boolean {
  return existsSync(path);
}

/** Throws CliError 'refused' when tokens would travel unencrypted to another machine. */
export function checkConfig({ listen, tls, address, behind_proxy: behindProxy }: SenderConfig): void {
  const unsafe = (what: string, now: string) =>
    new CliError('refused', what, { certain: 'nothing was started', now: [now] });
  if (tls === undefined && !isLoopback(listen.host))
    throw unsafe(
      `${listen.host} is not loopback, so the sender needs TLS there`,
      'give the files of a certificate: --cert FILE --cert-key FILE; or listen on 127.0.0.1 behind a proxy: --behind-proxy',
    );
  const { protocol, hostname, pathname, search } = new URL(address);
  const isPlain = protocol === 'http:' && isLoopback(hostname);
  if (protocol !== 'https:' && !isPlain)
    throw unsafe(
      `${address} is not https, so desks do not use it`,
      'give an address that begins with https://',
    );
  if (pathname !== '/' || search !== '')
    throw unsafe(
      `${address} has more than a host and a port`,
      'give an address such as https://sender.example:8443',
    );
  if (behindProxy === true && tls !== undefined)
    throw unsafe(
      'behind a proxy on this machine the sender has no certificate of its own',
      'leave out one of them',
    );
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The certificate and its key. Throws CliError 'refused' when a file cannot be read, or others can read the key. */
export function readCertificate(
  { tls }: SenderConfig,
  rules: FileRules,
): { readonly cert: Buffer; readonly key: Buffer } | undefined {
  if (tls === undefined) return undefined;
  refuseReadable(tls.key, rules);
  return { cert: bytesOf(tls.cert), key: bytesOf(tls.key) };
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CliError('refused', `${path} cannot be read: ${systemReason(error)}`, {
      certain: 'nothing was started',
      cause: error,
    });
  }
}

/**
 * Throws CliError 'refused' when other users can read or write a file. Elsewhere such a file is closed and used; but what a
 * sender keeps gives access to the money of a team, so somebody has to look first who may have read it.
 */
export function refuseReadable(path: string, { uid }: FileRules): void {
  if (uid === undefined || !existsSync(path)) return;
  const { mode } = statSync(path);
  if ((mode & 0o077) === 0) return;
  throw new CliError('refused', `other users can read ${path} (mode ${(mode & 0o777).toString(8)})`, {
    certain: 'nothing was started',
    now: [`find out who may have read it, then: chmod 600 ${path}`],
  });
}
