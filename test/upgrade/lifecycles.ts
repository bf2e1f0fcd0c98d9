// The lifecycles by the kind of their rows, and what their machines have that no fixture has.
import type { AnyStateMachine } from 'xstate';
import { type Arrow, arrowsOf, leafStatesOf } from '../../machines/arrows.ts';
import { contestation } from '../../src/lifecycle/contestation.ts';
import { kyc } from '../../src/lifecycle/kyc.ts';
import type { Lifecycle, LifecycleRow } from '../../src/lifecycle/lifecycle.ts';
import { payoutRefund } from '../../src/lifecycle/payout-refund.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { providerAccount } from '../../src/lifecycle/provider-account.ts';
import { withdraw } from '../../src/lifecycle/withdraw.ts';
import type { SubjectKind } from '../../src/tables/subject.ts';
import { states } from './fixtures.ts';

type AnyLifecycle = Lifecycle<AnyStateMachine, LifecycleRow>;

export const lifecycles = {
  pix_payment: pixPayment,
  withdraw,
  kyc,
  provider_account: providerAccount,
  contestation,
  payout_refund: payoutRefund,
} as unknown as Record<SubjectKind, AnyLifecycle>;

export const kinds = Object.keys(lifecycles) as SubjectKind[];

const fixturesOf = (kind: SubjectKind) => Object.values(states).filter((fixture) => fixture.kind === kind);

export const statesWithoutFixture = (kind: SubjectKind): string[] =>
  leafStatesOf(lifecycles[kind].machine).filter(
    (state) => !fixturesOf(kind).some(({ row }) => row.state === state),
  );

export const transitionsWithoutFixture = (kind: SubjectKind): Arrow[] =>
  arrowsOf(lifecycles[kind].machine).filter(
    ({ from, event, to }) =>
      !fixturesOf(kind).some(
        ({ row, steps }) => row.state === from && steps.some((one) => one.event === event && one.to === to),
      ),
  );
