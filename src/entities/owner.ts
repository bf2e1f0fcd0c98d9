// The user that a row belongs to. Every row of a user has it, and every query on such a row names it.
import { p } from '@mikro-orm/core';
import { User } from './user.ts';

export const owner = () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('restrict');
