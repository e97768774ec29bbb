import { expect, it } from 'vitest';
import { runInPty } from './pty.ts';

const env = { PATH: process.env.PATH ?? '' };

it('waits for text, types, and tells how the program ended', async () => {
  const pty = runInPty('sh', ['-c', 'printf "name? "; read name; echo "hello $name"; exit 4'], { env });
  await pty.answer('name? ', 'Ana\r');
  await pty.waitFor('hello Ana');
  expect((await pty.end).exitCode).toBe(4);
});

it('shows the screen so far when the program ends before the text appears', async () => {
  const pty = runInPty('sh', ['-c', 'echo something else'], { env });
  await expect(pty.waitFor('name?')).rejects.toThrow('something else');
});
