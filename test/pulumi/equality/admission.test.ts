/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { ADMISSION } from './twins.js';

provesEquality(ADMISSION);
