// Handles checks that a machine cannot make, because it has no browser, Prometheus or kubectl, or its registry does not answer. A person sees a warning.
// Under `CI=true` such a check fails, unless `ACCEPT_UNCHECKED` names it: a gate must not pass because a check could not run.

const checks = ['advisories', 'browser', 'example', 'kubectl', 'prometheus'] as const;
export type Check = (typeof checks)[number];

/**
 * @param env `ACCEPT_UNCHECKED` is a comma-separated list of checks.
 * @returns whether the gate may pass although the check could not be made.
 */
export function mayLeaveOut(check: Check, env: NodeJS.ProcessEnv = process.env): boolean {
  const accepted = (env['ACCEPT_UNCHECKED'] ?? '').split(',').map((name) => name.trim());
  return env['CI'] !== 'true' || accepted.includes(check);
}

/**
 * Warns that a check is left out.
 * @throws under `CI=true`, unless `ACCEPT_UNCHECKED` names the check.
 */
export function leaveOut(check: Check, why: string): void {
  if (!mayLeaveOut(check)) throw new Error(`${why} ACCEPT_UNCHECKED=${check} accepts that.`);
  console.warn(why);
}
