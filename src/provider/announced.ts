// Reads what a callback announces about its resource. It is only a hint that a newer snapshot can be fetched: a false announcement
// costs a few reads.
import type { Snapshot } from './port.ts';

export type Announced = { updatedAt: Date; status: Snapshot['status'] | null; attempt: number };

/**
 * Reads the announcement of a callback.
 * @param rawBody the body of an accepted callback, which is valid JSON.
 * @returns null if the callback has no valid time.
 */
export function announcedBy(rawBody: Buffer): Announced | null {
  const body = objectOf(JSON.parse(rawBody.toString()));
  const data = objectOf(body['data']);
  // Prefer the resource's time: the callback's time may be the time of its sending.
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
