// Sends callbacks to the page as server-sent events: each change of a callback sends its list item, new or again.
import type { RequestHandler } from 'express';
import type { SandboxContext } from '../context.ts';
import { callbackItem, itemId } from '../pages/sections.ts';

/** Changes within this time are sent together. */
const TOGETHER_MS = 150;
/** The number of items that a list in a browser keeps. */
const KEPT = 100;

export const liveCallbacks =
  ({ callbackLog }: SandboxContext): RequestHandler =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    // After a broken connection the browser sends the id of the last message. Otherwise the page's version applies.
    let sentVersion = Number(request.get('last-event-id') ?? request.query['since']) || 0;
    let timer: NodeJS.Timeout | undefined;

    const flush = () => {
      timer = undefined;
      const newest = callbackLog.list().slice(0, KEPT);
      const changed = newest.filter(({ version }) => version > sentVersion);
      sentVersion = callbackLog.version();
      if (changed.length === 0) return;
      const gone = changed.length < KEPT ? callbackLog.list().slice(KEPT, KEPT + changed.length) : [];
      const items = changed.map((callback) => callbackItem(callback).text);
      const removals = gone.map((callback) => `<li id="${itemId(callback)}" hx-swap-oob="delete"></li>`);
      response.write(`id: ${sentVersion}\n${[...items, ...removals].map(asData).join('')}\n`);
    };
    const unsubscribe = callbackLog.subscribe(() => (timer ??= setTimeout(flush, TOGETHER_MS)));
    response.write(': connected\n\n');
    flush();
    response.on('close', () => {
      unsubscribe();
      clearTimeout(timer);
    });
  };

const asData = (text: string): string =>
  text
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('');
