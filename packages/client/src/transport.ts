// Sends a request, and sends the identical request again if no usable answer arrived. The contract makes the repetition harmless.
import { pause, reasonOf, throwIfAborted } from './abort.ts';
import { isRefusal, type KnownCode, mayHaveActed, PonteUnreachable, type Trail } from './errors.ts';
import type { Options } from './options.ts';

export type Transport = Pick<Options, 'onRequest' | 'onResponse'> & {
  fetch: (request: Request) => Promise<Response>;
  timeoutMs: number;
  tries: number;
};

/** One try: an answer of Ponte, or the reason why there is none. */
type Tried = {
  response: Response | null;
  /** The status of any answer, also of one that Ponte did not write. */
  status: number | null;
  fault: unknown;
  /** Whether the same request may get a different answer in a moment. */
  mayPass: boolean;
  hasPerhapsActed: boolean;
};

/** Statuses that mean that the server, or something in front of it, was unavailable or had too many requests. */
const AWAY = new Set([429, 502, 503, 504]);
/** Refusals with such a status that last for minutes, or for which a user has waited long enough. */
const LASTING: ReadonlySet<string> = new Set<KnownCode>(['lookup_budget_spent', 'name_check_unavailable']);
const LONGEST_PAUSE_MS = 10_000;

/**
 * @param trail is filled in: the request's key, and whether a try before the last one may have been executed.
 * @returns an answer of Ponte, complete and readable.
 * @throws PonteUnreachable if no try got one, or the reason of the request's own signal.
 */
export async function send(request: Request, transport: Transport, trail: Trail): Promise<Response> {
  trail.idempotencyKey = request.headers.get('Idempotency-Key');
  throwIfAborted(request.signal);
  for (let tried = 1; ; tried += 1) {
    const { response, fault, mayPass, hasPerhapsActed } = await watched(request, transport, tried);
    // If the app aborted the call, it gets its reason, and nothing is sent again.
    throwIfAborted(request.signal);
    if (!mayPass || tried >= transport.tries) {
      if (response === null) throw new PonteUnreachable(fault, trail.idempotencyKey);
      return response;
    }
    trail.mayHaveActed ||= hasPerhapsActed;
    await pause(Math.max(backOffMs(tried), retryAfterMs(response)), request.signal);
  }
}

/** Makes one try, and calls the app's hooks before and after it. */
async function watched(request: Request, transport: Transport, attempt: number): Promise<Tried> {
  const begun = Date.now();
  const event = { method: request.method, url: request.url, attempt };
  notify(transport.onRequest, event);
  const tried = await tryOnce(request, transport);
  const { status, response } = tried;
  const requestId = response && requestIdIn(response);
  notify(transport.onResponse, { ...event, status, requestId, durationMs: Date.now() - begun });
  return tried;
}

/** @returns the number of an answer that support asks for. */
export const requestIdIn = (response: Response): string | null => response.headers.get('x-request-id');

/** Calls a hook of the app. A fault in an app's log must not hide the answer, so it is ignored. */
function notify<Event>(hook: ((event: Event) => void) | undefined, event: Event): void {
  try {
    hook?.(event);
  } catch {}
}

/**
 * Makes one try. A rejection of `fetch`, or of reading the body, means that the answer was lost. Any other error is a fault of the
 * program. The try also ends if `fetch` misses its signal: Node.js forgets the signal of a request inside a request when it
 * collects garbage.
 */
async function tryOnce(request: Request, { fetch, timeoutMs }: Transport): Promise<Tried> {
  const ending = new AbortController();
  let end: (tried: Tried) => void;
  const stopped = new Promise<Tried>((resolve) => {
    end = resolve;
  });
  const stop = (fault: unknown): void => {
    end(lost(fault));
    ending.abort(fault);
  };
  const abort = (): void => stop(reasonOf(request.signal));
  const late = (): void => stop(new Error(`No answer came within ${timeoutMs} ms.`));
  const timer = setTimeout(late, timeoutMs);
  request.signal.addEventListener('abort', abort);
  try {
    const sent = new Request(request.clone(), { signal: ending.signal });
    return await Promise.race([fetch(sent).then(read, lost), stopped]);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', abort);
  }
}

const lost = (fault: unknown): Tried => ({
  response: null,
  status: null,
  fault,
  mayPass: true,
  hasPerhapsActed: true,
});

const read = (response: Response): Promise<Tried> =>
  response
    .clone()
    .text()
    .then((text) => judge(response, text), lost);

/** Judges an answer. A gateway, a captive portal or a wrong address also answers: with other JSON, or with none. */
function judge(response: Response, text: string): Tried {
  const { status, ok } = response;
  const mayPass = AWAY.has(status);
  const body = parsed(text);
  const isEmpty = status === 204 && requestIdIn(response) !== null;
  if (ok && (isEmpty || body !== undefined))
    return { response, status, fault: null, mayPass, hasPerhapsActed: true };
  if (!ok && isRefusal(body))
    return {
      response,
      status,
      fault: null,
      mayPass: mayPass && !LASTING.has(body.code),
      hasPerhapsActed: mayHaveActed(status, body.code),
    };
  const fault = new Error(`${response.url} answered ${status}, and not as Ponte does.`);
  return { response: null, status, fault, mayPass, hasPerhapsActed: true };
}

/** @returns undefined when the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The delays are random, so that phones that lost the server at the same time do not all return at the same time. */
const backOffMs = (tried: number): number => 500 * 2 ** tried * (0.5 + Math.random() / 2);

function retryAfterMs(response: Response | null): number {
  const seconds = Number(response?.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, LONGEST_PAUSE_MS) : 0;
}
