/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import { together } from './together.js';

together('test/pulumi');
