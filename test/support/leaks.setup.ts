// Runs before each test file: a file is searched for its own leaks only.
import { forgetAll } from './leak-watch.ts';

forgetAll();
