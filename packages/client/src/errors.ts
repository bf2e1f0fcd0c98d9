// What an app catches: a refusal with its code, or no usable answer at all.
import type { components } from './contract.ts';

export type KnownCode = components['schemas']['ErrorCode'];
type Detail = components['schemas']['ErrorDetail'];
type Body = { error: string; code: string; requestId: string; details?: Detail[] };

/** The server has answered, and not with a success. */
export class PonteError extends Error {
  override readonly name = 'PonteError';
  readonly status: number;
  /** Stable, to branch on. One that this version does not know means what its status means. */
  readonly code: KnownCode | (string & {});
  /** What support asks for. */
  readonly requestId: string | null;
  /** For the app's programmer: what is wrong with the request, and where. */
  readonly details: Detail[];

  /** @param body what came; another's answer (a gateway's, say) has no code of ours. */
  constructor(response: Response, body: unknown) {
    const ours = isOurs(body) ? body : null;
    // The sentence can be shown to the user as it is.
    super(ours?.error ?? `The server answered ${response.status}.`);
    this.status = response.status;
    this.code = ours?.code ?? 'unknown';
    this.requestId = ours?.requestId ?? response.headers.get('x-request-id');
    this.details = ours?.details ?? [];
  }

  /** For a `switch` without one: `if (error.is('quote_expired')) ...`. */
  is(code: KnownCode): boolean {
    return this.code === code;
  }
}

/** No answer came, or none that could be read. What was asked for may have been done: the same call again finds out. */
export class PonteUnreachable extends Error {
  override readonly name = 'PonteUnreachable';

  constructor(cause: unknown) {
    super('The server could not be reached.', { cause });
  }
}

const isOurs = (body: unknown): body is Body =>
  typeof body === 'object' &&
  body !== null &&
  typeof (body as Partial<Body>).error === 'string' &&
  typeof (body as Partial<Body>).code === 'string' &&
  typeof (body as Partial<Body>).requestId === 'string';
