/** The file of the keys whose releases count: a line of JSON for each key, with nothing secret in it. */

import * as v from 'valibot';
import { CliError } from '../errors.ts';
import type { EnrolledFile } from './release.ts';
import { publicKeyIn } from './security-key.ts';

const by = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const bytes = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{16,64}$/));
const lineForm = v.union([
  v.strictObject({ by, passphrase: v.strictObject({ salt: bytes, key: bytes }) }),
  v.strictObject({
    by,
    security_key: v.pipe(
      v.string(),
      v.check((text) => publicKeyIn(text) === text),
    ),
  }),
]);

/** A key that is enrolled for somebody. */
export type EnrolledKey = v.InferOutput<typeof lineForm>;

/** The text of its line. */
export function lineOf(key: EnrolledKey): string {
  return JSON.stringify(key);
}

/** The keys in it; none if there is no file. Throws CliError 'refused' for a file of another form, and for one that cannot be trusted. */
export function readKeys({ file, read }: EnrolledFile): readonly EnrolledKey[] {
  const lines = (read() ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const key = v.safeParse(v.pipe(v.string(), v.parseJson(), lineForm), line);
    if (key.success) return key.output;
    throw new CliError(
      'refused',
      `the file of enrolled keys, ${file}, has no enrolled key in line ${index + 1}`,
      {
        certain: 'nothing was sent',
        now: ['take that line out, or put the file right: each line is as paydesk release --enrol prints it'],
      },
    );
  });
}
