import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { createSecrets } from '../../src/terminal/secrets.ts';
import { attacks, rawAttack } from './attacks.ts';
import { lines, notesOf } from './screens.ts';

async function shown(error: CliError, width = 80): Promise<string> {
  const { notes, text } = notesOf({ width });
  await notes.fail(error, false);
  return text();
}

const notReturnable = new CliError('rejected', 'order is not refundable', {
  type: 'precondition_required_error',
  code: 'acme.errors.precondition_required.combo.order.is_not_returnable',
  details: [
    {
      message: 'order is not refundable',
      code: 'acme.errors.precondition_required.combo.order.is_not_returnable',
    },
  ],
  httpStatus: 428,
  logId: '5f2c81',
  certain:
    'this refund moved no money; 52000 of 52000 MXN went back on 21 Nov 2026 09:31:39 UTC-6, elsewhere',
  now: ["give the buyer that time and the bank's auth codes, 490215 and 771034"],
});

describe('an error on the screen', () => {
  it('never breaks a row of the journal, so that it can be copied', async () => {
    const row = JSON.stringify({ type: 'verdict', change: 'i_7f3k2m9q', why: 'a long sentence '.repeat(12) });
    const error = new CliError('incomplete', 'it could not be written down', { now: ['copy this:', row] });
    expect((await shown(error)).split('\n').map((line) => line.trim())).toContain(row);
  });

  it('says what happened, what is certain, what to do now', async () => {
    expect(await shown(notReturnable)).toMatchInlineSnapshot(`
      "refused by the service: order is not refundable
               (acme.errors.precondition_required.combo.order.is_not_returnable, HTTP
               428, log_id 5f2c81)
      certain: this refund moved no money; 52000 of 52000 MXN went back on 21 Nov 2026
               09:31:39 UTC-6, elsewhere
      now:     give the buyer that time and the bank's auth codes, 490215 and 771034
      "
    `);
  });

  it('uses its own opening where it has one', async () => {
    const error = new CliError(
      'unconfirmed',
      'two new refunds of 5000 MXN on charge 1 (*4242) of this order\nord_2tQ7zRk9PwE5xNvAm\n656fa9349a2b4d0018c51f07 and 656fa9369a2b4d0018c51f0c',
      {
        opening: 'MADE TWICE:',
        certain:
          'this machine sent one; the service lists both, -10000 together;\npaydesk cannot take a refund back',
        now: ['stop on this order and show your lead: paydesk journal show i_7f3k'],
      },
    );
    expect(await shown(error)).toMatchInlineSnapshot(`
      "MADE TWICE: two new refunds of 5000 MXN on charge 1 (*4242) of this order
               ord_2tQ7zRk9PwE5xNvAm
               656fa9349a2b4d0018c51f07 and 656fa9369a2b4d0018c51f0c
      certain: this machine sent one; the service lists both, -10000 together;
               paydesk cannot take a refund back
      now:     stop on this order and show your lead: paydesk journal show i_7f3k
      "
    `);
  });

  it('lists every detail with its code and parameter', async () => {
    const error = new CliError('rejected', 'the refund was refused', {
      httpStatus: 422,
      logId: '5f2c81',
      details: [
        { message: 'El monto es inválido', code: 'acme.errors.parameter.amount', param: 'amount' },
        { message: 'La tarjeta no es válida', code: 'acme.errors.parameter.card', param: 'card[number]' },
        { debugMessage: 'only in English' },
      ],
    });
    expect(await shown(error)).toMatchInlineSnapshot(`
      "refused by the service: the refund was refused (HTTP 422, log_id 5f2c81)
               El monto es inválido (acme.errors.parameter.amount, param amount)
               La tarjeta no es válida (acme.errors.parameter.card, param
               card[number])
               only in English
      "
    `);
  });

  it('never breaks a command, however narrow the terminal', async () => {
    const command =
      'paydesk -p shop-mx orders refund ord_2tQ7zRk9PwE5xNvAm --charge 656f1c0e9a2b4d0018c3e5a1 --amount 300';
    const text = await shown(new CliError('usage', 'say which charge', { now: ['one of', command] }), 40);
    expect(lines(text)).toContain(`         ${command}`);
  });

  it('leaves no empty line before an id that is wider than the terminal', async () => {
    const text = await shown(new CliError('refused', 'no\nord_2tQ7zRk9PwE5xNvAm'), 20);
    expect(text).toBe('refused: no\n         ord_2tQ7zRk9PwE5xNvAm\n');
  });

  it('is one line after Ctrl-C', async () => {
    expect(await shown(new CliError('interrupted', 'Ctrl-C'))).toBe('interrupted: Ctrl-C\n');
  });

  it('keeps every attack off the terminal', async () => {
    const { notes, text } = notesOf({ width: 80 });
    await Promise.all(
      attacks.slice(0, -1).map((attack) =>
        notes.fail(
          new CliError('rejected', `refused: ${attack}`, {
            certain: attack,
            now: [attack],
            code: attack,
            logId: attack,
            details: [{ message: attack, code: attack, param: attack }, { message: 'x' }],
          }),
          false,
        ),
      ),
    );
    expect(text()).not.toMatch(rawAttack);
  });

  it('shows stack traces with --debug only, and no key in them', async () => {
    const secrets = createSecrets();
    secrets.add('sk_canary_0001');
    const { notes, text } = notesOf({ secrets });
    const cause = new Error('Bearer sk_canary_0001 is refused');
    await notes.fail(new CliError('network', 'no answer', { cause }), false);
    expect(text()).toBe('error:   no answer\n');
    await notes.fail(new CliError('network', 'no answer', { cause }), true);
    expect(text()).toContain('Error: Bearer [key] is refused');
    expect(text()).not.toContain('canary');
  });
});

describe('an error for scripts', () => {
  it('is one JSON object with the notes in it', async () => {
    const { notes, text } = notesOf({ format: 'json' });
    notes.note(['read ', { text: '2 pages', style: 'strong' }]);
    notes.warn({ time: 1795216131, precision: 'full' });
    await notes.fail(notReturnable, false);
    expect(JSON.parse(text())).toEqual({
      object: 'error',
      kind: 'rejected',
      exit_code: 5,
      message: 'order is not refundable',
      certain:
        'this refund moved no money; 52000 of 52000 MXN went back on 21 Nov 2026 09:31:39 UTC-6, elsewhere',
      now: ["give the buyer that time and the bank's auth codes, 490215 and 771034"],
      commands: [],
      type: 'precondition_required_error',
      code: 'acme.errors.precondition_required.combo.order.is_not_returnable',
      log_id: '5f2c81',
      http_status: 428,
      details: [
        {
          message: 'order is not refundable',
          code: 'acme.errors.precondition_required.combo.order.is_not_returnable',
        },
      ],
      notes: ['read 2 pages', '20 Nov 2026 17:08:51 UTC-6'],
    });
    expect(lines(text())).toHaveLength(1);
  });
});
