// Every flow of money and every step before it, as a scenario for an environment in which the service may crash at any point.

import * as journey from '../../harness/people/person.ts';
import { until } from '../../harness/people/until.ts';
import type { PixPayment } from '../../packages/client/src/index.ts';
import { LONGEST_UNANSWERED_MS } from '../../src/effects/in-flight.ts';
import type { CrashEnvironment, Kind } from './environment.ts';
import { reconciled, returnMoney, rotateWebhookSecret, settleUnseen } from './operations.ts';
import {
  bankAccount,
  depositMoney,
  hasAccounts,
  type Person,
  resident,
  signedUp,
  signIn,
  stranger,
  verified,
  verify,
} from './person.ts';

export type Flow = {
  name: string;
  kind: Kind;
  /**
   * Runs the steps before the scenario, without a crash.
   * @returns the scenario itself.
   */
  prepare: (environment: CrashEnvironment) => Promise<{ person: Person; scenario: () => Promise<void> }>;
  /** Whether the process must be fresh, with empty caches. */
  isForFreshProcess?: true;
  /** Whether polling by the clock is part of the flow. In other flows it happens only on a slow machine, and is not listed. */
  isByTheClock?: true;
};

/** After a crash, a refusal is pending until no earlier request can be in flight. Then the flow ends on a busy machine. */
const PATIENCE_MS = LONGEST_UNANSWERED_MS + 180_000;

const withMoney = (scenario: (person: Person) => Promise<void>): Flow['prepare'] => {
  return async (environment) => {
    const person = await resident(environment);
    return { person, scenario: () => scenario(person) };
  };
};

export const flows: Flow[] = [
  {
    name: 'sign-in',
    kind: 'direct',
    isForFreshProcess: true,
    prepare: async (environment) => {
      const person = stranger(environment);
      return { person, scenario: () => signIn(person) };
    },
  },
  {
    name: 'verification',
    kind: 'direct',
    prepare: async (environment) => {
      const person = await signedUp(environment);
      const scenario = async (): Promise<void> => {
        await verify(person);
        await hasAccounts(person);
      };
      return { person, scenario };
    },
  },
  {
    name: 'deposit',
    kind: 'direct',
    prepare: async (environment) => {
      const person = await resident(environment);
      const instructions = await journey.depositInstructions(person);
      return { person, scenario: () => depositMoney(person, instructions) };
    },
  },
  {
    name: 'first callback of a month',
    kind: 'direct',
    isForFreshProcess: true,
    prepare: async (environment) => {
      const person = await resident(environment);
      const instructions = await journey.depositInstructions(person);
      // The callbacks sealed under this key have been processed.
      await environment.database.query(`delete from data_keys where scope like 'webhooks-%'`);
      return { person, scenario: () => depositMoney(person, instructions) };
    },
  },
  {
    name: 'work of a dead process',
    kind: 'direct',
    isByTheClock: true,
    prepare: async (environment) => {
      // This needs a new user: an account that was polled before is found unchanged.
      const person = await verified(environment);
      await untilAlone(environment);
      return { person, scenario: () => dieOverAPoll(person) };
    },
  },
  {
    name: 'bank validation',
    kind: 'direct',
    prepare: withMoney(async ({ ponte }) => {
      // Uses different details each time: the same ones are validated at most once a minute.
      await ponte.saveBankDetails({ ...bankAccount, accountNumber: String(Date.now()).slice(-8) });
      await until(
        () => ponte.bankDetails(),
        ([details]) => details?.validationStatus === 'match',
        PATIENCE_MS,
      );
    }),
  },
  {
    name: 'closing',
    kind: 'direct',
    prepare: async (environment) => {
      const person = await verified(environment);
      return { person, scenario: async () => void (await person.ponte.closeAccount()) };
    },
  },
  {
    name: 'direct',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      await reaches(person, await pay(person), 'completed');
    }),
  },
  {
    name: 'conversion failed',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      await reaches(person, await pay(person, { amountBrl: 6.66 }), 'failed');
    }),
  },
  {
    name: 'conversion refused',
    kind: 'refused',
    prepare: withMoney(async (person) => {
      await reaches(person, await pay(person, { amountBrl: 3.33 }), 'failed');
    }),
  },
  {
    name: 'payout refused',
    kind: 'refused',
    prepare: withMoney(async (person) => {
      await reaches(person, await pay(person, { pixKey: 'reject@pix.example' }), 'payout_failed');
    }),
  },
  {
    name: 'postponed',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      await faultNext(person, 'createInternalTransfer', 'error500');
      await faultNext(person, 'getInternalTransfer', 'error500');
      await faultNext(person, 'createPayout', 'dropped');
      await reaches(person, await pay(person), 'completed');
    }),
  },
  {
    name: 'payout retried',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      const id = await pay(person, { pixKey: 'recover@pix.example' });
      await reaches(person, id, 'payout_failed');
      await person.ponte.retryPayment(id);
      await reaches(person, id, 'completed');
    }),
  },
  {
    name: 'payout returned',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      const id = await pay(person);
      await reaches(person, id, 'completed');
      await sendBack(person);
      await reaches(person, id, 'manual_review');
    }),
  },
  {
    name: 'money returned',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      const id = await pay(person, { pixKey: 'unknown@pix.example' });
      await reaches(person, id, 'payout_failed');
      await returnMoney(person.environment, id);
      await reaches(person, id, 'refunded');
    }),
  },
  {
    name: 'withdraw',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      await withdrawEnds(person, await withdraw(person), 'completed');
    }),
  },
  {
    name: 'withdraw returned',
    kind: 'direct',
    prepare: withMoney(async (person) => {
      const id = await withdraw(person);
      await withdrawEnds(person, id, 'completed');
      await sendBack(person);
      await withdrawEnds(person, id, 'failed');
    }),
  },
  {
    name: 'callbacks lost',
    kind: 'without-callbacks',
    isByTheClock: true,
    prepare: withMoney(async (person) => {
      await reaches(person, await pay(person), 'completed');
    }),
  },
  {
    name: 'reconciliation',
    kind: 'without-callbacks',
    prepare: async (environment) => {
      const person = await resident(environment);
      await reconciled(environment);
      await settleUnseen(person);
      return { person, scenario: () => reconciled(environment) };
    },
  },
  {
    name: 'secret rotation',
    kind: 'rotating',
    prepare: async (environment) => {
      const person = await resident(environment);
      return { person, scenario: () => rotateWebhookSecret(environment) };
    },
  },
  {
    name: 'two-hop',
    kind: 'two-hop',
    prepare: withMoney(async (person) => {
      await reaches(person, await pay(person), 'completed');
    }),
  },
  {
    name: 'two-hop unwound',
    kind: 'two-hop',
    prepare: withMoney(async (person) => {
      await reaches(person, await pay(person, { amountBrl: 6.66 }), 'refunded');
    }),
  },
];

const pay = (person: Person, { amountBrl = 50, pixKey = 'joana@example.com' } = {}): Promise<string> =>
  journey.pay(person, amountBrl, { pixKey, pixKeyType: 'email' });

const reaches = (person: Person, id: string, status: PixPayment['status']): Promise<PixPayment> =>
  journey.reaches(person, id, status, PATIENCE_MS);

const withdraw = async ({ ponte }: Person): Promise<string> => (await ponte.withdraw(2_500)).id;

const withdrawEnds = ({ ponte }: Person, id: string, status: string) =>
  until(
    () => ponte.transaction(id),
    (transaction) => transaction.status === status,
    PATIENCE_MS,
  );

/** Makes the recipient's bank return the money. */
async function sendBack({ environment }: Person): Promise<void> {
  const { uuid } =
    environment.books.prepare('select uuid from payouts order by seq desc limit 1').get() ?? {};
  const response = await fetch(`${environment.sandboxUrl}/sandbox/payouts/${String(uuid)}/refund`, {
    method: 'POST',
  });
  if (!response.ok) throw new Error(`sending a payout back answered ${response.status}`);
}

/** Makes the sandbox lose its next answer to this operation, or answer with an error. */
async function faultNext({ environment }: Person, operation: string, fault: string): Promise<void> {
  const response = await fetch(`${environment.sandboxUrl}/sandbox/fault-injection/next`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operation, fault, times: 1 }),
  });
  if (!response.ok) throw new Error(`ordering a fault answered ${response.status}`);
}

/** Waits until the processes that earlier flows killed are taken over, so that none of their take-overs happens in this flow. */
const untilAlone = ({ database }: CrashEnvironment): Promise<number> =>
  until(
    async () => (await database.query('select from processes')).rows.length,
    (processes) => processes === 1,
    PATIENCE_MS,
  );

/**
 * Simulates a process that began to poll a resource and has written no heartbeat since. The live process must notice this and take
 * the poll over.
 */
const dieOverAPoll = async ({ subject, environment }: Person): Promise<void> =>
  void (await environment.database.query(
    `with dead as (
       insert into processes (id, name, started_at, heartbeat_at)
       values (gen_random_uuid(), 'a process that is no more', now(), now()) returning id
     )
     update provider_resources set leased_by = dead.id, lease_token = lease_token + 1, next_poll_at = now()
     from dead where subject_id = (
       select account.id from provider_accounts account join users on users.id = user_id
       where auth_subject = $1 and currency = 'BRL'
     )`,
    [subject],
  ));
