/**
 * `simulator serve`, `reset` and `drill`: the simulated service on a loopback port, the demo in its first state, and cases to
 * practise on it.
 */

import type { JsonObject } from '../api/json-values.ts';
import { modes, vendorPattern } from '../api/spec.ts';
import { type Context, confirmFirst, dryRunShown } from '../context/context.ts';
import { counted } from '../counted.ts';
import { CliError, exitCodeOf, orElse, withParts } from '../errors.ts';
import { flag, usage } from '../flags/flags.ts';
import { untilAborted } from '../io.ts';
import { type AttemptRecord, isOpen, type Moment, openAttempts, tooEarlyUntil } from '../journal/journal.ts';
import type { Profile } from '../profiles/profiles.ts';
import type { SimulatorControl } from '../simulator/simulator.ts';
import type { Block } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';

export const serve = defineCommand({
  description:
    'It listens on 127.0.0.1 only, and answers only requests that carry its key, which is printed. KIND is drop, stall, cut, 500, html or 429; with apply- before it, such as apply-drop, the change is made first and then the reply fails. fails-later, pending and all are kinds too; RATE is the share of requests that get a fault, from 0 to 1.',
  flags: {
    port: flag.integer(0, 65_535, 'PORT', 'the port', { defaultText: 'any free one' }),
    db: flag.text('FILE', 'keep its state in FILE', {
      writes: true,
      defaultText: ':memory:, gone at the end',
    }),
    vendor: {
      value: 'VENDOR',
      summary: 'vendor segment that the simulator answers to; the first is also the brand in error codes',
      defaultText: 'service',
      repeatable: true,
      parse: vendor,
    },
    mode: flag.choice(modes, 'MODE', 'mode of its orders', { defaultText: 'sandbox' }),
    fault: flag.text('KIND[,KIND…][:RATE]', 'lose or spoil replies'),
    'fault-reads': flag.switch('faults hit reads too'),
    'fault-seed': flag.integer(
      0,
      Number.MAX_SAFE_INTEGER,
      'N',
      'the same N gives the same faults in the same order',
      { defaultText: '1' },
    ),
    latency: flag.integer(0, 600_000, 'MS', 'wait this many milliseconds before each answer', {
      defaultText: '0',
    }),
    orders: flag.integer(0, 1_000_000, 'N', 'how many orders it starts with', { defaultText: '120' }),
  },
  examples: [
    'paydesk simulator serve --port 4010 --db sim.db --vendor acme',
    'paydesk simulator serve --json > simulator.json &',
  ],
  exits: {
    130: 'Ctrl-C, which ends it',
  },
  run: async (ctx, { flags }) => {
    if (flags.db !== undefined) ctx.refuseOwnFile(flags.db);
    const serving = await ctx.simulator.serve({
      port: flags.port,
      db: flags.db,
      vendors: flags.vendor,
      mode: flags.mode,
      faults: flags.fault,
      faultReads: flags['fault-reads'],
      faultSeed: flags['fault-seed'],
      latencyMs: flags.latency,
      orders: flags.orders,
    });
    try {
      const { url, key, mode } = serving;
      await ctx.out.own({ object: 'simulator', url, key, mode }, () => view(serving));
      await Promise.race([serving.closed, untilAborted(ctx.signal)]);
    } finally {
      await serving.close();
    }
    return ctx.signal.aborted ? exitCodeOf(ctx.signal) : undefined;
  },
});

function view(serving: Awaited<ReturnType<SimulatorControl['serve']>>): readonly Block[] {
  const { url, key, mode, orders, vendors } = serving;
  const [vendor = ''] = vendors;
  return [
    { line: `simulator, ${mode}, ${orders} orders at first; Ctrl-C ends it` },
    { line: `url     ${url}` },
    { line: `key     ${key}` },
    { line: `vendor  ${vendors.join(', ')}` },
    'blank',
    { line: 'make a profile for it; it asks for the key:' },
    { line: `paydesk profile add sim --base-url ${url} --mode ${mode} --vendor ${vendor}`, indent: 2 },
    { line: 'paydesk -p sim orders list', indent: 2 },
  ];
}

function vendor(text: string, name: string): string {
  if (vendorPattern.test(text)) return text;
  throw new CliError('usage', `${name} ${text}: not a vendor segment such as service`, {
    certain: 'nothing was started',
  });
}

export const reset = defineCommand({
  description:
    'Starts the built-in profile demo again with its first orders, and erases the index of its orders. Changes of the old demo in the journal are not mixed up with the new one. It asks first if some are unconfirmed: nothing can read them after it.',
  examples: ['paydesk simulator reset', 'paydesk simulator reset --yes --json'],
  run: async (ctx) => {
    const would = 'would throw away what was done to demo; nothing was changed';
    if (await dryRunShown(ctx, { simulator: 'reset' }, would)) return undefined;
    const { account } = await closeOpen(ctx);
    await ctx.index.erase(account);
    const { instance, orders } = await ctx.simulator.reset();
    const record = { object: 'simulator', profile: 'demo', instance, orders };
    await ctx.out.own(record, () => [
      { line: `demo starts again, with ${orders} orders` },
      { line: `instance ${instance}` },
      { line: 'paydesk -p demo orders list', indent: 2 },
    ]);
    return undefined;
  },
});

// Reads unconfirmed changes of the demo again and settles them, because nothing can read them after the reset.
async function closeOpen(ctx: Context): Promise<Profile> {
  const { profile } = await ctx.service({ profile: 'demo' });
  const now = await ctx.journal.now();
  const records = await openAttempts(ctx.journal, { origin: profile.origin });
  await confirmLoss(
    ctx,
    records.filter((record) => isOpen(record, now)),
    now,
  );
  for (const record of records) {
    if (!isOpen(record, now)) {
      await ctx.journal.acknowledge(record, 'simulator reset');
      continue;
    }
    const settling = ctx.journal.settle(
      record,
      { applied: false, note: 'simulator reset' },
      async () => undefined,
    );
    await settling.catch(
      orElse((error) => {
        if (error.parts.ownCode !== 'too_early') throw error;
        throw withParts(error, { certain, now: [...(error.parts.now ?? []), resetAnyhow] });
      }),
    );
    ctx.notes.note(`closed with the demo: ${record.sent.change}`);
  }
  return profile;
}

// Asks before unconfirmed changes can never be read again. Throws CliError 'usage' where nobody can be asked.
async function confirmLoss(ctx: Context, open: readonly AttemptRecord[], now: Moment): Promise<void> {
  if (open.length === 0 || ctx.options.yes) return;
  const find = 'paydesk -p demo journal reconcile --all';
  const [are, them] = open.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const what = `${counted(open.length, 'change')} of the demo ${are} unconfirmed, and after a reset nobody can find out what became of ${them}`;
  const until = Math.max(...open.map((record) => tooEarlyUntil(record, now) ?? 0));
  const from = until === 0 ? '' : `, from ${ctx.shortTime(Math.ceil(until / 1000) * 1000)} on,`;
  if (!ctx.ask.interactive)
    throw new CliError('usage', what, {
      certain,
      now: [`find out what became of ${them}:`, find, `or${from} reset all the same:`, resetAnyhow],
    });
  ctx.notes.warn(`${what}; to find out first: ${find}`);
  await confirmFirst(ctx, 'start the demo again all the same?', certain);
}

const certain = 'nothing was changed';
const resetAnyhow = 'paydesk simulator reset --yes';

type View = Awaited<ReturnType<SimulatorControl['drill']>>;

export const drill = defineCommand({
  description:
    'Tells a case from real life and makes its orders in the demo. Solve it with the usual commands, in this terminal or another one, and type simulator drill again: it looks at what the orders show, and tells the next case. The money of the demo is not real.',
  flags: {
    hint: flag.switch('a hint for the case at hand; it counts'),
    skip: flag.switch('end the case at hand as it is'),
    restart: flag.switch('begin with the first case, and forget the result'),
    to: flag.text('FILE', 'write the result so far, as .json or as text, the case at hand judged too', {
      writes: true,
    }),
    force: flag.switch('replace the file of --to'),
  },
  examples: ['paydesk simulator drill', 'paydesk simulator drill --json'],
  async run(ctx, { flags: { hint, skip, restart, to, force = false } }): Promise<undefined> {
    const asked = (['hint', 'skip', 'restart'] as const).filter((one) => ({ hint, skip, restart })[one]);
    const [only = to === undefined ? 'judge' : 'look', more] = asked;
    if (more !== undefined || (asked.length > 0 && to !== undefined))
      throw usage('give one of --hint, --skip, --restart and --to', ['paydesk simulator drill --help']);
    const would = 'would go on with the drill in the demo; nothing was changed';
    if (await dryRunShown(ctx, { simulator: 'drill' }, would)) return undefined;
    if (to !== undefined) await ctx.plans.checkNew(to, force);
    const view = await ctx.simulator.drill(only);
    const { at } = view;
    if (at?.isNew === true && at.file !== undefined) await ctx.plans.write(at.file.name, at.file.text, false);
    const result = resultOf(ctx, view);
    if (to === undefined) await ctx.out.own(result, () => blocksOf(view));
    else {
      const isJson = to.toLowerCase().endsWith('.json');
      const text = isJson ? JSON.stringify(result, undefined, 2) : resultLines(ctx, view).join('\n');
      await ctx.plans.write(to, `${text}\n`, force);
      const judged = view.said === undefined ? [] : [{ line: view.said }];
      const next: readonly Block[] = view.at === undefined ? judged : ['blank', ...blocksOf(view)];
      await ctx.out.own(result, () => [{ line: `${to}: ${sumWords(view)}` }, ...next]);
    }
  },
});

function resultOf({ plans }: Pick<Context, 'plans'>, view: View): JsonObject {
  const { startedAt, said = null, ends, total, at } = view;
  return {
    object: 'drill',
    operator: plans.operator,
    started_at: startedAt,
    passed: passedIn(view),
    done: ends.length,
    total,
    said,
    cases: ends.map((one) => ({ ...one })),
    case: at === undefined ? null : { ...at, file: at.file?.name ?? null },
  };
}

function passedIn({ ends }: View): number {
  return ends.filter(({ passed }) => passed).length;
}

function sumWords(view: View): string {
  const { ends, total } = view;
  return `${passedIn(view)} of ${total} cases right${ends.length < total ? `, ${total - ends.length} to go` : ''}`;
}

// One line for each case that ended.
function endWords({ number, title, passed, hints, ledger }: View['ends'][number]): string {
  const helped = hints === 0 ? '' : `, with ${hints === 1 ? 'a hint' : `${hints} hints`}`;
  return `${number}  ${passed ? 'right    ' : 'not right'}  ${title}${helped}${passed ? '' : ` (${ledger})`}`;
}

function resultLines(ctx: Pick<Context, 'plans' | 'days'>, view: View): readonly string[] {
  return [
    `paydesk drill of ${ctx.plans.operator}, begun ${ctx.days.full(view.startedAt * 1000)}`,
    sumWords(view),
    ...view.ends.map(endWords),
  ];
}

function blocksOf(view: View): readonly Block[] {
  const { at, said, total } = view;
  const before: readonly Block[] = said === undefined ? [] : [{ line: said }, 'blank'];
  if (at === undefined)
    return [
      ...before,
      { line: `the drill is over: ${sumWords(view)}` },
      ...view.ends.map((one): Block => ({ line: endWords(one), indent: 2, hang: 16 })),
      { line: 'to file it: paydesk simulator drill --to result.json; once more: --restart' },
    ];
  return [
    ...before,
    { line: `case ${at.number} of ${total}: ${at.title}` },
    ...at.text.map((line): Block => ({ line, indent: 2 })),
    ...at.hints.map((line): Block => ({ line: `hint: ${line}`, indent: 2, hang: 8 })),
    'blank',
    { line: 'when you are done: paydesk simulator drill; if you are stuck: --hint; to give up: --skip' },
  ];
}
