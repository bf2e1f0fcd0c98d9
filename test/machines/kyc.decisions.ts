// The decisions about every event in every state of an identity verification.
import { kycInvariants } from '../../machines/kyc.invariants.ts';
import { type KycEvent, kycMachine } from '../../machines/kyc.machine.ts';
import { decisionsOf } from './decision-table.ts';

const events = {
  'kyc.completed': { type: 'kyc.completed', level: 'standard' },
  'kyc.completed, enhanced': { type: 'kyc.completed', level: 'enhanced' },
  'kyc.failed': { type: 'kyc.failed', attempt: 1, failureCode: null },
  'kyc.failed with a reason': { type: 'kyc.failed', attempt: 1, failureCode: 'name_mismatch' },
  'kyc.failed, second attempt': { type: 'kyc.failed', attempt: 2, failureCode: 'not_eligible' },
  'kyc.restarted': { type: 'kyc.restarted', attempt: 2 },
  'kyc.restarted, third attempt': { type: 'kyc.restarted', attempt: 3 },
} as const satisfies Record<string, KycEvent>;

export const first = { level: null, attempt: 1, failureCode: null } as const;
const standard = { level: 'standard', failureCode: null } as const;
const enhanced = { level: 'enhanced', failureCode: null } as const;
const ineligible = { attempt: 2, failureCode: 'not_eligible' } as const;
const begun = (attempt: number) => ({ attempt, failureCode: null });

export const decisions = decisionsOf({
  machine: kycMachine,
  invariants: kycInvariants,
  situations: {
    pending: { state: 'pending', context: first },
    'pending again': { state: 'pending', context: { ...first, attempt: 2 } },
    completed: { state: 'completed', context: { ...first, ...standard } },
    failed: { state: 'failed', context: first },
    'failed with a reason': { state: 'failed', context: { ...first, failureCode: 'name_mismatch' } },
    'failed again': { state: 'failed', context: { ...first, ...ineligible } },
    'failed a third time': { state: 'failed', context: { ...first, attempt: 3 } },
  },
  events,
  accepted: [
    ['pending', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['pending', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
    ['pending', 'kyc.failed', 'failed', []],
    ['pending', 'kyc.failed with a reason', 'failed', [], { failureCode: 'name_mismatch' }],
    ['pending', 'kyc.failed, second attempt', 'failed', [], ineligible],
    ['pending', 'kyc.restarted', 'pending', [], begun(2)],
    ['pending', 'kyc.restarted, third attempt', 'pending', [], begun(3)],

    ['pending again', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['pending again', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
    ['pending again', 'kyc.failed, second attempt', 'failed', [], ineligible],
    ['pending again', 'kyc.restarted, third attempt', 'pending', [], begun(3)],

    ['failed', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['failed', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
    ['failed', 'kyc.failed with a reason', 'failed', [], { failureCode: 'name_mismatch' }],
    ['failed', 'kyc.failed, second attempt', 'failed', [], ineligible],
    ['failed', 'kyc.restarted', 'pending', [], begun(2)],
    ['failed', 'kyc.restarted, third attempt', 'pending', [], begun(3)],

    ['failed with a reason', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['failed with a reason', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
    ['failed with a reason', 'kyc.failed, second attempt', 'failed', [], ineligible],
    ['failed with a reason', 'kyc.restarted', 'pending', [], begun(2)],
    ['failed with a reason', 'kyc.restarted, third attempt', 'pending', [], begun(3)],

    ['failed again', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['failed again', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
    ['failed again', 'kyc.restarted', 'pending', [], begun(2)],
    ['failed again', 'kyc.restarted, third attempt', 'pending', [], begun(3)],

    ['failed a third time', 'kyc.completed', 'completed', ['provisionAccounts'], standard],
    ['failed a third time', 'kyc.completed, enhanced', 'completed', ['provisionAccounts'], enhanced],
    ['failed a third time', 'kyc.restarted, third attempt', 'pending', [], begun(3)],
  ],
  refused: {
    pending: [],
    'pending again': ['kyc.failed', 'kyc.failed with a reason', 'kyc.restarted'],
    completed: [
      'kyc.completed',
      'kyc.completed, enhanced',
      'kyc.failed',
      'kyc.failed with a reason',
      'kyc.failed, second attempt',
      'kyc.restarted',
      'kyc.restarted, third attempt',
    ],
    failed: ['kyc.failed'],
    'failed with a reason': ['kyc.failed', 'kyc.failed with a reason'],
    'failed a third time': [
      'kyc.failed',
      'kyc.failed with a reason',
      'kyc.failed, second attempt',
      'kyc.restarted',
    ],
    'failed again': ['kyc.failed', 'kyc.failed with a reason', 'kyc.failed, second attempt'],
  },
});
