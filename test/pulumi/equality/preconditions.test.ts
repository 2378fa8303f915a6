import { provesEquality } from './equality.js';
import { PRECONDITIONS } from './twins.js';

provesEquality(PRECONDITIONS);
