// Rails that hang: the creation of a payout is done but answered late. For a while this applies to every payout of the rail.
import type { Call } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/** How long the answer to this call is delayed, in milliseconds. */
export function railDelayMs(world: World, call: Call): number {
  if (call.operation !== 'createPayout') return 0;
  const { active } = world.faultInjection;
  const { rail } = call.body as { rail: string };
  const hanging = active.find('hangingRail', rail, world.now());
  const delayMs = hanging ? Number(hanging['delayMs']) : beginHanging(world, call, rail);
  if (delayMs > 0) recordInjected(world, 'hangingRail', subjectOf(call), { rail, delay_ms: delayMs });
  return delayMs;
}

function beginHanging(world: World, call: Call, rail: string): number {
  const occurrence = shouldInject(world, 'hangingRail', call);
  if (!occurrence) return 0;
  const { provider } = world.faultInjection.configuration();
  const delayMs = Number(occurrence.details['railDelayMs'] ?? provider.railDelayMs);
  const forMs = Number(occurrence.details['railHangsForMs'] ?? provider.railHangsForMs);
  world.faultInjection.active.begin('hangingRail', rail, world.now() + forMs, { delayMs });
  return delayMs;
}
