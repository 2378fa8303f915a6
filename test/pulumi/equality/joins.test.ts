/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { JOINS } from './twins.js';

provesEquality(JOINS);
