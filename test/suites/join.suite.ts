import { together } from './together.js';

together('test/join', 'test/app', 'test/corpus');
