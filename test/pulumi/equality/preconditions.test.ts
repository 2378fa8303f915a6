/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { provesEquality } from './equality.js';
import { TWINS_BY_SUBJECT } from './twins.js';

provesEquality(TWINS_BY_SUBJECT.preconditions);
