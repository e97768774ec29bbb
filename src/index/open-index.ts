/** Opens, makes and erases the indexes of this machine, each with its own key. */

import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, refused } from '../errors.ts';
import { commandLine, type Profile, plainCommand } from '../profiles/profiles.ts';
import { isSqlite } from '../sqlite.ts';
import type { Erased, Indexes, IndexParts, OrderIndex } from './index.ts';
import { createFile, type IndexFile, indexFileIn, type KeyName, newState, openFile } from './index-file.ts';
import { createOrderIndex } from './order-index.ts';
import { createSealer, keyBytes, UnusableFile, WrongSeal } from './sealed-segments.ts';

/** Opens nothing yet. */
export function openIndexes(parts: IndexParts): Indexes {
  const { folder, profiles, rules, clock } = parts;
  const { indexKeys } = profiles;
  const opened = new Map<string, OrderIndex>();
  const fileOf = (account: string): string => indexFileIn(folder, account);

  const keyOf = async (file: IndexFile, profile: Profile): Promise<Buffer> => {
    const { id, place } = file.key;
    let key: string | undefined;
    try {
      key = await indexKeys.read(id, place);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      throw refused(
        `the key of the index cannot be read: ${reasonOf(error)}`,
        ['unlock the system keyring, then run the command again', ...eraseWords(profile, 'or')],
        { certain: 'nothing was read from the index', cause: error },
      );
    }
    if (key === undefined) throw unusable(profile, `its key is not in ${indexKeys.placeWords(place)}`);
    return Buffer.from(key, 'base64url');
  };

  const newKey = async (profile: Profile): Promise<{ readonly name: KeyName; readonly key: Buffer }> => {
    const key = randomBytes(keyBytes);
    const name: KeyName = { id: randomBytes(6).toString('hex'), place: await indexKeys.placeFor(profile) };
    const kept = { origin: profile.origin, key: key.toString('base64url') };
    try {
      await indexKeys.write(name.id, name.place, kept);
    } catch (error) {
      if (!(error instanceof CliError) || name.place === 'file') throw error;
      throw refused(
        `the key of the index cannot be kept: ${reasonOf(error)}`,
        [
          'unlock the system keyring, or keep the keys of this profile in a file that only you can read:',
          plainCommand('profile', 'key', profile.name, '--key-store', 'file'),
        ],
        { certain: 'no index was made or changed', cause: error },
      );
    }
    return { name, key };
  };

  const indexOf = (file: IndexFile, key: Buffer, profile: Profile): OrderIndex => {
    const sealer = createSealer(key, profile.account);
    return createOrderIndex({
      file,
      segments: file.unsealed(sealer),
      keptIn: indexKeys.placeWords(file.key.place),
      clock,
      explained: (error) => explained(error, profile),
      async rekey(segments) {
        const next = await newKey(profile);
        file.reseal(segments, createSealer(next.key, profile.account), next.name);
        await indexKeys.remove(file.key.id, file.key.place);
        file.forgetOldKeys();
        file.compact();
        opened.delete(profile.account);
      },
    });
  };

  const eraseFile = async (path: string, onStaying: () => void): Promise<Erased | undefined> => {
    const keys = keysOf(path, parts);
    const known = keys === 'unreadable' ? [] : keys;
    let keyStays = keys === 'unreadable';
    if (keyStays) onStaying();
    // The key goes first: without it, nobody can read what is left of the file.
    for (const { id, place } of known)
      if (!(await indexKeys.remove(id, place))) {
        onStaying();
        keyStays = true;
      }
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
    if (keys === 'unreadable')
      rules.notice(
        'the index did not open, so paydesk does not know which key is its own: that key stays where it is, in the system keyring or with the other keys',
      );
    return keyStays || known.length > 0 ? { keyStays } : undefined;
  };

  return {
    folder,
    async open(profile) {
      const { account } = profile;
      const known = opened.get(account);
      if (known !== undefined) return known;
      try {
        const file = openFile(fileOf(account), rules);
        if (file === undefined) return undefined;
        const index = indexOf(file, await keyOf(file, profile), profile);
        opened.set(account, index);
        // A run that made a new key stopped before it removed the old one.
        for (const { id, place } of file.oldKeys) await indexKeys.remove(id, place);
        if (file.oldKeys.length > 0) file.forgetOldKeys();
        return index;
      } catch (error) {
        throw explained(error, profile);
      }
    },
    async create(profile) {
      const { name, key } = await newKey(profile);
      try {
        const file = createFile(fileOf(profile.account), rules, {
          account: profile.account,
          key: name,
          sealer: createSealer(key, profile.account),
          state: newState(randomBytes(16).toString('base64url')),
        });
        const index = indexOf(file, key, profile);
        opened.set(profile.account, index);
        return index;
      } catch (error) {
        throw explained(error, profile);
      }
    },
    keyPlace: async (profile) => indexKeys.placeWords(await indexKeys.placeFor(profile)),
    async erase(account) {
      opened.get(account)?.close();
      opened.delete(account);
      return await eraseFile(fileOf(account), () => undefined);
    },
    async eraseAll() {
      this.close();
      for (const name of readdirSync(folder))
        if (name.endsWith('.db')) await eraseFile(join(folder, name), refuseStaying);
    },
    close() {
      for (const index of opened.values()) index.close();
      opened.clear();
    },
  };
}

// The keys that the file names; none if there is no file.
function keysOf(path: string, { rules }: IndexParts): readonly KeyName[] | 'unreadable' {
  try {
    const file = openFile(path, rules);
    if (file === undefined) return [];
    const keys = [file.key, ...file.oldKeys];
    file.close();
    return keys;
  } catch (error) {
    if (error instanceof CliError) throw error;
    return 'unreadable';
  }
}

function explained(error: unknown, profile: Profile): unknown {
  if (error instanceof WrongSeal)
    return unusable(profile, 'it was made with another key, or somebody has changed it', error);
  if (error instanceof UnusableFile) return unusable(profile, error.message, error);
  if (error instanceof Error && isSqlite(error))
    return refused(
      `the index of ${profile.name} cannot be used: ${error.message}`,
      ['free some space, or give yourself the right to write there', ...eraseWords(profile)],
      { certain: 'nothing was read from it', cause: error },
    );
  return error;
}

function unusable(profile: Profile, why: string, cause?: unknown): CliError {
  return refused(`the index of ${profile.name} cannot be opened: ${why}`, eraseWords(profile), {
    certain: 'nothing was shown from it',
    cause,
  });
}

// Why the keyring failed, without the key's name.
function reasonOf({ message, cause }: CliError): string {
  return cause instanceof Error ? cause.message : message;
}

function eraseWords(profile: Profile, otherwise = ''): readonly string[] {
  return [
    `${otherwise} erase it, and build it again:`.trim(),
    commandLine(profile, 'index', 'forget', '--all', '--yes'),
    commandLine(profile, 'index', 'build'),
  ];
}

function refuseStaying(): never {
  throw refused(
    'the key of an index may still be in the system keyring',
    [
      'unlock the system keyring, then run the command again',
      'or give that key up: paydesk -p NAME index forget --all',
    ],
    { certain: 'its index, profiles, their keys and the journal are as they were' },
  );
}
