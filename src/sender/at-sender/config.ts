/** A sender's files: its configuration (address, certificate, accounts), and the unit files that run it as a service. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import * as v from 'valibot';
import { CliError, refused, systemReason } from '../../errors.ts';
import { type FileRules, isLoopback, readOwnFile, writeOwnFile } from '../../profiles/profiles.ts';
import { accountNameForm } from '../wire.ts';

const configForm = v.strictObject({
  version: v.literal(1),
  listen: v.strictObject({
    host: v.string(),
    port: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535)),
  }),
  /** The address for desks, also in invitations. */
  address: v.pipe(v.string(), v.url()),
  /** The files of the certificate and its key. Absent: no TLS, on loopback only. */
  tls: v.optional(v.strictObject({ cert: v.string(), key: v.string() })),
  /** A proxy on this machine does TLS, and names the client in X-Forwarded-For. */
  behind_proxy: v.optional(v.literal(true)),
  /** Names of this user's profiles. */
  accounts: v.pipe(v.array(accountNameForm), v.minLength(1)),
  /** The database of the journal, without a password. Absent: the journal is in files on this machine. */
  postgres: v.optional(v.string()),
  /** Requests per second to each service, from all desks together. Absent: no limit. */
  max_per_second: v.optional(v.pipe(v.number(), v.minValue(0.1))),
});
export type SenderConfig = v.InferOutput<typeof configForm>;

/** Throws CliError 'refused' if there is no file, if it cannot be read, or if others can read it. */
export function readConfig(path: string, rules: FileRules): SenderConfig {
  refuseReadable(path, rules);
  const text = readOwnFile(path, rules);
  if (text === undefined)
    throw refused(
      `there is no sender on this machine: ${path} is not there`,
      ['at a desk, name its profile: paydesk -p NAME sender limits', 'to make one here: paydesk sender init'],
      { certain: 'nothing was started' },
    );
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), configForm), text);
  if (!read.success) {
    const [issue] = read.issues;
    throw refused(
      `${path} is not the file of a sender: ${v.getDotPath(issue) ?? 'it is not a JSON object'}`,
      ['correct it by hand, or make a new one: paydesk sender init --yes'],
      { certain: 'nothing was started' },
    );
  }
  checkConfig(read.output);
  return read.output;
}

/** Only this user can read the file. */
export function writeConfig(path: string, config: SenderConfig, rules: FileRules): void {
  checkConfig(config);
  writeOwnFile(path, `${JSON.stringify(config, undefined, 2)}\n`, rules);
}

/** Throws CliError 'refused' if tokens or journal rows would go unencrypted to another machine. */
export function checkConfig(config: SenderConfig): void {
  const { listen, tls, address, behind_proxy: behindProxy, postgres } = config;
  if (postgres !== undefined) databaseIn(postgres);
  const unsafe = (what: string, now: string) => refused(what, [now], { certain: 'nothing was started' });
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

const databaseWords = new Set(['host', 'port', 'user', 'sslmode', 'sslrootcert']);

/** Reads a database address. `rootCert`: the file of trusted certificates, PEM; undefined: those of the system. Throws CliError 'refused' without repeating it: it may hold a password. */
export function databaseIn(uri: string) {
  const refuse = (what: string): never => {
    throw new CliError('refused', `the address of the database ${what}`, {
      certain: 'nothing was started',
      now: ['an example: --postgres postgresql://paydesk@db.example:5432/desk'],
    });
  };
  const url = URL.parse(uri);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol))
    return refuse('does not begin with postgresql://');
  const { searchParams: words } = url;
  if (url.password !== '' || words.has('password'))
    return refuse('must hold no password: put that into PGPASSFILE or PGPASSWORD');
  const unknown = [...words.keys()].find((name) => !databaseWords.has(name));
  if (unknown !== undefined) return refuse(`has ${unknown}, which paydesk does not know`);
  const host = words.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const isLocal = host.startsWith('/') || isLoopback(host);
  const user = decodeURIComponent(url.username) || (words.get('user') ?? '');
  const database = decodeURIComponent(url.pathname.slice(1));
  if (host === '' || user === '' || database === '') return refuse('must name host, role and database');
  if (!isLocal && (words.get('sslmode') ?? 'verify-full') !== 'verify-full')
    return refuse(`is on another machine, so its sslmode must be verify-full`);
  const port = Number(url.port || (words.get('port') ?? 5432));
  return { host, port, database, user, isLocal, rootCert: words.get('sslrootcert') ?? undefined };
}

/** The certificate and its key. Throws CliError 'refused' if a file cannot be read, or if others can read the key. */
export function readCertificate({ tls }: SenderConfig, rules: FileRules) {
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
 * Throws CliError 'refused' if other users can read or write a file. Elsewhere such a file is closed to others and used. But a
 * sender's files give access to a team's money, so a person must first find out who may have read them.
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

// ── As a service of a machine ──────────────────────────────────────────────────────────────────────

const systemd = `[Unit]
Description=paydesk sender
Wants=network-online.target
After=network-online.target

[Service]
# A user of its own, who has the profiles with their keys, and the journal.
User=paydesk
ExecStart=paydesk sender serve
Restart=on-failure
RestartSec=5
# It ends what is being sent before it stops.
KillSignal=SIGTERM
TimeoutStopSec=600
SuccessExitStatus=143
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
ProtectHome=no
ReadWritePaths=/home/paydesk
CapabilityBoundingSet=

[Install]
WantedBy=multi-user.target
`;

const container = (scheme: 'http' | 'https') => `FROM node:24-slim
# The packed program, which lies beside this file.
COPY paydesk-*.tgz /tmp/paydesk.tgz
RUN npm install --global --omit=optional /tmp/paydesk.tgz && rm /tmp/paydesk.tgz && useradd --create-home paydesk
USER paydesk
# Profiles, keys and the journal: a volume that only this container uses, and that is in your backup.
VOLUME /home/paydesk
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK CMD ["node", "-e", "${health(scheme)}"]
CMD ["paydesk", "sender", "serve"]
`;

// The certificate is for the name that desks use, not for this address.
const health = (scheme: 'http' | 'https') =>
  `require('${scheme}').get('${scheme}://127.0.0.1:8443/health', { rejectUnauthorized: false }, (r) => { if (r.statusCode !== 200) throw r.statusCode; r.resume(); })`;

/** `isTls`: the sender has a certificate. */
export function unitFile(kind: 'systemd' | 'container', isTls: boolean): string {
  return kind === 'systemd' ? systemd : container(isTls ? 'https' : 'http');
}
