/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { ADMISSION, JOINS, POOLS, PRECONDITIONS } from './twins.js';

provesEquality([...POOLS, ...JOINS, ...ADMISSION, ...PRECONDITIONS]);
