import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiled } from '../harness/compiled.ts';
import { type PtyOptions, runInPty, withoutEscapes } from '../harness/pty.ts';

const driver = fileURLToPath(new URL('drivers/ask.ts', import.meta.url));
const path = process.env.PATH ?? '';

function ask(kind: string, env: Readonly<Record<string, string>> = {}, options: PtyOptions = {}) {
  return runInPty(process.execPath, [driver, kind], {
    ...options,
    env: { PATH: path, NODE_COMPILE_CACHE: compiled, ...env },
  });
}

const kinds = ['confirm', 'text', 'optional', 'secret', 'choose', 'search'] as const;
const messages = {
  confirm: 'Send it?',
  text: 'Amount:',
  optional: 'Note:',
  secret: 'Key:',
  choose: 'Why?',
  search: 'Which?',
};
const cursorShown = '\x1b[?25h';
// Anything that moves the cursor, clears or hides; colours (ending in m) are not among it.
const cursorMovement = /\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b[78M]|\r(?!\n)/;

describe('a question on a terminal', () => {
  it('takes a bare Enter at a confirmation as No', async () => {
    const pty = ask('confirm');
    await pty.answer('(y/N)', '\r');
    await pty.waitFor('{"answer":false}');
    expect((await pty.end).exitCode).toBe(0);
  });

  it('takes a typed y as Yes', async () => {
    const pty = ask('confirm');
    await pty.answer('(y/N)', 'y\r');
    await pty.waitFor('{"answer":true}');
  });

  it('asks again after a wrong value, with the reason', async () => {
    const pty = ask('text');
    await pty.answer('Amount:', '1e3\r');
    await pty.answer('digits only', '\x7f\x7f\x7f300\r');
    await pty.waitFor('{"answer":"300"}');
  });

  it('takes a bare Enter where a value is optional', async () => {
    const pty = ask('optional');
    await pty.answer('Note:', '\r');
    await pty.waitFor('{"answer":""}');
  });

  it('chooses with the arrows', async () => {
    const pty = ask('choose');
    await pty.answer('another reason', '\x1b[B\r');
    await pty.waitFor('{"answer":"other"}');
  });

  it('finds a choice by words, whatever their accents', async () => {
    const pty = ask('search');
    await pty.answer('another reason', 'jose nun');
    await pty.answer(/jose nun[\s\S]*José/, '\r');
    await pty.waitFor('{"answer":"accents"}');
  });

  it.each(kinds)('ends a %s on Ctrl-C with 130, the cursor shown', async (kind) => {
    const pty = ask(kind);
    await pty.answer(messages[kind], '\x03');
    const { exitCode, transcript } = await pty.end;
    expect(exitCode).toBe(130);
    expect(withoutEscapes(transcript)).toContain('interrupted: Ctrl-C');
    expect(transcript.lastIndexOf(cursorShown)).toBeGreaterThan(transcript.lastIndexOf('\x1b[?25l'));
  });

  it.each(kinds)('ends a %s on Ctrl-D with 3, cancelled', async (kind) => {
    const pty = ask(kind);
    await pty.answer(messages[kind], '\x04');
    const { exitCode, transcript } = await pty.end;
    expect(exitCode).toBe(3);
    expect(withoutEscapes(transcript)).toContain('cancelled: end of input');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ])('restores the cursor when %s ends a choice', async (signal, code) => {
    const pty = ask('choose');
    await pty.waitFor('another reason');
    pty.kill(signal);
    const { exitCode, transcript } = await pty.end;
    expect(exitCode).toBe(code);
    expect(transcript.lastIndexOf(cursorShown)).toBeGreaterThan(transcript.lastIndexOf('\x1b[?25l'));
  });

  it.each([
    ['choose', '', '\x03', 130],
    ['secret', '', '\x04', 3],
    ['secret', '1', '\x03', 130],
    ['confirm', '1', '\r', 0],
  ] as const)(
    'leaves the terminal as it was after a %s (accessible: %j)',
    async (kind, accessible, keys, code) => {
      const script = 'stty -a; "$NODE" "$ASK" "$KIND"; echo "ended $?"; stty -a; echo done';
      const env = {
        PATH: path,
        NODE: process.execPath,
        ASK: driver,
        KIND: kind,
        PAYDESK_ACCESSIBLE: accessible,
      };
      const pty = runInPty('sh', ['-c', script], { env });
      await pty.answer(messages[kind], keys);
      await pty.waitFor(`ended ${code}`);
      const { transcript } = await pty.end;
      const settings = transcript.match(/speed[\s\S]*?echoke[^\r\n]*/g) ?? [];
      expect(settings).toHaveLength(2);
      expect(settings[1]).toBe(settings[0]);
    },
  );

  it('never shows a secret, also after Ctrl-T, Tab and a wrong value', async () => {
    const pty = ask('secret');
    await pty.answer('Key:', 'q7\x14\t');
    pty.type('\r');
    await pty.answer('too short', 'w9kk\x14');
    pty.resize(50, 20);
    pty.type('\r');
    await pty.waitFor('{"answer":');
    const { transcript } = await pty.end;
    const beforeAnswer = transcript.slice(0, transcript.indexOf('{"answer"'));
    expect(beforeAnswer).not.toMatch(/q7|w9k/);
  });

  it.each(['', '1'])('drops what was typed before the question (accessible: %j)', async (accessible) => {
    const pty = ask('confirm', { BUSY: '1', PAYDESK_ACCESSIBLE: accessible });
    await pty.answer('busy', 'y\r');
    // The terminal echoes what is typed early.
    await pty.waitFor('y');
    pty.kill('SIGUSR2');
    await pty.answer('(y/N)', '\r');
    await pty.waitFor('{"answer":false}');
  });

  it('cleans the labels of choices', async () => {
    const pty = ask('choose');
    await pty.answer('Núñez', '\x03');
    const { transcript } = await pty.end;
    expect(transcript).not.toContain('\u202e');
    expect(transcript).not.toContain('\x1b[2J');
  });

  it('colours nothing under NO_COLOR', async () => {
    const pty = ask('choose', { NO_COLOR: '1' });
    await pty.answer('another reason', '\r');
    const { transcript } = await pty.end;
    expect(transcript).not.toMatch(/\x1b\[[0-9;]*m/);
  });
});

describe('a question with nobody to ask', () => {
  it('is a usage error that names the flag', async () => {
    const pty = ask('choose', { CI: 'true' });
    const { exitCode, transcript } = await pty.end;
    expect(exitCode).toBe(2);
    expect(transcript).toContain('missing --reason');
    expect(transcript).not.toContain('Why?');
  });
});

describe('accessible questions', () => {
  const accessible = { PAYDESK_ACCESSIBLE: '1' };

  it.each([
    ['confirm', '(y/N)', 'y\r', '{"answer":true}'],
    ['text', 'Amount:', '300\r', '{"answer":"300"}'],
    ['choose', 'type a number', '2\r', '{"answer":"other"}'],
    ['search', 'type a number', '2\r', '{"answer":"other"}'],
    ['secret', 'Key:', 'q7zz\r', '{"answer":"q7zz"}'],
  ])('take a line for a %s and never move the cursor', async (kind, question, keys, answer) => {
    const pty = ask(kind, accessible);
    await pty.answer(question, keys);
    await pty.waitFor(answer);
    const { transcript } = await pty.end;
    expect(transcript).not.toMatch(cursorMovement);
  });

  it('number the choices', async () => {
    const pty = ask('choose', accessible);
    await pty.answer('type a number', '9\r');
    await pty.answer('no number from 1 to 3', '1\r');
    await pty.waitFor('{"answer":"requested_by_client"}');
    expect(withoutEscapes((await pty.end).transcript)).toContain(
      '  1  the buyer asked for it, requested_by_client',
    );
  });

  it('do not echo a secret', async () => {
    const pty = ask('secret', accessible);
    await pty.answer('Key:', 'q7z\r');
    await pty.answer('too short', 'w9kk\r');
    await pty.waitFor('{"answer"');
    const { transcript } = await pty.end;
    expect(transcript.slice(0, transcript.indexOf('{"answer"'))).not.toMatch(/q7z|w9k/);
  });

  it.each(kinds)('end a %s on Ctrl-C with 130 and on Ctrl-D with 3', async (kind) => {
    const first = ask(kind, accessible);
    await first.answer(messages[kind], '\x03');
    expect((await first.end).exitCode).toBe(130);
    const second = ask(kind, accessible);
    await second.answer(messages[kind], '\x04');
    expect((await second.end).exitCode).toBe(3);
  });
});
