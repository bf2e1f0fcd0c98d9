// Presents a data subject's request in the contract's form.
import type { DataRequest } from '../../openapi/generated/openapi.ts';
import type { Entity } from '../platform/entities/rows.ts';

export const dataRequestFrom = (row: Entity<'DataRequest'>): DataRequest => ({
  id: row.id,
  type: row.type as DataRequest['type'],
  status: row.status,
  receivedAt: row.receivedAt.toISOString(),
});
