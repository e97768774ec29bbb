/**
 * The parts of Request and Headers that ky needs. Using the real ones loads all of fetch, which takes longer than most commands:
 * `orders list` then takes 1.30 times the CPU (median of 20 pairs). So the bundle gives ky these instead (rolldown.config.ts).
 * Bodies are texts, because paydesk sends nothing else.
 */

type HeadersInit = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/** Names are in lower case. Repeated values are joined, as in fetch. */
export class Headers {
  readonly #values = new Map<string, string>();

  constructor(init: HeadersInit = {}) {
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  append(name: string, value: string): void {
    const known = this.get(name);
    this.set(name, known === null ? value : `${known}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value);
  }

  entries(): MapIterator<[string, string]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): MapIterator<[string, string]> {
    return this.entries();
  }
}

interface RequestInit {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly body?: string;
}

export class Request {
  /** ky cancels a body's stream; there is none here. */
  readonly body = null;
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly #content: string;

  constructor(url: string | URL, { method = 'GET', headers, body = '' }: RequestInit = {}) {
    this.url = String(url);
    this.method = method;
    this.headers = new Headers(headers);
    this.#content = body;
  }

  text(): Promise<string> {
    return Promise.resolve(this.#content);
  }
}

/** ky checks for this class. paydesk's replies are not of it, so ky returns them unchanged. */
export class Response {}
