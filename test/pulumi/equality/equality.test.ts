/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { TWINS } from './twins.js';

provesEquality(TWINS);
