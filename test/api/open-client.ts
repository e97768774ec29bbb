/** A client as cli/ opens it, for one test server. */

import { systemClock } from '../../bin/process-io.ts';
import type { Client, ClientParts, Page } from '../../src/api/api.ts';
import { createClient } from '../../src/api/client.ts';
import type { Profile } from '../../src/profiles/profiles.ts';
import { createSecrets, type Secrets } from '../../src/terminal/secrets.ts';
import { profileInUse } from '../harness/profile-in-use.ts';

export const key = 'key_CANARYxyz0123456789';

export const clock = systemClock;

function secretsWith(known: string): Secrets {
  const secrets = createSecrets();
  secrets.add(known);
  return secrets;
}

/** Retries wait for nothing (`random` is 0) unless a test says otherwise. */
export function openClient(
  server: { readonly url: string },
  profile: Partial<Profile> = {},
  parts: Partial<ClientParts> = {},
): Client {
  return createClient({
    profile: profileInUse(profile.baseUrl ?? server.url, profile),
    key,
    gate: secretsWith(key),
    version: '9.9.9',
    timeoutMs: 60_000,
    clock,
    random: () => 0,
    signal: new AbortController().signal,
    ...parts,
  });
}

export async function collect(pages: AsyncIterable<Page>): Promise<Page[]> {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

export function idsOf(pages: readonly Page[]): unknown[] {
  return pages.flatMap((page) => page.records.map((record) => record.value.id));
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}

export function list(data: readonly unknown[], more: object = {}): object {
  return { object: 'list', has_more: false, data, ...more };
}
