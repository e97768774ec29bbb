/** The list of all texts (`npm run texts`) is whole, and none of them is one that had to be read twice. */

import { describe, expect, test } from 'vitest';
import { commands } from '../src/commands/commands.ts';
import { allTexts, textsOf } from '../tools/texts.ts';
import { newHome, paydesk } from './harness/paydesk.ts';

describe('the texts of a source', () => {
  test('strings, templates and what is added up, in order; what is filled in has a name or dots', () => {
    const source = `
      import { a } from 'not a text';
      const one: 'not a text either' = f('two words', word, 'single', \`\${count} of \${count + 1} orders\`);
      g({ 'a key in quotes': 'the long ' + 'sentence', [\`\${x} as key\`]: no ? 'if not' : \`a \${y ? 'so it is' : ''} z\` });
      db.exec('SELECT this FROM that');
    `;
    expect(textsOf(source)).toEqual([
      'two words',
      '{count} of {…} orders',
      'the long sentence',
      '{x} as key',
      'if not',
      'so it is',
    ]);
  });
});

const all = allTexts().flatMap(({ texts }) => texts);

// Whether a text, with anything where it has braces, is the whole message; or each of its two halves is one.
function isText(message: string): boolean {
  return all.some((text) => {
    const parts = text.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[^\p{L}\p{N} ]/gu, '\\$&'));
    return parts.join('').length > 4 && new RegExp(`^${parts.join('[^]*')}$`).test(message);
  });
}

test('every message of an error is one of the texts', async () => {
  using home = newHome();
  const lines = [
    'orders list --limit x',
    'orders list --since someday',
    'orders show',
    'orders show nonsense',
    '-p nobody orders list',
    '-p demo orders show ord_1',
    '-p demo orders refund ord_2tQ7zRk9PwE5xNvAm --yes',
    '-p demo orders refund ord_2tQ7zRk9PwE5xNvAm --charge 9 --yes',
    '-p demo orders capture ord_2tQ7zRk9PwE5xNvAm --yes',
    '-p demo orders create --yes',
    '-p demo api POST orders --yes',
    'journal show i_none',
    'journal settle i_none --applied',
    'profile show nobody',
    'profile use nobody',
  ];
  // What commander says of a line that it cannot read is commander's.
  const missing: string[] = [];
  for (const line of lines) {
    const { code, stderr } = await paydesk([...line.split(' '), '--json'], { home });
    expect([line, code]).not.toEqual([line, 0]);
    const { message, certain = message } = JSON.parse(stderr);
    missing.push(
      ...[message, certain].filter((text) => !isText(text) && !text.split(/(?=; )/).every(isText)),
    );
  }
  expect(missing).toEqual([]);
});

test('every summary of a command is one of the texts', () => {
  expect(commands.map(({ summary }) => summary).filter((summary) => !all.includes(summary))).toEqual([]);
});

// Each of these was printed once and had to be read twice. A new text says it in the words that took its place.
const neverAgain: readonly string[] = [
  'confirmed by a read',
  'this refund is ours or identical',
  'has an open outcome',
  'outcome open',
  'outcomes open',
  'open outcome',
  'What of it',
  'what of it',
  'digits only',
  "service's own integer",
  "service's integer",
  'as the service counts',
  ': agrees',
  'the charges are not shown',
  'no documented way to release',
  'in order to refund',
  'of no use',
  'complete or not claimed',
  'is not as it should be',
  'you state',
  'word of yours',
  'your word',
  'its outcome is waited for',
  'leaves at once',
  'was not waited for',
  'not seen, and its time is over',
  'its time is over',
  'rejected stated by',
  'stated by',
  'Ways to pay, of',
  'not said',
  'sums a currency',
  'a row a record',
  'orders a page',
  'interrupted: ',
  'why, for this machine',
  'take all but the key',
  'nobody can be asked',
  'State what became of',
  'the answer contradicted',
  'and yet made',
  'figures do not agree',
  'ends the walk early',
  'writes down',
  'no read shows',
  'no read can',
  'written down',
  'could not be proved',
  'is no plain',
  'is no object',
  'that is no JSON',
  'has no others',
  'a read shows',
  'a read cannot',
  'once a read agrees',
  'attempt of that id',
  'an earlier attempt',
  'outcome was',
  'being checked:',
  'nothing moved',
  'in flight',
  'one is meant:',
  'is no folder',
  'that is no order',
  'time-out',
  'throttled',
  'The rule of evidence',
  'It rests on',
  'be mended',
  'is mended',
  'that one went to',
  'would read what',
  'settled entries',
];

test('no text holds words that had to be read twice', () => {
  const found = allTexts().flatMap(({ file, texts }) =>
    texts.flatMap((text) =>
      neverAgain.filter((words) => text.includes(words)).map((words) => `${file}: "${words}" in: ${text}`),
    ),
  );
  expect(found).toEqual([]);
});
