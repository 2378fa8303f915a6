import { together } from './together.js';

together('test/constructs', 'test/testing');
