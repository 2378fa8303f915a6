import { together } from './together.js';

together('test/join', 'test/storage', 'test/control-plane', 'test/app', 'test/corpus');
