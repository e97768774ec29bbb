/** A reply's body, read to its last byte and never further than a cap. */

/** Largest body in decoded bytes: far above a page of 250 orders, far below what hurts the machine. */
export const maxBodyBytes = 32 * 1024 * 1024;

const encodings = ['gzip', 'x-gzip', 'deflate', 'br', 'identity'];

/** A body that is not read, and why, in words that follow "HTTP 200, ". */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
}

/** Reads a body to its end. Throws BodyRefused, or what the connection throws when it is cut. */
export async function readBody(response: Response): Promise<Uint8Array> {
  const refusal = refuse(response.headers);
  if (refusal !== undefined) {
    await response.body?.cancel();
    throw new BodyRefused(refusal);
  }
  return response.body === null ? new Uint8Array() : await readStream(response.body);
}

// fetch undoes encodings by itself, a chain of them too, so they are looked at before the first byte is read.
function refuse(headers: Headers): string | undefined {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding.includes(',')) return 'an answer in several encodings, one inside the other';
  if (encoding !== '' && !encodings.includes(encoding))
    return 'an answer in an encoding that is not supported';
  return Number(headers.get('content-length')) > maxBodyBytes ? tooLarge : undefined;
}

const tooLarge = `an answer larger than ${maxBodyBytes / 1024 / 1024} MiB`;

async function readStream(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > maxBodyBytes) {
      await reader.cancel();
      throw new BodyRefused(tooLarge);
    }
    chunks.push(value);
  }
}
