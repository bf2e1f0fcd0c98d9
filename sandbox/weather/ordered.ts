// Reply faults that were asked for by name: the next so many calls of an operation get them.
import { refuse } from '../provider/refusal.ts';
import type { Store } from '../store/store.ts';
import { MEASURES, REPLY_FAULTS, type ReplyFault } from './kinds.ts';
import { readSetting, writeSetting } from './setting.ts';

export interface OrderedFault {
  operation: string;
  fault: ReplyFault;
  /** How many calls are still to get it. */
  times: number;
  /** Only calls whose path, query or body holds this text; empty for all. */
  about: string;
  /** What an error503 says; null leaves it out. */
  retryAfterSeconds: number | null;
}

export interface OrderedFaults {
  readonly list: readonly OrderedFault[];
  add(fault: OrderedFault): void;
  /** The first that fits, one time used up. `text` is only made when somebody asks about it. */
  take(operation: string, text: () => string): OrderedFault | undefined;
  clear(): void;
}

const NAME = 'weather-next';
const MOST_TIMES = 1_000_000;

export function createOrderedFaults(store: Store): OrderedFaults {
  let list = (readSetting(store, NAME) ?? []) as OrderedFault[];
  const keep = (next: OrderedFault[]) => {
    writeSetting(store, NAME, next);
    list = next;
  };
  return {
    get list() {
      return list;
    },
    add: (fault) => keep([...list, fault]),
    take(operation, text) {
      const found = list.find(
        (one) => one.operation === operation && (one.about === '' || text().includes(one.about)),
      );
      if (found)
        keep(
          list
            .map((one) => (one === found ? { ...one, times: one.times - 1 } : one))
            .filter(({ times }) => times > 0),
        );
      return found;
    },
    clear: () => keep([]),
  };
}

/** Reads one from JSON of any make; throws a refusal that names everything it cannot use. */
export function readOrderedFault(asked: unknown, operations: string[]): OrderedFault {
  const given = (typeof asked === 'object' && asked !== null ? asked : {}) as Record<string, unknown>;
  const { operation, fault, times = 1, about = '', retryAfterSeconds = null, ...strangers } = given;
  const most = MEASURES.replies.retryAfterSeconds.most;
  const faults = Object.keys(strangers).map((name) => `${name.slice(0, 60)} is not known here`);
  const demand = (isFit: boolean, rule: string) => isFit || faults.push(rule);

  demand(operations.includes(String(operation)), `operation must be one of ${operations.join(', ')}`);
  demand(REPLY_FAULTS.includes(fault as ReplyFault), `fault must be one of ${REPLY_FAULTS.join(', ')}`);
  demand(isWhole(times, 1, MOST_TIMES), `times must be a whole number from 1 to ${MOST_TIMES}`);
  demand(typeof about === 'string' && about.length <= 200, 'about must be text of at most 200 characters');
  demand(
    retryAfterSeconds === null || isWhole(retryAfterSeconds, 0, most),
    `retryAfterSeconds must be a whole number from 0 to ${most}`,
  );
  if (faults.length > 0) throw refuse('invalid_request', faults.join('; '));
  return { operation, fault, times, about, retryAfterSeconds } as OrderedFault;
}

const isWhole = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
