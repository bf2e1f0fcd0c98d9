// Faults that are requested by name. They are injected into the next calls of an operation.
import { refuse } from '../provider/refusal.ts';
import type { Store } from '../store/store.ts';
import {
  blameDetails,
  FAULTS,
  type FaultDetails,
  isWhole,
  PARAMETERS,
  PROVIDER_FAULTS,
  type ProviderFault,
  REPLY_FAULTS,
  type ReplyFault,
} from './registry.ts';

export interface RequestedFault<Fault = ReplyFault | ProviderFault> {
  operation: string;
  fault: Fault;
  /** The number of calls that still get the fault. */
  times: number;
  /** The fault applies only to calls whose path, query or body contains this text. Empty applies to all. */
  about: string;
  /** The Retry-After of an error503 or error429. Null omits it. */
  retryAfterSeconds: number | null;
  /** Further details of a provider fault. */
  details: FaultDetails;
}

type Row = Omit<RequestedFault, 'details'> & { id: number; details: string };

const MAX_TIMES = 1_000_000;
const ALL = `select id, operation, fault, times, about, retry_after_seconds as retryAfterSeconds, details
  from ordered_faults`;

export function createRequestedFaults(store: Store) {
  const countAll = () => store.get<{ n: number }>('select count(*) as n from ordered_faults')?.n ?? 0;
  // Avoids a query if no fault is requested. It stays true until all are cleared, because a rollback may restore a used request.
  let perhaps = countAll() > 0;
  return {
    isAny: (): boolean => perhaps && countAll() > 0,
    list: (): RequestedFault[] => store.all<Row>(`${ALL} order by id`).map(read),
    add({ retryAfterSeconds: retry_after_seconds, details, ...fault }: RequestedFault): void {
      perhaps = true;
      store.insert('ordered_faults', { ...fault, retry_after_seconds, details: JSON.stringify(details) });
    },
    /** Takes the first matching fault and uses up one of its times. `text` is built only if a request has an `about`. */
    take<Fault extends RequestedFault['fault']>(
      faults: readonly Fault[],
      operation: string,
      text: () => string,
    ): RequestedFault<Fault> | undefined {
      if (!perhaps) return undefined;
      const fits = ({ fault, about }: Row) =>
        faults.some((one) => one === fault) && (about === '' || text().includes(about));
      const row = store.all<Row>(`${ALL} where operation = ? order by id`, operation).find(fits);
      if (!row) return undefined;
      store.run('update ordered_faults set times = times - 1 where id = ?', row.id);
      store.run('delete from ordered_faults where times = 0');
      return read(row) as RequestedFault<Fault>;
    },
    clear(): void {
      store.run('delete from ordered_faults');
      perhaps = false;
    },
  };
}

const read = ({ id: _id, details, ...row }: Row): RequestedFault => ({
  ...row,
  details: JSON.parse(details) as FaultDetails,
});

/**
 * Parses a requested fault from any JSON.
 * @throws a refusal that names every value it cannot use.
 */
export function readRequestedFault(body: unknown, operations: readonly string[]): RequestedFault {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const { operation, fault, times = 1, about = '', retryAfterSeconds = null, details = {}, ...rest } = fields;
  const { max } = PARAMETERS.replies.retryAfterSeconds;
  const problems = Object.keys(rest).map((name) => `${name.slice(0, 60)} is not known here`);
  const demand = (isFit: boolean, rule: string) => isFit || problems.push(rule);
  const names = [...REPLY_FAULTS, ...PROVIDER_FAULTS];
  const ofProvider = PROVIDER_FAULTS.find((name) => name === fault);
  const allowed = (ofProvider && FAULTS.provider[ofProvider].operations) ?? operations;

  demand(allowed.includes(String(operation)), `operation must be one of ${allowed.join(', ')}`);
  demand(
    names.some((name) => name === fault),
    `fault must be one of ${names.join(', ')}`,
  );
  demand(isWhole(times, MAX_TIMES, 1), `times must be a whole number from 1 to ${MAX_TIMES}`);
  demand(typeof about === 'string' && about.length <= 200, 'about must be text of at most 200 characters');
  demand(
    retryAfterSeconds === null || isWhole(retryAfterSeconds, max),
    `retryAfterSeconds must be a whole number from 0 to ${max}`,
  );
  problems.push(...blameDetails(ofProvider, details));
  if (problems.length > 0) throw refuse('invalid_request', problems.join('; '));
  return { operation, fault, times, about, retryAfterSeconds, details } as RequestedFault;
}
