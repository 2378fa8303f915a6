import { together } from './together.js';

together('test/join', 'test/storage', 'test/app', 'test/corpus');
