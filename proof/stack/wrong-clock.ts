// Preloaded into an instance of a run: sets the clock of its process WRONG_CLOCK_MS ahead of the machine's clock, or behind it with
// a negative number. Timers and `performance.now()` keep their pace.
const aheadMs = Number(process.env['WRONG_CLOCK_MS']);
const Machine = Date;
const machineNow = Date.now;
const now = (): number => machineNow() + aheadMs;

globalThis.Date = new Proxy(Machine, {
  construct: (target, parts: unknown[], called) =>
    Reflect.construct(target, parts.length === 0 ? [now()] : parts, called) as object,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
Machine.prototype.constructor = globalThis.Date;
