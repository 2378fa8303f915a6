import { provesEquality } from './equality.js';
import { ADMISSION } from './twins.js';

provesEquality(ADMISSION);
