// What a callback announces about its resource: a hint that a newer snapshot can be read, and nothing else. A false one
// costs a few reads.
import type { Snapshot } from './port.ts';

export type Announced = { updatedAt: Date; status: Snapshot['status'] | null; attempt: number };

/** @returns null when the callback names no time. @param rawBody as it was accepted: it is JSON. */
export function announcedBy(rawBody: Buffer): Announced | null {
  const body = objectOf(JSON.parse(rawBody.toString()));
  const data = objectOf(body['data']);
  // The resource's own time; the callback's may be that of its sending.
  const updatedAt = new Date(String(data['updated_at'] ?? body['updated_at']));
  if (Number.isNaN(updatedAt.getTime())) return null;
  const attempt = data['attempt'];
  return {
    updatedAt,
    status: statuses[String(data['status'])] ?? null,
    attempt: typeof attempt === 'number' ? attempt : 1,
  };
}

const statuses: Record<string, Snapshot['status']> = {
  PENDING: 'pending',
  PROVISIONING: 'provisioning',
  ACTIVE: 'active',
  COMPLETED: 'completed',
  FAILED: 'failed',
  ERROR: 'failed',
  REFUNDED: 'refunded',
};

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
