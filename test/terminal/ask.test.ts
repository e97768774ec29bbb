/** The prompts by themselves, each asked by a program that asks one question. How a question ends is in test/prompts. */

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiled } from '../harness/compiled.ts';
import { runInPty, withoutEscapes } from '../harness/pty.ts';

const driver = fileURLToPath(new URL('drivers/ask.ts', import.meta.url));

function ask(kind: string, env: Readonly<Record<string, string>> = {}) {
  return runInPty(process.execPath, [driver, kind], {
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compiled, ...env },
  });
}

// Anything that moves the cursor, clears or hides; colours (ending in m) are not among it.
const cursorMovement = /\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b[78M]|\r(?!\n)/;

describe('a question on a terminal', () => {
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

  it.each([
    { name: 'when the question appears', before: '\r', after: 'y' },
    { name: 'with the Enter of the question before', before: '\ry', after: 'y' },
    { name: 'after two of its Enters', before: '\r\r', after: 'y' },
    { name: 'after an Enter of two bytes', before: '\r\n', after: 'y' },
    { name: 'after the start of an escape sequence', before: '\r', after: '\x1b[Ay' },
    { name: 'as a paste', before: '\r', after: '\x1b[200~y\x1b[201~' },
  ])('a y without an Enter after it is no yes: $name', async ({ before, after }) => {
    const pty = ask('note, then yes');
    await pty.answer('Note:', before);
    await pty.answer('(y/N)', after);
    await pty.answer(/\(y\/N\) [^\n]*y/, '\x15no\r');
    await pty.waitFor('{"answer":false}');
  });

  it('searches for the letters that were typed before the list, Enter chooses nothing then, and Esc goes back to what was found', async () => {
    const pty = ask('search', { BUSY: '1' });
    await pty.answer('busy', 'nunez\r');
    await pty.waitFor('nunez');
    pty.kill('SIGUSR2');
    await pty.answer(/\? .*nunez[\s\S]*José/, 'x');
    await pty.answer('Esc goes back', '\x1b');
    await pty.answer(/nunez[\s\S]*José/, '\r');
    await pty.waitFor('{"answer":"accents"}');
  });

  it.each(['', '1'])(
    'a word that is neither yes nor no does not stay in the line (accessible: %j)',
    async (accessible) => {
      const pty = ask('confirm', { PAYDESK_ACCESSIBLE: accessible });
      await pty.answer('(y/N)', 'maybe\r');
      await pty.answer('type y for yes; n or only Enter for no', 'y\r');
      await pty.waitFor('{"answer":true}');
    },
  );

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

describe('accessible questions', () => {
  const accessible = { PAYDESK_ACCESSIBLE: '1' };

  it('number the choices', async () => {
    const pty = ask('choose', accessible);
    await pty.answer('type a number', '9\r');
    await pty.answer('type a number from 1 to 3', '1\r');
    await pty.waitFor('{"answer":"requested_by_client"}');
    expect(withoutEscapes((await pty.end).transcript)).toContain(
      '  1  the buyer asked for it, requested_by_client',
    );
  });

  it('do not echo a secret, nor move the cursor', async () => {
    const pty = ask('secret', accessible);
    await pty.answer('Key:', 'q7z\r');
    await pty.answer('too short', 'w9kk\r');
    await pty.waitFor('{"answer"');
    const { transcript } = await pty.end;
    expect(transcript.slice(0, transcript.indexOf('{"answer"'))).not.toMatch(/q7z|w9k/);
    expect(transcript).not.toMatch(cursorMovement);
  });
});
