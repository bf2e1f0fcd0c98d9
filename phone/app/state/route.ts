// Where the person is: the part of the address behind the #, so that a reload and the back button work.
import { createStore } from './store.ts';

/** `#/payments/0192` is `['payments', '0192']`. */
const segmentsOf = (hash: string): string[] => hash.replace(/^#\/?/, '').split('/').filter(Boolean);

const route = createStore<string[]>(segmentsOf(location.hash));
addEventListener('hashchange', () => route.set(segmentsOf(location.hash)));

export const useRoute = (): string[] => route.use();

export function go(path: string): void {
  location.hash = path;
}

/** Without leaving a step for the back button: it would lead into something that is over. */
export function replaceWith(path: string): void {
  history.replaceState(null, '', `#${path}`);
  route.set(segmentsOf(location.hash));
}
