// Messages of PostgreSQL's protocol, version 3, as far as a proxy or a pooler reads and writes them.

const PROTOCOL_BYTES = 8;
const HEADER_BYTES = 5;

/**
 * Splits a stream into messages.
 * @param take receives each whole message with its type.
 */
export function messagesOf(take: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const length = rest.length < HEADER_BYTES ? Number.POSITIVE_INFINITY : 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      take(String.fromCharCode(message[0] ?? 0), message);
    }
  };
}

/** Returns the parameters in a client's first message, which has no type. */
export function parametersIn(startup: Buffer): Record<string, string> {
  const texts = startup.subarray(PROTOCOL_BYTES).toString().split('\0');
  const pairs: [string, string][] = [];
  for (let at = 0; texts[at]; at += 2) pairs.push([texts[at] ?? '', texts[at + 1] ?? '']);
  return Object.fromEntries(pairs);
}

/** Returns the statement's name in a Parse message. Empty for the unnamed statement. */
export const statementNameIn = (parse: Buffer): string =>
  parse.subarray(HEADER_BYTES, parse.indexOf(0, HEADER_BYTES)).toString();

/** The messages that tell the client that it is authenticated and may begin. */
export const greeting = (): Buffer =>
  Buffer.concat([encode('R', Buffer.alloc(4)), encode('Z', Buffer.from('I'))]);

/** The message that ends a connection, with PgBouncer's code. */
export const errorResponse = (what: string): Buffer =>
  encode('E', Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${what}\0\0`));

function encode(type: string, body: Buffer): Buffer {
  const head = Buffer.from(`${type}0000`);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
