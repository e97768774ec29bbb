/**
 * `sender init`, `serve`, `migrate` and `verify`: makes the file of a sender and the tables of its journal, runs it until a
 * signal comes, and checks every row.
 */

import { type Context, confirmFirst, dryRunShown, refuseAgentTo } from '../../context/context.ts';
import { counted } from '../../counted.ts';
import { exitCodeOf, refused } from '../../errors.ts';
import { flag, type Input, usage } from '../../flags/flags.ts';
import { untilAborted } from '../../io.ts';
import type { SenderConfig, SenderDoor, Serving } from '../../sender/sender.ts';
import { defineCommand } from '../command.ts';
import { allowRootFlag } from './members.ts';

const usualListen = '127.0.0.1:8443';

const flags = {
  account: {
    value: 'PROFILE',
    summary: 'an account that it serves, by the name of its profile',
    defaultText: 'all profiles',
    repeatable: true,
    parse: (text: string) => text,
  },
  listen: flag.text('HOST:PORT', 'where it listens', { defaultText: usualListen }),
  address: flag.text('URL', 'the address that desks use, https'),
  cert: flag.text('FILE', 'its certificate, PEM', { conflicts: ['behind-proxy'] }),
  'cert-key': flag.text('FILE', 'the private key of the certificate, PEM', { conflicts: ['behind-proxy'] }),
  'behind-proxy': flag.switch('a proxy on this machine does TLS'),
  'max-per-second': flag.integer(1, 1000, 'N', 'requests per second to the service, of all desks together', {
    defaultText: 'no limit',
  }),
  postgres: flag.text(
    'URI',
    'keep the journal in this database, which other senders may share; no password in it',
    { defaultText: 'files of this machine' },
  ),
  'allow-root': allowRootFlag,
  print: flag.choice(
    ['systemd', 'container'],
    'KIND',
    'print a systemd unit or a container file, and do nothing else',
  ),
} as const;

export const init = defineCommand({
  description:
    'The sender has the keys and the journal of a team, and sends what its members hand over from their desks. It runs as a user of its own, whose profiles are its accounts: add those first. Plain http is for this machine only; for others give a certificate, or let a proxy on this machine do TLS (one that sets X-Forwarded-For).',
  flags,
  examples: [
    'paydesk sender init',
    'paydesk sender init --yes --listen 0.0.0.0:8443 --address https://sender.example:8443 --cert sender.pem --cert-key sender.key',
  ],
  run: async (ctx, { flags: values }): Promise<undefined> => {
    const sender = await ctx.sender();
    if (values.print !== undefined) {
      await ctx.out.text(sender.unit(values.print, values.cert !== undefined));
      return;
    }
    refuseAgentTo(ctx, 'sets up a sender');
    const config = await configOf(ctx, values);
    await sender.check(config, values['allow-root'] === true);
    const record = { object: 'sender', file: sender.file, ...config };
    if (await dryRunShown(ctx, record, `would write ${sender.file}`)) return;
    if (sender.isThere())
      await confirmFirst(ctx, `replace ${sender.file}? members and their tokens stay`, 'nothing was changed');
    sender.write(config);
    await ctx.out.own(record, () =>
      linesOf(sender, config, values['allow-root'] === true).map((line) => ({ line })),
    );
  },
});

async function configOf(ctx: Context, values: Input<[], typeof flags>['flags']): Promise<SenderConfig> {
  const accounts = values.account ?? (await storedAccounts(ctx));
  const listen = listenOf(values.listen ?? usualListen);
  const { cert, 'cert-key': key } = values;
  if ((cert === undefined) !== (key === undefined)) throw usage('--cert and --cert-key belong together');
  const isPlain = cert === undefined && values['behind-proxy'] !== true;
  const address =
    values.address ?? (isPlain ? `http://${values.listen ?? usualListen}` : await askAddress(ctx));
  return {
    version: 1,
    listen,
    address: address.replace(/\/+$/, ''),
    ...(cert === undefined || key === undefined ? {} : { tls: { cert, key } }),
    ...(values['behind-proxy'] === true ? { behind_proxy: true } : {}),
    accounts: [...accounts],
    ...(values.postgres === undefined ? {} : { postgres: values.postgres }),
    ...(values['max-per-second'] === undefined ? {} : { max_per_second: values['max-per-second'] }),
  };
}

async function storedAccounts({ profiles }: Context): Promise<readonly string[]> {
  const names = (await profiles.list()).filter(({ kind }) => kind === 'stored').map(({ name }) => name);
  if (names.length > 0) return names;
  throw refused(
    'this user has no profile, so the sender would have no account',
    ['add the account with its key first: paydesk profile add NAME', 'then: paydesk sender init'],
    { certain: 'nothing was changed' },
  );
}

function listenOf(text: string): SenderConfig['listen'] {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw usage(`--listen ${text}: not a host and a port such as ${usualListen}`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

function askAddress({ ask }: Context): Promise<string> {
  return ask.text({
    message: 'address that desks use (https://…)',
    flag: '--address',
    check: (text) =>
      /^https:\/\/[^/]+$/.test(text) ? undefined : 'not an address such as https://sender.example:8443',
  });
}

function linesOf(
  { file }: SenderDoor,
  { accounts, address, postgres }: SenderConfig,
  allowsRoot: boolean,
): readonly string[] {
  const root = allowsRoot ? ' --allow-root' : '';
  return [
    `the sender for ${accounts.join(', ')} is in ${file}`,
    `desks reach it at ${address}`,
    ...(postgres === undefined ? [] : [`make the tables of its journal: paydesk sender migrate${root}`]),
    `start it: paydesk sender serve${root}`,
    `invite somebody: paydesk sender invite ana --role operator${root} > ana.json`,
  ];
}

export const serve = defineCommand({
  description:
    'Checks its files and every row of the journal, then listens, and prints one JSON line for each request: no key, no name of a person. On SIGTERM it takes no new change, ends what is being sent, and stops. It does not run as root.',
  flags: {
    'allow-root': allowRootFlag,
  },
  examples: ['paydesk sender serve', 'paydesk sender serve --json >> sender.log'],
  run: async (ctx, { flags }): Promise<number> => {
    refuseAgentTo(ctx, 'runs a sender');
    const sender = await ctx.sender();
    let written = Promise.resolve();
    const log = (line: object) => {
      written = written.then(() => ctx.out.text(`${JSON.stringify(line)}\n`));
    };
    const serving = await sender.serve({ allowRoot: flags['allow-root'] === true, log });
    try {
      const { url, accounts } = serving;
      await ctx.out.own({ object: 'sender', url, accounts }, () => [
        { line: `sender for ${accounts.join(', ')}; Ctrl-C ends it` },
        { line: url },
      ]);
      await untilStopped(ctx, serving);
    } finally {
      await serving.close();
      await written;
    }
    return exitCodeOf(ctx.signal);
  },
});

// Waits until the sender is stopped. While a change is being sent, the run goes on: `signal` aborts only when the outcome of the
// change is written down.
async function untilStopped({ stopAsked, signal }: Context, serving: Serving): Promise<void> {
  await untilAborted(stopAsked);
  serving.drain();
  await untilAborted(signal);
}

export const migrate = defineCommand({
  description:
    'Makes the tables that this paydesk needs in the database of the sender, as the role of the sender, and runs again after an upgrade. If the journal there is empty, it gets the rows of the journal of this machine.',
  flags: {
    'print-sql': flag.switch('print the statements of all migrations, and do nothing else'),
    'allow-root': allowRootFlag,
  },
  examples: ['paydesk sender migrate', 'paydesk sender migrate --print-sql > journal.sql'],
  run: async (ctx, { flags }): Promise<undefined> => {
    const sender = await ctx.sender();
    if (flags['print-sql'] === true) {
      await ctx.out.text(await sender.migrationsText());
      return;
    }
    refuseAgentTo(ctx, 'sets up a sender');
    const would = 'would make the tables that are missing';
    if (await dryRunShown(ctx, { action: 'migrate', file: sender.file }, would)) return;
    await confirmFirst(ctx, 'make the tables that are missing in the database?', 'nothing was changed');
    const { place, done, brought } = await sender.migrate(flags['allow-root'] === true);
    await ctx.out.own({ object: 'sender_migration', place, done, brought }, () => [
      { line: { text: place, style: 'strong' } },
      { line: done.length === 0 ? 'the tables are there already' : `done: ${done.join(', ')}` },
      ...(brought === 0 ? [] : [{ line: `${counted(brought, 'row')} of this machine brought there` }]),
    ]);
  },
});

export const verify = defineCommand({
  description:
    'Reads every row of the journal, in a database that of the server, and checks the chain. Then it derives from the rows alone what is open, and compares that with what is looked up, and the server with the copy of this sender. Limits, members and requests are never kept apart from their rows.',
  flags: { 'allow-root': flag.switch('accepted as for sender serve, and not needed') },
  examples: ['paydesk sender verify', 'paydesk sender verify --json | jq -r .head'],
  exits: { 3: 'the journal is not whole, or the server is not the one that it was' },
  async run(ctx): Promise<undefined> {
    const sender = await ctx.sender();
    const { rows, head, findings, problem, counts } = await sender.verify();
    const record = { object: 'sender_journal', rows, head, findings, problem: problem ?? null, ...counts };
    await ctx.out.own(record, () => [
      { line: `${rows} rows, ${findings.length === 0 ? 'whole' : 'DAMAGED'}` },
      { line: `head ${head}` },
      ...(counts === undefined
        ? []
        : [
            { line: `unconfirmed changes: ${counts.unconfirmed}` },
            { line: `members: ${counts.members}` },
            { line: `limits: ${counts.limits}` },
            { line: `requests for an approval: ${counts.requests}` },
          ]),
    ]);
    const found = findings
      .slice(0, 10)
      .map(({ seq, problem: what }) => (seq === 0 ? what : `row ${seq} ${what}`));
    const what = found.length === 0 ? problem : `the journal of the sender is not whole: ${found.join('; ')}`;
    if (what === undefined) return;
    throw refused(what, ['paydesk journal verify']);
  },
});
