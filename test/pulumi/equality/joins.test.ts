import { provesEquality } from './equality.js';
import { JOINS } from './twins.js';

provesEquality(JOINS);
