/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { ADMISSION, CONTROL_PLANE, JOINS, POOLS, PRECONDITIONS, STORAGE } from './twins.js';

provesEquality([...POOLS, ...JOINS, ...ADMISSION, ...PRECONDITIONS, ...STORAGE, ...CONTROL_PLANE]);
