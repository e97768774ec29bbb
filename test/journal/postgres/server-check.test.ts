/** What is held against a server: each difference by itself. */

import { expect, test } from 'vitest';
import { memoryOf, problemOf, type ServerIdentity } from '../../../src/journal/postgres/server-check.ts';

const identity: ServerIdentity = {
  journal: 'j',
  version: 1,
  min_writer: 1,
  database: '5',
  system: '7',
  timeline: 1,
  lsn: 100,
  standby: false,
  backend: 9,
  operator: 'ana',
  lead: false,
};
const known = {
  memory: { journal: 'j', database: '5', system: '7', timeline: 1, lsn: 100 },
  backend: 9,
  schemaVersion: 1,
  writerVersion: 1,
  journal: 'j',
};

test('the server of the last time has no problem, nor one that was never seen', () => {
  expect(problemOf(identity, known)).toBe(undefined);
  expect(problemOf({ ...identity, lsn: 101 }, known)).toBe(undefined);
  expect(problemOf({ ...identity, system: '8' }, { ...known, memory: undefined, journal: undefined })).toBe(
    undefined,
  );
});

test.each<[string, Partial<ServerIdentity>, Partial<typeof known> | { memory: undefined }]>([
  ['is a standby', { standby: true }, {}],
  ['pooler', { backend: 10 }, {}],
  ['needs a newer paydesk', { min_writer: 2 }, {}],
  ['of an older paydesk', { version: 0 }, {}],
  ['than the one that was joined', { journal: 'k' }, { memory: undefined }],
  ['another journal than the last time', {}, { memory: { ...known.memory, journal: 'k' } }],
  ['another cluster', { system: '8' }, {}],
  ['another database', { database: '6' }, {}],
  ['was promoted', { timeline: 2 }, {}],
  ['it was put back', { lsn: 99 }, {}],
  ['it was put back', { lsn: null }, {}],
])('refused: %s', (problem, told, more) => {
  expect(problemOf({ ...identity, ...told }, { ...known, ...more })?.problem).toContain(problem);
});

test('a standby is not remembered', () => {
  expect(memoryOf(identity)).toEqual(known.memory);
  expect(memoryOf({ ...identity, timeline: null })).toBe(undefined);
  expect(memoryOf({ ...identity, lsn: null })).toBe(undefined);
});
