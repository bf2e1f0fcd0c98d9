// The names of the contract's operations.
import type { operations } from '../../openapi/generated/provider.ts';

export type OperationId = Exclude<keyof operations, 'receiveCallback'>;
