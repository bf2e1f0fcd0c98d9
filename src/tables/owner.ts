// The user that a row belongs to. Every row of a user has this column at the end of every key, and every query on such a row names
// it. So the rows of one user can be kept together on one of several servers (docs/performance.md).
import { exported } from './export-marks.ts';
import { User } from './users/entity.ts';

export const owner = () => exported.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('restrict');
