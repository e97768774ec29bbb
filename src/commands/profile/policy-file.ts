/** `profile check --policy FILE`: what a policy of this machine would do, before it holds. */

import type { Context } from '../../context/context.ts';
import type { Block } from '../../terminal/terminal.ts';

/** Throws CliError 'usage' if something in it is not understood. */
export async function checkPolicy(ctx: Context, file: string): Promise<undefined> {
  const checked = await ctx.checkPolicy(file);
  const { rules, inPlace, place, owner, untrusted, placeProblems, install } = checked;
  const record = {
    object: 'policy',
    file,
    understood: true,
    rules: rules.map((rule) => ({ ...rule })),
    owner: owner ?? null,
    untrusted: [...untrusted],
    place,
    in_place: inPlace,
    place_problems: [...placeProblems],
    install: [...install],
  };
  const holds = inPlace
    ? 'is understood and holds'
    : 'is understood, and would hold for all users of this machine';
  const view = (): readonly Block[] => [
    { line: { text: `${file} ${holds}`, style: 'strong' } },
    ...(rules.length === 0
      ? [{ line: 'it has no rules', hang: 2 }]
      : rules.map(({ name, value, does }) => ({ line: `${name} ${value}: ${does}`, indent: 2, hang: 4 }))),
    ...(owner === undefined
      ? []
      : [{ line: `its owner: ${owner}${untrusted.length === 0 ? '; nobody else can write it' : ''}` }]),
    ...untrusted.map((one) => ({ line: { text: `not trusted as it is: ${one}`, style: 'warn' as const } })),
    ...placeProblems.map((one) => ({
      line: { text: `no policy is trusted there: ${one}`, style: 'warn' as const },
    })),
    ...(install.length === 0 ? [] : ['to put it in its place:', ...install].map((line) => ({ line }))),
  ];
  await ctx.out.own(record, view);
}
