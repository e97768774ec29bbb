/** `simulator drill`: seven cases to practise on the demo with the real commands, and a result to file. */

import type { JsonObject } from '../api/json-values.ts';
import { type Context, dryRunShown } from '../context/context.ts';
import { flag, usage } from '../flags/flags.ts';
import type { SimulatorControl } from '../simulator/simulator.ts';
import type { Block } from '../terminal/terminal.ts';
import { defineCommand } from './command.ts';

type View = Awaited<ReturnType<SimulatorControl['drill']>>;

export const simulatorDrill = defineCommand({
  description:
    'Tells a case from real life and makes its orders in the demo. Solve it with the usual commands, in this terminal or another one, and type simulator drill again: it looks at what the orders show, and tells the next case. The money of the demo is not real.',
  arguments: [],
  flags: {
    hint: flag.switch('a hint for the case at hand; it counts'),
    skip: flag.switch('end the case at hand as it is'),
    restart: flag.switch('begin with the first case, and forget the result'),
    to: flag.text('FILE', 'write the result so far, as .json or as text', { writes: true }),
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
      await ctx.out.own(result, () => [{ line: `${to}: ${sumWords(view)}` }]);
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

function resultLines(ctx: Pick<Context, 'plans' | 'fullTime'>, view: View): readonly string[] {
  return [
    `paydesk drill of ${ctx.plans.operator}, begun ${ctx.fullTime(view.startedAt * 1000)}`,
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
    { line: 'when it is done: paydesk simulator drill; stuck: --hint; give up: --skip' },
  ];
}
