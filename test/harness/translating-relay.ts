/** A relay in front of a database server that gives the severity of its messages in German, as a server with `lc_messages=de_DE` does. */

import { type Relay, startRelay } from './relay.ts';

const german = { ERROR: 'FEHLER', WARNING: 'WARNUNG', FATAL: 'FATAL', PANIC: 'PANIK' } as const;

/** Starts one to a port of this machine. What is written before anybody has signed in passes as it is. */
export function startTranslatingRelay(target: number): Promise<Relay> {
  return startRelay(target, { replies: translating });
}

function translating(): (bytes: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    const messages: Buffer[] = [];
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      messages.push(translated(rest.subarray(0, end)));
      rest = rest.subarray(end);
    }
    return Buffer.concat(messages);
  };
}

// Errors (E) and notices (N) begin with the severity in the language of the server. Another field says it in English.
function translated(message: Buffer): Buffer {
  const type = String.fromCharCode(message[0] ?? 0);
  if (type !== 'E' && type !== 'N') return message;
  const body = message.subarray(5).toString('utf8');
  const words = body.replace(/^S(ERROR|WARNING|FATAL|PANIC)\0/, (_, word: keyof typeof german) => {
    return `S${german[word]}\0`;
  });
  const changed = Buffer.from(words);
  const length = Buffer.alloc(4);
  length.writeInt32BE(changed.length + 4);
  return Buffer.concat([message.subarray(0, 1), length, changed]);
}
