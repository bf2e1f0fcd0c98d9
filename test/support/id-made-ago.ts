import { v7 } from 'uuid';

/** Returns an id that no row has, and that shows that it was made this long ago. */
export const idMadeAgo = ({ hours = 0, minutes = 0 }): string =>
  v7({ msecs: Date.now() - (hours * 60 + minutes) * 60_000 });
