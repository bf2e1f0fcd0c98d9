// The current screen: the part of the address behind the #, so that a reload and the back button work.
import { createStore } from './store.ts';

/** Splits `#/payments/0192` into `['payments', '0192']`. */
const segmentsOf = (hash: string): string[] => hash.replace(/^#\/?/, '').split('/').filter(Boolean);

const route = createStore<string[]>(segmentsOf(location.hash));
addEventListener('hashchange', () => route.set(segmentsOf(location.hash)));

export const useRoute = (): string[] => route.use();

export function go(path: string): void {
  location.hash = path;
}

/** Replaces the current screen without a step for the back button, because the step would lead to something that is over. */
export function replaceWith(path: string): void {
  history.replaceState(null, '', `#${path}`);
  route.set(segmentsOf(location.hash));
}
