/** A server that speaks PostgreSQL's protocol only until somebody has signed in, and asks for the password in a way of its own. */

import { type AddressInfo, createServer } from 'node:net';

export interface FakePostgres extends AsyncDisposable {
  readonly port: number;
  /** Every byte that it was sent, as text. */
  readonly heard: string;
}

/** How it asks: for the password itself, under MD5, not at all, or with a proof that is wrong. */
export type Asking = 'clear text' | 'md5' | 'nothing' | 'scram, then clear text' | 'scram with a wrong proof';

/** Starts one on this machine. It lets everybody in. */
export async function startFakePostgres(asking: Asking): Promise<FakePostgres> {
  let heard = '';
  const listener = createServer((socket) => {
    let step = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      for (const reply of answer(asking, step, bytes.toString('latin1'))) socket.write(reply);
      step += 1;
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    get heard() {
      return heard;
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

function answer(asking: Asking, step: number, text: string): readonly Buffer[] {
  if (asking === 'nothing') return letIn;
  if (asking === 'clear text') return step === 0 ? [authentication(3)] : letIn;
  if (asking === 'md5') return step === 0 ? [authentication(5, Buffer.from('salt'))] : letIn;
  if (step === 0) return [authentication(10, Buffer.from('SCRAM-SHA-256\0\0'))];
  const nonce = /r=([^,]+)/.exec(text)?.[1] ?? '';
  if (step === 1) return [authentication(11, Buffer.from(`r=${nonce}x,s=c2FsdA==,i=4096`))];
  if (step === 2 && asking === 'scram, then clear text') return [authentication(3)];
  return [authentication(12, Buffer.from(`v=${Buffer.alloc(32).toString('base64')}`)), ...letIn];
}

function authentication(kind: number, more = Buffer.alloc(0)): Buffer {
  const number = Buffer.alloc(4);
  number.writeInt32BE(kind);
  return message('R', Buffer.concat([number, more]));
}

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const letIn = [authentication(0), message('K', Buffer.alloc(8)), message('Z', Buffer.from('I'))];
