// Presents a withdrawal in the contract's form.
import type { Withdraw } from '../../../openapi/generated/openapi.ts';
import type { ShownWithdraw } from '../../tables/withdraws/statements.ts';

export const withdrawFrom = (row: ShownWithdraw, provider: string): Withdraw => ({
  id: row.id,
  type: 'withdraw',
  status: row.state,
  sourceCurrency: row.currency,
  sourceAmount: row.amountMinor,
  provider,
  expectedSettlementSeconds: row.expectedSettlementSeconds,
  bankValidationStatus: row.validationStatus,
  nameCheck: row.nameCheck,
  createdAt: row.createdAt.toISOString(),
});
