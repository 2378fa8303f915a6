/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { PRECONDITIONS } from './twins.js';

provesEquality(PRECONDITIONS);
