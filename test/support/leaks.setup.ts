// Runs before each test file: a file is searched for its own leaks only, and its transactions are watched.
import { forgetAll } from './leak-watch.ts';
import { takeWrongOrders, watchLockOrder } from './lock-order.ts';

forgetAll();
watchLockOrder();
takeWrongOrders();
