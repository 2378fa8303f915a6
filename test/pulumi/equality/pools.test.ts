/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { POOLS } from './twins.js';

provesEquality(POOLS);
