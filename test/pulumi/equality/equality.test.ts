/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { ADMISSION, JOINS, POOLS, PRECONDITIONS, STORAGE } from './twins.js';

provesEquality([...POOLS, ...JOINS, ...ADMISSION, ...PRECONDITIONS, ...STORAGE]);
