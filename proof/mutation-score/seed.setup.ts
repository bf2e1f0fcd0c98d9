// Sets one seed for every property, so that each run kills the same mutants.
import { configureGlobal } from 'fast-check';

configureGlobal({ seed: 1 });
