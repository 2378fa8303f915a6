import { together } from './together.js';

together('test/workloads', 'test/text', 'test/kubernetes');
